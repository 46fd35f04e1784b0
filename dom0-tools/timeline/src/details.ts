// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shows what is known of the selected span: its time, its details, its arrows, and why it took so long.
import { messageOf, type Arrow, type Span } from "./decode";
import { el } from "./dom";
import { bound, duration, integer, time, utc, visible, withBound } from "./format";
import { ARROW_NAMES } from "./legend";
import { path, type Meta } from "./meta";

export interface Actions {
	show: (span: Span) => void;
	goTo: (track: number, at: number) => void;
	measure: (span: Span) => void;
}

export type Why = { text: string | undefined; loading: boolean };

function row(name: string, value: string | Node, className = ""): Node[] {
	return [el("dt", { className }, name), el("dd", { className }, value)];
}

// "key=value" of each line; a line without is a remark.
export function pairs(detail: string): [string, string][] {
	return detail
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => {
			const at = line.indexOf("=");
			return at > 0 ? [line.slice(0, at), line.slice(at + 1)] : ["", line];
		});
}

function arrowItem(meta: Meta, span: Span, arrow: Arrow, actions: Actions): HTMLElement {
	const out = arrow.fromTrack === span.track && arrow.from >= span.from && arrow.from <= span.from + span.length;
	const [track, at] = out ? [arrow.toTrack, arrow.to] : [arrow.fromTrack, arrow.from];
	const other = path(meta, track).slice(-2).map(visible).join(" › ");
	const kind = ARROW_NAMES[arrow.kind] ?? "arrow";
	const button = el(
		"button",
		{ className: "arrow-to", title: "Go to its other end" },
		el("b", {}, `${out ? "→" : "←"} ${kind}`),
		el("span", {}, `${out ? "to" : "from"} ${other}`),
		el("span", { className: "num" }, `${withBound(arrow.to - arrow.from, arrow.bound)}${arrow.ordered ? "" : ", order unsure"}`),
	);
	button.addEventListener("click", () => actions.goTo(track, at));
	return el("li", {}, button);
}

function whyPart(meta: Meta, span: Span, why: Why): HTMLElement | undefined {
	if (why.loading) return el("div", { className: "why" }, el("h3", {}, "Why it took so long"), el("p", { className: "hint" }, "Asking…"));
	if (why.text) return el("div", { className: "why" }, el("h3", {}, "Why it took so long"), el("pre", { tabIndex: 0 }, ...indented(why.text)));
	const kind = meta.byId.get(span.track)?.kind;
	if (kind !== "requests" && kind !== "task") return undefined;
	const which = meta.why.size > 0 ? "This file explains only the slowest. For any other: " : "Why did it take so long? ";
	return el("p", { className: "hint" }, which, el("code", {}, `strata why TRACE --at +${(span.from / 1e9).toFixed(9)}`));
}

// Each line by itself: what is too long for the panel goes on below, a little further in.
function indented(text: string): HTMLElement[] {
	return text.replace(/\n+$/, "").split("\n").map((line) => {
		const indent = /^ */.exec(line)![0].length;
		const element = el("span", {}, visible(line.slice(indent)) || "\u00a0");
		element.style.paddingLeft = `${Math.min(indent, 24) + 2}ch`;
		return element;
	});
}

export function details(meta: Meta, span: Span, arrows: Arrow[], why: Why, actions: Actions): HTMLElement[] {
	const category = meta.categories[span.category];
	const name = visible(meta.strings[span.name] ?? "");
	const merged = span.count > 1;
	const list = el("dl", {});
	const message = messageOf(span.detail);
	list.append(...row("Where", path(meta, span.track).map(visible).join(" › ")));
	if (message !== undefined) {
		list.append(...row("At", `${time(span.from)} ${bound(span.bound)}`, "num"));
	} else {
		if (category && category.name !== name) list.append(...row("State", visible(category.name)));
		list.append(...row("Length", merged ? duration(span.length) : withBound(span.length, span.bound), "num strong"));
		list.append(...row("From", time(span.from), "num"), ...row("To", time(span.from + span.length), "num"));
	}
	list.append(...row("UTC", utc(meta.begin, span.from).replace(/ UTC$/, ""), "num"));
	const remarks: string[] = [];
	for (const [key, value] of pairs(span.detail)) {
		if (key) list.append(...row(visible(key), visible(value)));
		else remarks.push(value);
	}
	const show = el("button", {}, merged ? "Zoom in" : "Fit");
	show.addEventListener("click", () => actions.show(span));
	const measure = el("button", { title: "Put the markers at its ends" }, "Measure");
	measure.addEventListener("click", () => actions.measure(span));
	const parts: (HTMLElement | undefined)[] = [
		el("h2", {}, merged ? `${integer(span.count)} spans, mostly ${visible(category?.name ?? "unknown")}` : name || visible(category?.name ?? "")),
		merged ? el("p", { className: "hint" }, "They are too short to be drawn apart here. Zoom in to see each.") : undefined,
		list,
		...remarks.map((text) => el("p", {}, visible(text))),
		el("div", { className: "buttons" }, show, measure),
		merged ? undefined : whyPart(meta, span, why),
	];
	if (arrows.length > 0) {
		const items = arrows.slice(0, 40).map((arrow) => arrowItem(meta, span, arrow, actions));
		parts.push(el("h3", {}, "Arrows"), el("ul", { className: "arrows" }, ...items));
		if (arrows.length > 40) parts.push(el("p", { className: "hint" }, `and ${integer(arrows.length - 40)} more`));
	}
	return parts.filter((part): part is HTMLElement => part !== undefined);
}

// One line, for the tooltip.
export function summary(meta: Meta, span: Span): [string, string, string] {
	const category = visible(meta.categories[span.category]?.name ?? "");
	const name = visible(meta.strings[span.name] ?? "") || category;
	const message = messageOf(span.detail);
	if (message !== undefined) return [name, bound(span.bound), visible(message)];
	if (span.count > 1) return [`${integer(span.count)} spans`, duration(span.length), `mostly ${category}`];
	return [name, `${duration(span.length)} ${bound(span.bound)}`, category === name ? "" : category];
}
