// SPDX-License-Identifier: GPL-2.0-or-later
//
// Shows the tracks' names beside the lanes, as a tree: only those in view have elements.
import { el } from "./dom";
import { visible } from "./format";
import { path, type Meta, type Track } from "./meta";
import type { Row } from "./rows";

export class Names {
	private shown = new Map<number, { element: HTMLElement; key: string; y: number }>();

	constructor(
		private meta: Meta,
		private into: HTMLElement,
		private toggle: (id: number) => void,
		private colourOf: (track: Track) => string | undefined,
	) {}

	render(rows: Row[], top: number, selected: number | undefined): void {
		const seen = new Set<number>();
		for (const row of rows) {
			const id = row.track.id;
			seen.add(id);
			const colour = this.colourOf(row.track) ?? "";
			const key = `${row.open} ${row.height} ${selected === id} ${colour}`;
			let entry = this.shown.get(id);
			if (entry?.key !== key) {
				const focused = entry?.element.contains(document.activeElement);
				entry?.element.remove();
				entry = { element: this.make(row, colour, selected === id), key, y: NaN };
				this.shown.set(id, entry);
				this.into.append(entry.element);
				if (focused) entry.element.querySelector("button")?.focus();
			}
			if (entry.y !== row.y - top) entry.element.style.transform = `translateY(${(entry.y = row.y - top)}px)`;
		}
		for (const [id, { element }] of this.shown)
			if (!seen.has(id)) {
				element.remove();
				this.shown.delete(id);
			}
	}

	private make(row: Row, colour: string, selected: boolean): HTMLElement {
		const { track } = row;
		const name = visible(track.name);
		const element = el("div", { className: `name ${track.kind}`, title: path(this.meta, track.id).map(visible).join(" › ") });
		element.setAttribute("role", "treeitem");
		element.setAttribute("aria-level", String(row.depth + 1));
		if (row.depth === 0) element.classList.add("outermost");
		if (selected) element.classList.add("selected");
		element.style.height = `${row.height}px`;
		element.style.paddingLeft = `${10 + row.depth * 14}px`;
		if (row.parent) {
			element.setAttribute("aria-expanded", String(row.open));
			const button = el("button", { className: "fold", label: `${row.open ? "Collapse" : "Expand"} ${name}` });
			button.setAttribute("aria-expanded", String(row.open));
			element.append(button);
			element.addEventListener("click", () => this.toggle(track.id));
		} else {
			element.append(el("span", { className: "fold" }));
		}
		if (colour) {
			const dot = el("span", { className: "dot" });
			dot.style.background = colour;
			element.append(dot);
		}
		element.append(el("span", { className: "text" }, name));
		if (track.detail) element.append(el("span", { className: "more" }, visible(track.detail)));
		return element;
	}
}
