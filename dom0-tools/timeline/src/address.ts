// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeps what is seen and chosen in the page's address, and takes it from there.
import type { App } from "./app";
import { byId } from "./dom";
import * as url from "./url_state";

export class Address {
	private timer = 0;
	private restoring = true;
	private foldsBefore = "";
	private scroller = byId("lanes");

	constructor(private app: App) {}

	saveSoon(): void {
		if (this.restoring) return;
		clearTimeout(this.timer);
		this.timer = setTimeout(() => this.save(), 250);
	}

	private save(): void {
		const { app } = this;
		const { from, to } = app.view.target;
		const state: url.UrlState = { from, to, arrows: app.allArrows };
		const span = app.selection.span;
		if (span && span.count <= 1) state.selected = { track: span.track, from: span.from };
		for (const [name, marker] of app.markers.list()) state[name === "A" ? "a" : "b"] = marker;
		if (app.search.text) state.query = app.search.text;
		if (this.foldsBefore !== [...app.rows.collapsed].join(".")) state.collapsed = [...app.rows.collapsed];
		if (app.choice !== "auto") state.theme = app.choice;
		if (this.scroller.scrollTop > 0) state.top = this.scroller.scrollTop;
		const hash = url.write(state);
		if (hash !== location.hash) history.replaceState(null, "", hash);
	}

	async restore(hash: string, first: boolean): Promise<void> {
		const { app } = this;
		const state = url.read(hash);
		this.restoring = true;
		if (first) this.foldsBefore = [...app.rows.collapsed].join(".");
		if (state.collapsed) {
			app.rows.collapsed.clear();
			for (const id of state.collapsed) if (app.meta.byId.has(id)) app.rows.collapsed.add(id);
			app.rows.layout();
		}
		app.setTheme(state.theme ?? "auto");
		if (state.arrows !== app.allArrows && state.arrows !== undefined) app.toggleArrows();
		if (state.from !== undefined) app.view.show(state.from, state.to!, false);
		else if (!first) app.view.fitAll(false);
		app.markers.clear();
		if (state.a) app.markers.a = state.a;
		if (state.b) app.markers.b = state.b;
		app.layout();
		if (state.top) this.scroller.scrollTop = state.top;
		app.changed();
		if (state.query || app.search.text) await app.search.start(state.query ?? "");
		await app.select(state.selected && (await app.store.find(state.selected.track, state.selected.from)));
		this.restoring = false;
	}
}
