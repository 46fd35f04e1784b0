// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes names into spans, cut where they do not fit.

// In pixels of the device.
export interface Label {
	text: string;
	x0: number;
	x1: number;
	top: number;
	bottom: number;
	ink: string;
	// Behind the text, where what it stands on is not of one colour.
	ground: string | undefined;
}

export const FONT = 'Inter, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const SMALL = 9.5;
const USUAL = 11;
const MOST_KNOWN = 20000;

const widths = new Map<string, number>();

export function drawLabels(g: CanvasRenderingContext2D, labels: Label[], scale: number): void {
	g.textBaseline = "middle";
	for (const [size, low] of [[USUAL, 14], [SMALL, 0]] as const) {
		g.font = `500 ${size * scale}px ${FONT}`;
		for (const label of labels) {
			const height = (label.bottom - label.top) / scale;
			if (size === USUAL ? height < low : height >= 14) continue;
			const text = fitted(g, label.text, label.x1 - label.x0 - 9 * scale);
			if (!text) continue;
			if (label.ground) {
				g.fillStyle = label.ground;
				g.fillRect(label.x0 + 2 * scale, label.top + 2 * scale, measured(g, text) + 6 * scale, label.bottom - label.top - 4 * scale);
			}
			g.fillStyle = label.ink;
			g.fillText(text, label.x0 + 5 * scale, (label.top + label.bottom) / 2 + 0.5 * scale);
		}
	}
}

function measured(g: CanvasRenderingContext2D, text: string): number {
	const key = g.font + text;
	let width = widths.get(key);
	if (width === undefined) {
		if (widths.size > MOST_KNOWN) widths.clear();
		width = g.measureText(text).width;
		widths.set(key, width);
	}
	return width;
}

// The text, or as much of it as there is room for; "" if that says nothing.
function fitted(g: CanvasRenderingContext2D, text: string, room: number): string {
	const width = measured(g, text);
	if (width <= room) return text;
	const letters = Math.floor((text.length * (room - measured(g, "…"))) / width);
	return letters >= 3 ? `${text.slice(0, letters)}…` : "";
}
