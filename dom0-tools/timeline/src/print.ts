// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prepares the page for paper: light, all lanes at their full height, twice the pixels.
import type { App } from "./app";
import { byId } from "./dom";

const TALLEST = 4000; // pixels: more than browsers draw at twice the size

export function printable(app: App): void {
	const paper = (on: boolean) => {
		if (app.printing === on) return;
		app.printing = on;
		document.documentElement.classList.toggle("printing", on);
		byId("stage").style.height = on ? `${Math.min(app.rows.height, TALLEST)}px` : "";
		app.setTheme(app.choice);
		app.flush();
	};
	window.addEventListener("beforeprint", () => paper(true));
	window.addEventListener("afterprint", () => paper(false));
	matchMedia("print").addEventListener("change", (event) => paper(event.matches));
}
