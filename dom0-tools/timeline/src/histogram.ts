// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shows how long requests took, as bars on a logarithmic scale; a bar leads to its instances. Before one is chosen,
// the slowest of all are listed.
import { el } from "./dom";
import { duration, integer, shortDuration, visible } from "./format";
import type { Bar, Histogram } from "./meta";

export type Choose = (track: number, from: number) => void;

const HEIGHT = 84;
const SLOWEST = 5;

export class HistogramPanel {
	private shown = 0;
	private chosen: Bar | undefined;

	constructor(
		private histograms: Histogram[],
		private into: HTMLElement,
		private whereOf: (track: number) => string,
		private choose: Choose,
	) {
		this.render();
	}

	private render(): void {
		const histogram = this.histograms[this.shown];
		if (!histogram) {
			this.into.replaceChildren(el("p", { className: "empty" }, "This recording has no requests. Name an application's events *_begin and *_end, or give --request BEGIN,END,KEY."));
			return;
		}
		this.into.replaceChildren(this.choice(), this.bars(histogram), this.chosen ? this.instances(this.chosen) : this.slowest(histogram));
	}

	private choice(): HTMLElement {
		if (this.histograms.length === 1) return el("p", { className: "what" }, visible(this.histograms[0]!.name));
		const select = el("select", { label: "Which latencies" });
		this.histograms.forEach((h, i) => select.append(el("option", { value: String(i), selected: i === this.shown }, visible(h.name))));
		select.addEventListener("change", () => {
			this.shown = Number(select.value);
			this.chosen = undefined;
			this.render();
		});
		return select;
	}

	private bars(histogram: Histogram): HTMLElement {
		const all = filled(histogram.bars);
		const most = Math.max(...all.map((bar) => bar.count), 1);
		const row = el("div", { className: "bars" });
		row.setAttribute("role", "group");
		for (const bar of all) {
			const text = `${integer(bar.count)} between ${shortDuration(bar.from)} and ${shortDuration(bar.to)}`;
			const button = el("button", { className: bar === this.chosen ? "bar chosen" : "bar", title: text, label: text, disabled: bar.count === 0 });
			const inner = el("span", {});
			// The rare and slow ones are what one looks for: also the count is logarithmic.
			inner.style.height = bar.count ? `${Math.max((Math.log1p(bar.count) / Math.log1p(most)) * HEIGHT, 4)}px` : "0";
			button.append(inner);
			button.addEventListener("click", () => {
				this.chosen = bar;
				this.render();
				this.into.querySelector<HTMLElement>(".instances button")?.focus();
			});
			row.append(button);
		}
		const total = all.reduce((sum, bar) => sum + bar.count, 0);
		const axis = el("div", { className: "axis" }, el("span", {}, shortDuration(all[0]?.from ?? 0)), el("span", {}, `${integer(total)} in all, log scales`), el("span", {}, shortDuration(all[all.length - 1]?.to ?? 0)));
		return el("div", { className: "histogram" }, row, axis);
	}

	private list(instances: Bar["instances"]): HTMLElement {
		const list = el("ol", { className: "instances" });
		for (const [track, from, length] of instances) {
			const button = el("button", {}, el("b", {}, duration(length)), el("span", {}, this.whereOf(track)));
			button.addEventListener("click", () => this.choose(track, from));
			list.append(el("li", {}, button));
		}
		return list;
	}

	private instances(bar: Bar): HTMLElement {
		const rest = bar.count - bar.instances.length;
		const title = el("h3", {}, `${shortDuration(bar.from)} to ${shortDuration(bar.to)}`);
		return el("div", {}, title, this.list(longestFirst(bar.instances)), rest > 0 && el("p", { className: "hint" }, `and ${integer(rest)} more`));
	}

	// The last bars have them: those of a bar are all longer than those of the bars before it.
	private slowest(histogram: Histogram): HTMLElement {
		const found: Bar["instances"] = [];
		for (const bar of [...histogram.bars].sort((x, y) => y.from - x.from)) {
			if (found.length < SLOWEST) found.push(...longestFirst(bar.instances).slice(0, SLOWEST - found.length));
		}
		return el("div", {}, el("h3", {}, "The slowest"), this.list(found), el("p", { className: "hint" }, "A bar lists its instances."));
	}
}

function longestFirst(instances: Bar["instances"]): Bar["instances"] {
	return [...instances].sort((x, y) => y[2] - x[2]);
}

// With bars of no height where nothing fell between two.
function filled(bars: Bar[]): Bar[] {
	const sorted = [...bars].sort((x, y) => x.from - y.from);
	const all: Bar[] = [];
	for (const bar of sorted) {
		let last = all[all.length - 1];
		while (last && last.to < bar.from * 0.999 && last.to > last.from && all.length < 200) {
			const ratio = last.from > 0 ? Math.max(last.to / last.from, 1.05) : 2;
			last = { from: last.to, to: Math.min(last.to * ratio, bar.from), count: 0, instances: [] };
			if (bar.from - last.to < (last.to - last.from) * 0.01) last.to = bar.from;
			all.push(last);
		}
		all.push(bar);
	}
	return all;
}
