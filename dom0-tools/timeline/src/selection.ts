// SPDX-License-Identifier: GPL-2.0-or-later
//
// The selected span: fetches its arrows and why it took so long, and shows them in the panel.
import type { Arrow, Span } from "./decode";
import { details, type Actions, type Why } from "./details";
import { byId } from "./dom";
import { visible } from "./format";
import type { Meta } from "./meta";
import type { Provider } from "./provider";
import type { Store } from "./store";

export class Selection {
	span: Span | undefined;
	arrows: Arrow[] = [];
	why: Why = { text: undefined, loading: false };
	private turn = 0;
	private into = byId("selected");
	private section = byId("selected-part");

	constructor(
		private meta: Meta,
		private store: Store,
		private provider: Provider,
		private actions: Actions,
		private changed: () => void,
	) {}

	// Resolves when all that belongs to it is shown.
	async select(span: Span | undefined): Promise<void> {
		const turn = ++this.turn;
		const single = span !== undefined && span.count <= 1;
		this.span = span;
		this.arrows = [];
		this.why = { text: undefined, loading: single && this.meta.answers };
		this.show();
		if (!single) return;
		const end = span.from + span.length;
		const arrows = await this.store.arrowsIn(span.from, end);
		if (turn !== this.turn) return;
		const inside = (at: number) => at >= span.from && at <= end;
		this.arrows = arrows.filter((a) => (a.fromTrack === span.track && inside(a.from)) || (a.toTrack === span.track && inside(a.to)));
		this.show();
		const text = await this.provider.why(span.track, span.from).catch((error: Error) => `No answer: ${error.message}`);
		if (turn !== this.turn) return;
		this.why = { text, loading: false };
		this.show();
	}

	private show(): void {
		this.section.hidden = this.span === undefined;
		if (this.span) this.into.replaceChildren(...details(this.meta, this.span, this.arrows, this.why, this.actions));
		byId("said").textContent = this.span ? `Selected: ${visible(this.meta.strings[this.span.name] ?? "")}` : "";
		this.changed();
	}
}
