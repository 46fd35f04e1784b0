// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeps what is looked at in the address, behind its #, so that it can be sent to others.

export interface UrlState {
	from?: number;
	to?: number;
	selected?: { track: number; from: number };
	a?: { at: number; track: number };
	b?: { at: number; track: number };
	query?: string;
	collapsed?: number[];
	arrows?: boolean;
	theme?: "light" | "dark";
	top?: number;
}

function pair(text: string | null): [number, number] | undefined {
	const parts = /^(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)$/.exec(text ?? "");
	return parts ? [Number(parts[1]), Number(parts[2])] : undefined;
}

export function read(hash: string): UrlState {
	const values = new URLSearchParams(hash.replace(/^#/, ""));
	const state: UrlState = {};
	const view = pair(values.get("view"));
	if (view && view[1] > view[0]) [state.from, state.to] = view;
	const selected = pair(values.get("selected"));
	if (selected) state.selected = { track: selected[0], from: selected[1] };
	for (const name of ["a", "b"] as const) {
		const marker = pair(values.get(name));
		if (marker) state[name] = { track: marker[0], at: marker[1] };
	}
	const query = values.get("search");
	if (query) state.query = query.slice(0, 1000);
	const collapsed = values.get("collapsed");
	if (collapsed !== null) state.collapsed = collapsed.split(".").filter((id) => /^\d+$/.test(id)).map(Number);
	if (values.has("arrows")) state.arrows = values.get("arrows") === "all";
	const theme = values.get("theme");
	if (theme === "light" || theme === "dark") state.theme = theme;
	const top = Number(values.get("top"));
	if (top > 0) state.top = top;
	return state;
}

export function write(state: UrlState): string {
	const values: string[] = [];
	const put = (name: string, value: string | undefined) => value !== undefined && values.push(`${name}=${value}`);
	// A tenth of a pixel is as much as anyone can tell.
	const unit = (state.to! - state.from!) / 20000;
	const digits = unit >= 1 ? 0 : Math.min(Math.ceil(-Math.log10(unit)), 3);
	if (state.from !== undefined) put("view", `${state.from.toFixed(digits)}:${state.to!.toFixed(digits)}`);
	if (state.selected) put("selected", `${state.selected.track}:${state.selected.from}`);
	for (const name of ["a", "b"] as const) if (state[name]) put(name, `${state[name].track}:${Math.round(state[name].at)}`);
	if (state.query) put("search", encodeURIComponent(state.query));
	if (state.collapsed) put("collapsed", state.collapsed.join("."));
	if (state.arrows) put("arrows", "all");
	put("theme", state.theme);
	if (state.top) put("top", String(Math.round(state.top)));
	return `#${values.join("&")}`;
}
