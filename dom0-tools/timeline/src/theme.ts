// SPDX-License-Identifier: GPL-2.0-or-later
//
// Holds the colours, light and dark. They are Okabe's and Ito's, which people with any kind of
// colour vision tell apart, a little darker on white and lighter on black. A domain has one colour
// wherever it is seen; vermilion is kept for waiting. Form says the same again: what runs fills its
// lane, what waits half of it, what is blocked or paused is a line.
import { inkOn, mix } from "./colour";
import type { Category, Hue } from "./meta";

export type Form = "full" | "half" | "line" | "hatched";

export interface Fill {
	colour: string;
	ink: string;
	form: Form;
	// Draws no attention: of what shares a pixel, anything else is seen.
	quiet: boolean;
}

export interface Theme {
	name: "light" | "dark";
	lane: string;
	band: string;
	ink: string;
	faint: string;
	grid: string;
	accent: string;
	cursor: string;
	hatch: string;
	loss: string;
	markers: [string, string];
	arrows: string[];
	domains: string[];
	hues: Record<Exclude<Hue, "domain" | "unknown">, string>;
}

export const LIGHT: Theme = {
	name: "light",
	lane: "#ffffff",
	band: "#f6f7f9",
	ink: "#1a2027",
	faint: "#5d6875",
	grid: "#e9ecf0",
	accent: "#1857b8",
	cursor: "#3a4552",
	hatch: "#8a94a0",
	loss: "#b3261e",
	markers: ["#1857b8", "#8a3ffc"],
	arrows: ["#1a2027", "#8a3ffc", "#9a6700", "#c2185b"],
	domains: ["#0072b2", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#b9a800", "#7b6fd0", "#6b7a3a"],
	hues: {
		running: "#0072b2",
		waiting: "#d55e00",
		blocked: "#b4bdc8",
		paused: "#5d6875",
		idle: "#dde2e8",
		irq: "#b07d00",
		softirq: "#d3a448",
		syscall: "#4a9fd4",
		request: "#3b4656",
		message: "#a23b72",
		exit: "#7d8794",
		hypercall: "#7b5fb8",
	},
};

export const DARK: Theme = {
	name: "dark",
	lane: "#14181e",
	band: "#191e26",
	ink: "#e7ebf0",
	faint: "#9aa5b1",
	grid: "#232a33",
	accent: "#6ea8ff",
	cursor: "#c3ccd6",
	hatch: "#6c7784",
	loss: "#ff8a80",
	markers: ["#6ea8ff", "#c7a4ff"],
	arrows: ["#e7ebf0", "#c7a4ff", "#f0b849", "#ff8fb8"],
	domains: ["#2f8fd0", "#12b886", "#dc8fbb", "#7cc8f4", "#f0b030", "#e8dc4a", "#9d93e8", "#9aab5c"],
	hues: {
		running: "#2f8fd0",
		waiting: "#f0701c",
		blocked: "#4a5563",
		paused: "#a3adb9",
		idle: "#2c343f",
		irq: "#d9a21b",
		softirq: "#9c7426",
		syscall: "#6cb8e6",
		request: "#c5cedb",
		message: "#f08cc0",
		exit: "#76818f",
		hypercall: "#a58be0",
	},
};

const FORMS: Partial<Record<Hue, Form>> = { waiting: "half", blocked: "line", paused: "line", idle: "line", unknown: "hatched" };

// A colour for any number of domains: beyond those of the palette, lighter and darker ones.
export function domainColour(theme: Theme, index: number): string {
	const palette = theme.domains;
	const colour = palette[Math.abs(index) % palette.length]!;
	const round = Math.floor(Math.abs(index) / palette.length) % 3;
	return round === 0 ? colour : mix(colour, round === 1 ? theme.ink : theme.lane, 0.35);
}

export function fillOf(theme: Theme, category: Category | undefined): Fill {
	const hue = category?.hue ?? "unknown";
	const index = category?.index ?? -1;
	const form = FORMS[hue] ?? "full";
	let colour = theme.hatch;
	if (hue === "domain" || (hue === "running" && index >= 0)) colour = domainColour(theme, index);
	else if (hue !== "unknown") colour = theme.hues[hue] ?? theme.hatch;
	return { colour, ink: form === "full" ? inkOn(colour) : theme.ink, form, quiet: hue === "blocked" || hue === "paused" || hue === "idle" };
}

// The fill at a part of its strength, for a pixel of which it takes only that part.
export function shade(theme: Theme, colour: string, part: number): string {
	return mix(theme.lane, colour, part);
}

