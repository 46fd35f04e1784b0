// SPDX-License-Identifier: GPL-2.0-or-later
//
// Knows which part of the recording is seen, and moves it: at once, or gliding towards a target.

const SHORTEST = 20; // ns in the whole view: some 60 pixels for one
const GLIDE = 0.32; // of what is left, each 16 ms

export class View {
	from: number;
	span: number;
	private targetFrom: number;
	private targetSpan: number;
	private still = matchMedia("(prefers-reduced-motion: reduce)");

	constructor(readonly length: number) {
		this.from = this.targetFrom = 0;
		this.span = this.targetSpan = length;
		this.fitAll(false);
	}

	get to(): number {
		return this.from + this.span;
	}

	get moving(): boolean {
		return this.from !== this.targetFrom || this.span !== this.targetSpan;
	}

	// Where the view ends up.
	get target(): { from: number; to: number } {
		return { from: this.targetFrom, to: this.targetFrom + this.targetSpan };
	}

	show(from: number, to: number, glide = true): void {
		this.targetSpan = Math.min(Math.max(to - from, SHORTEST), this.length * 1.1);
		const middle = Math.min(Math.max((from + to) / 2, 0), this.length);
		this.targetFrom = middle - this.targetSpan / 2;
		if (!glide || this.still.matches) this.arrive();
	}

	// A little more than [from, to], so that its ends are seen.
	fit(from: number, to: number, glide = true): void {
		const edge = Math.max((to - from) * 0.15, SHORTEST / 4);
		this.show(from - edge, to + edge, glide);
	}

	fitAll(glide = true): void {
		this.show(-this.length * 0.005, this.length * 1.005, glide);
	}

	// `factor` > 1 shows less. `part`, of the width, stays where it is.
	zoom(factor: number, part: number, glide: boolean): void {
		const { from, to } = this.target;
		const at = from + (to - from) * part;
		const span = Math.min(Math.max((to - from) / factor, SHORTEST), this.length * 1.1);
		this.show(at - span * part, at - span * part + span, glide);
	}

	// By a part of the width.
	pan(part: number, glide: boolean): void {
		const { from, to } = this.target;
		this.show(from + (to - from) * part, to + (to - from) * part, glide);
	}

	// Brings `from` to `to` into the view, with as little change as that takes.
	reveal(from: number, to: number): void {
		const view = this.target;
		const span = view.to - view.from;
		if (to - from > span || to - from < span / 400) this.fit(from, Math.max(to, from + 1));
		else if (from < view.from || to > view.to) this.show((from + to - span) / 2, (from + to + span) / 2);
	}

	// One frame further; `elapsed` in ms.
	glide(elapsed: number): void {
		if (!this.moving) return;
		const part = 1 - (1 - GLIDE) ** (Math.min(elapsed, 100) / 16.7);
		const near = Math.abs(this.targetFrom - this.from) < this.targetSpan * 5e-4 && Math.abs(this.targetSpan / this.span - 1) < 1e-3;
		if (near) return this.arrive();
		const span = this.span * (this.targetSpan / this.span) ** part;
		// The point that both views have at the same place stays there: zooming does not sway.
		const change = this.targetSpan - this.span;
		const done = Math.abs(change) > this.targetSpan * 1e-6 ? (span - this.span) / change : part;
		this.from += (this.targetFrom - this.from) * done;
		this.span = span;
	}

	arrive(): void {
		this.from = this.targetFrom;
		this.span = this.targetSpan;
	}
}
