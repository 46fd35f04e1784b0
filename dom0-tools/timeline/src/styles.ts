// SPDX-License-Identifier: GPL-2.0-or-later
//
// Chooses the theme (the system's, or the user's own), and prepares what is drawn with it: fills of
// categories in shades, hatchings.
import { inkOn } from "./colour";
import type { Meta } from "./meta";
import { pixelOf } from "./raster";
import { DARK, fillOf, LIGHT, shade, type Fill, type Theme } from "./theme";

export const SHADES = 8;

export interface Styles {
	theme: Theme;
	// Of each category; behind them, of what runs in each domain.
	fills: Fill[];
	// Which of them a category is on a track of that domain.
	runsIn: (domain: string) => number;
	running: Uint8Array;
	quiet: Uint8Array;
	// Of each category, its colour from faint to full, as pixels; and when something else is looked for.
	pixels: Uint32Array[];
	faded: Uint32Array[];
	// For a name on a fill at its full height.
	hitInk: string[];
	unknown: CanvasPattern | string;
	loss: CanvasPattern | string;
}

export type Choice = "auto" | "light" | "dark";

const system = matchMedia("(prefers-color-scheme: dark)");

export function themeOf(choice: Choice): Theme {
	return choice === "dark" || (choice === "auto" && system.matches) ? DARK : LIGHT;
}

export function onSystemChange(changed: () => void): void {
	system.addEventListener("change", changed);
}

// Lines that rise to the right, or fall.
function hatching(colour: string, ground: string | undefined, scale: number, falls: boolean): CanvasPattern | string {
	const size = Math.round(6 * scale);
	const canvas = document.createElement("canvas");
	canvas.width = canvas.height = size;
	const g = canvas.getContext("2d")!;
	if (ground) {
		g.fillStyle = ground;
		g.fillRect(0, 0, size, size);
	}
	g.strokeStyle = colour;
	g.lineWidth = 1.25 * scale;
	g.beginPath();
	for (const shift of [-size, 0, size]) {
		g.moveTo(shift, falls ? 0 : size);
		g.lineTo(shift + size, falls ? size : 0);
	}
	g.stroke();
	return g.createPattern(canvas, "repeat") ?? colour;
}

function shades(theme: Theme, fill: Fill, least: number, most: number): Uint32Array {
	return Uint32Array.from({ length: SHADES + 1 }, (_, i) => pixelOf(shade(theme, fill.colour, least + ((most - least) * i) / SHADES)));
}

// The domains that have a colour, each with the colour's number.
export function domainsOf(meta: Meta): Map<string, number> {
	const known = new Set(meta.tracks.map((t) => t.domain));
	const domains = new Map<string, number>();
	for (const c of meta.categories) if (c?.hue === "domain" && known.has(c.name)) domains.set(c.name, c.index);
	return domains;
}

export function stylesOf(meta: Meta, theme: Theme, scale: number): Styles {
	const fills = Array.from(meta.categories, (category) => fillOf(theme, category));
	const domains = domainsOf(meta);
	const runs = new Map<string, number>();
	for (const [domain, index] of domains) runs.set(domain, fills.push(fillOf(theme, { key: "", name: "", hue: "domain", index })) - 1);
	return {
		theme,
		fills,
		runsIn: (domain) => runs.get(domain) ?? -1,
		quiet: Uint8Array.from(fills, (fill) => (fill.quiet ? 1 : 0)),
		running: Uint8Array.from(fills, (_, i) => (meta.categories[i]?.hue === "running" ? 1 : 0)),
		pixels: fills.map((fill) => shades(theme, fill, 0.3, 1)),
		faded: fills.map((fill) => shades(theme, fill, 0.12, 0.28)),
		hitInk: fills.map((fill) => inkOn(fill.colour)),
		unknown: hatching(theme.hatch, theme.band, scale, false),
		loss: hatching(theme.loss, undefined, scale, true),
	};
}
