// SPDX-License-Identifier: GPL-2.0-or-later
//
// The search field: runs the search while one writes, steps from match to match, lists the longest.
import { byId, el } from "./dom";
import { duration, integer, time, visible } from "./format";
import { path, type Meta } from "./meta";
import { search, type Hit, type Results } from "./search";
import type { Store } from "./store";

const LISTED = 100;

export class SearchBox {
	results: Results | undefined;
	private input = byId<HTMLInputElement>("query");
	private output = byId<HTMLOutputElement>("match-count");
	private list = byId("found");
	private section = byId("found-part");
	private run = 0;
	private timer = 0;

	constructor(
		private meta: Meta,
		private store: Store,
		private place: () => { at: number; track: number },
		private choose: (hit: Hit, fit: boolean) => void,
		private changed: () => void,
	) {
		this.input.addEventListener("input", () => {
			clearTimeout(this.timer);
			this.timer = setTimeout(() => void this.start(this.input.value), 180);
		});
		this.input.addEventListener("keydown", (event) => {
			if (event.key === "Enter") {
				event.preventDefault();
				const forward = !event.shiftKey;
				const ready = this.results?.text === this.input.value && this.results.done ? Promise.resolve() : this.start(this.input.value);
				void ready.then(() => this.step(forward));
			} else if (event.key === "Escape") {
				this.clear();
				this.input.blur();
			}
		});
		byId("previous").addEventListener("click", () => this.step(false));
		byId("next").addEventListener("click", () => this.step(true));
		byId("search").addEventListener("submit", (event) => event.preventDefault());
	}

	get text(): string {
		return this.input.value.trim();
	}

	focus(): void {
		this.input.focus();
		this.input.select();
	}

	clear(): void {
		this.input.value = "";
		void this.start("");
	}

	async start(text: string): Promise<void> {
		clearTimeout(this.timer);
		const run = ++this.run;
		if (this.input.value !== text) this.input.value = text;
		this.results = undefined;
		this.show();
		const results = await search(this.meta, this.store, text, (so_far) => {
			if (run === this.run) this.output.textContent = `${integer(so_far.hits.length)}…`;
			return run === this.run;
		});
		if (run !== this.run) return;
		this.results = results;
		this.show();
	}

	step(forward: boolean): void {
		const { at, track } = this.place();
		const hit = this.results?.step(at, track, forward);
		if (hit) this.choose(hit, false);
		this.count(hit);
	}

	private count(current?: Hit): void {
		const results = this.results;
		const number = results?.hits.length ?? 0;
		const place = current && results ? results.hits.indexOf(current) + 1 : 0;
		this.output.textContent = !results ? "" : place ? `${integer(place)} of ${integer(number)}` : number === 0 ? "none" : `${integer(number)}${results.more ? "+" : ""}`;
		this.output.classList.toggle("none", results !== undefined && number === 0);
	}

	private show(): void {
		this.count();
		const results = this.results;
		this.section.hidden = !results;
		for (const id of ["previous", "next"]) byId<HTMLButtonElement>(id).disabled = !results?.hits.length;
		if (results) {
			const longest = [...results.hits].sort((x, y) => y.length - x.length).slice(0, LISTED);
			const items = longest.map((hit) => {
				const where = path(this.meta, hit.track).slice(-2).map(visible).join(" › ");
				const name = visible(hit.message ?? this.meta.strings[hit.name] ?? "");
				const button = el("button", {}, el("b", {}, hit.message === undefined ? duration(hit.length) : time(hit.from)), el("span", {}, `${name} · ${where}`));
				button.addEventListener("click", () => {
					this.choose(hit, true);
					this.count(hit);
				});
				return el("li", {}, button);
			});
			const rest = results.hits.length - longest.length;
			this.list.replaceChildren(
				items.length ? el("ol", { className: "instances" }, ...items) : el("p", { className: "empty" }, "No span matches."),
				...(rest > 0 ? [el("p", { className: "hint" }, `and ${integer(rest)}${results.more ? " or more" : ""} shorter`)] : []),
			);
		}
		this.changed();
	}
}
