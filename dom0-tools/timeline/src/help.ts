// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lists the keys and what the mouse does, over the page.
import { el } from "./dom";

const KEYS: [title: string, keys: [keys: string, does: string][]][] = [
	["Move", [
		["Wheel", "zoom at the pointer"],
		["Drag", "move; on the strip above: choose what is seen"],
		["Shift + wheel", "move in time"],
		["W  S  or  +  −", "zoom in, out"],
		["A  D  or  ←  →", "move in time"],
		["↑  ↓", "scroll the lanes; so does the wheel over their names"],
		["F", "fit the selected span, or the markers"],
		["0", "the whole recording"],
	]],
	["Ask", [
		["Click", "details of a span, why it took so long, its arrows"],
		["Double click", "fit a span"],
		[",  .", "previous, next span of that lane"],
		["Esc", "select nothing; end the search"],
		["O", "arrows of all spans, or of the selected one"],
	]],
	["Measure", [
		["Shift + drag", "put both markers"],
		["M", "put a marker at the pointer"],
		["Shift + M", "remove the markers"],
	]],
	["Search", [
		["/", "search: wait, g1 >10ms, domain:g2 <5us, process:sshd, message:timeout, \"a b\", -not"],
		["N  P", "next, previous match (also Enter, Shift + Enter)"],
	]],
	["Page", [
		["T", "light, dark"],
		["Ctrl + P", "print what is seen"],
		["?", "this list"],
	]],
];

export function helpContent(): HTMLElement {
	const groups = KEYS.map(([title, keys]) => {
		const list = el("dl", {});
		for (const [names, does] of keys) {
			const term = el("dt", {});
			for (const name of names.split("  ")) term.append(name === "or" ? el("span", {}, " or ") : el("kbd", {}, name));
			list.append(term, el("dd", {}, does));
		}
		return el("section", {}, el("h3", {}, title), list);
	});
	return el("div", { className: "keys" }, ...groups);
}

export class Help {
	constructor(private dialog: HTMLDialogElement) {
		dialog.querySelector(".content")!.replaceChildren(helpContent());
		dialog.addEventListener("click", (event) => {
			if (event.target === dialog) dialog.close();
		});
		dialog.querySelector("button")!.addEventListener("click", () => dialog.close());
	}

	toggle(): void {
		if (this.dialog.open) this.dialog.close();
		else this.dialog.showModal();
	}
}
