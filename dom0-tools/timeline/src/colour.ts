// SPDX-License-Identifier: GPL-2.0-or-later
//
// Computes with colours: contrast as WCAG 2 defines it, mixing, and a label's colour on a fill.

export type Rgb = [number, number, number];

export function parse(hex: string): Rgb {
	const n = parseInt(hex.slice(1), 16);
	return [n >> 16, (n >> 8) & 255, n & 255];
}

export function hex([r, g, b]: Rgb): string {
	return `#${((1 << 24) | (Math.round(r) << 16) | (Math.round(g) << 8) | Math.round(b)).toString(16).slice(1)}`;
}

export function mix(a: string, b: string, part: number): string {
	const [x, y] = [parse(a), parse(b)];
	return hex(x.map((v, i) => v + (y[i]! - v) * part) as Rgb);
}

export function luminance(colour: string): number {
	const [r, g, b] = parse(colour).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
	return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

export function contrast(a: string, b: string): number {
	const [x, y] = [luminance(a), luminance(b)];
	return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const DARK = "#10141a";
const LIGHT = "#ffffff";

// The colour in which text on this fill is read best.
export function inkOn(fill: string): string {
	return contrast(fill, DARK) >= contrast(fill, LIGHT) ? DARK : LIGHT;
}
