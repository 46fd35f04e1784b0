// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws what lies over the lanes: arrows, the selected span, markers, the cursor with its clock's bound.
import type { Arrow, Span } from "./decode";
import type { Loss } from "./meta";
import type { Markers } from "./markers";
import type { Row, Rows } from "./rows";
import type { Styles } from "./styles";
import type { Theme } from "./theme";
import type { View } from "./view";

// In pixels of CSS.
export interface Pane {
	g: CanvasRenderingContext2D;
	view: View;
	rows: Rows;
	top: number; // what is scrolled away
	width: number;
	height: number;
	theme: Theme;
}

export function xOf(pane: { view: View; width: number }, at: number): number {
	return ((at - pane.view.from) / pane.view.span) * pane.width;
}

function centre(pane: Pane, row: Row): number {
	return row.y + row.height / 2 - pane.top;
}

export interface DrawnArrow {
	x0: number;
	y0: number;
	x1: number;
	y1: number;
	kind: number;
	dashed: boolean;
}

export function drawArrows(pane: Pane, arrows: Iterable<Arrow>, strong: boolean): DrawnArrow[] {
	const { g, theme } = pane;
	const drawn: DrawnArrow[] = [];
	for (const arrow of arrows) {
		const from = pane.rows.rowOf(arrow.fromTrack);
		const to = pane.rows.rowOf(arrow.toTrack);
		if (!from || !to) continue;
		const [x0, x1] = [xOf(pane, arrow.from), xOf(pane, arrow.to)];
		if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > pane.width + 50) continue;
		const [y0, y1] = [centre(pane, from), centre(pane, to)];
		const down = y1 > y0 ? 1 : y1 < y0 ? -1 : 0;
		const [start, end] = [y0 + (down * from.height) / 2.6, y1 - (down * to.height) / 2.6];
		const bend = Math.max(Math.min(Math.abs(end - start) * 0.5, 60), 12);
		g.strokeStyle = g.fillStyle = theme.arrows[arrow.kind] ?? theme.ink;
		g.globalAlpha = strong ? 1 : 0.55;
		g.lineWidth = strong ? 1.75 : 1.1;
		g.setLineDash(arrow.ordered ? [] : [4, 3]);
		g.beginPath();
		g.moveTo(x0, start);
		if (down === 0) g.bezierCurveTo(x0, start - 18, x1, end - 18, x1, end - 2);
		else g.bezierCurveTo(x0, start + down * bend, x1, end - down * bend, x1, end);
		g.stroke();
		g.setLineDash([]);
		const points = down === 0 ? 1 : down;
		const tip = down === 0 ? end - 1 : end;
		g.beginPath();
		g.moveTo(x1, tip);
		g.lineTo(x1 - 3.5, tip - points * 6.5);
		g.lineTo(x1 + 3.5, tip - points * 6.5);
		g.fill();
		g.beginPath();
		g.arc(x0, start, strong ? 2.5 : 2, 0, 7);
		g.fill();
		drawn.push({ x0, y0: start, x1, y1: end, kind: arrow.kind, dashed: !arrow.ordered });
	}
	g.globalAlpha = 1;
	return drawn;
}

export function drawOutline(pane: Pane, span: Span, colour: string, thick: number): void {
	const row = pane.rows.rowOf(span.track);
	if (!row) return;
	const x0 = Math.max(xOf(pane, span.from), -10);
	const x1 = Math.min(xOf(pane, span.from + span.length), pane.width + 10);
	if (x1 < -9 || x0 > pane.width + 9) return;
	const { g, theme } = pane;
	const [y, height] = [row.y - pane.top + 1.5, row.height - 3];
	const width = Math.max(x1 - x0, 3);
	g.strokeStyle = theme.lane;
	g.lineWidth = thick + 2;
	g.strokeRect(x0 - 0.5, y, width + 1, height);
	g.strokeStyle = colour;
	g.lineWidth = thick;
	g.strokeRect(x0 - 0.5, y, width + 1, height);
}

function flag(pane: Pane, x: number, text: string, colour: string): void {
	const { g, theme } = pane;
	g.font = "600 11px Inter, system-ui, sans-serif";
	g.textBaseline = "middle";
	const width = g.measureText(text).width + 10;
	const left = Math.min(Math.max(x - width / 2, 0), pane.width - width);
	g.fillStyle = colour;
	g.beginPath();
	g.roundRect(left, 2, width, 17, 4);
	g.fill();
	g.fillStyle = theme.lane;
	g.fillText(text, left + 5, 11);
}

export function drawMarkers(pane: Pane, markers: Markers): void {
	const { g, theme, height } = pane;
	const list = markers.list();
	if (list.length === 2) {
		const [x0, x1] = list.map(([, m]) => xOf(pane, m.at)).sort((p, q) => p - q) as [number, number];
		g.fillStyle = theme.markers[0];
		g.globalAlpha = 0.08;
		g.fillRect(x0, 0, x1 - x0, height);
		g.globalAlpha = 1;
		const text = markers.text;
		g.font = "600 11px Inter, system-ui, sans-serif";
		const [left, right] = [Math.max(x0, 0), Math.min(x1, pane.width)];
		g.fillStyle = theme.markers[0];
		g.fillRect(left, 10, right - left, 1.5);
		if (right > 0 && left < pane.width) flag(pane, (left + right) / 2, text, theme.markers[0]);
	}
	for (const [name, marker] of list) {
		const x = xOf(pane, marker.at);
		if (x < -20 || x > pane.width + 20) continue;
		g.fillStyle = theme.markers[name === "A" ? 0 : 1];
		g.fillRect(Math.round(x) - 0.75, 0, 1.5, height);
		const crowded = list.length === 2 && Math.abs(xOf(pane, list[0]![1].at) - xOf(pane, list[1]![1].at)) < 220;
		flag(pane, crowded ? x + (name === (list[0]![1].at <= list[1]![1].at ? "A" : "B") ? -90 : 90) : x, name, theme.markers[name === "A" ? 0 : 1]);
	}
}

// The cursor, and around it how far its clock may be off.
export function drawCursor(pane: Pane, at: number, bound: number | undefined): number {
	const { g, theme, height } = pane;
	const x = xOf(pane, at);
	const half = bound === undefined ? 0 : (bound / pane.view.span) * pane.width;
	if (half >= 0.75) {
		g.fillStyle = theme.accent;
		g.globalAlpha = 0.16;
		g.fillRect(x - half, 0, 2 * half, height);
		g.globalAlpha = 0.7;
		g.fillRect(x - half, 0, 1, height);
		g.fillRect(x + half - 1, 0, 1, height);
		g.globalAlpha = 1;
	}
	g.fillStyle = theme.cursor;
	g.fillRect(Math.round(x), 0, 1, height);
	return half;
}

// Lost events, over the lanes of their track and of all below it. In pixels of the device.
export function drawLosses(g: CanvasRenderingContext2D, losses: Loss[], rows: Row[], isBelow: (track: number, above: number) => boolean, view: View, top: number, width: number, scale: number, styles: Styles): number {
	let drawn = 0;
	for (const loss of losses) {
		if (loss.to < view.from || loss.from > view.to) continue;
		const x0 = ((loss.from - view.from) / view.span) * width;
		const x1 = ((loss.to - view.from) / view.span) * width;
		const left = Math.max(Math.floor(x0), 0);
		const right = Math.min(Math.max(Math.ceil(x1), left + Math.ceil(3 * scale)), width);
		for (const row of rows) {
			if (row.track.id !== loss.track && !isBelow(row.track.id, loss.track)) continue;
			const y = Math.round((row.y - top) * scale);
			g.fillStyle = styles.loss;
			g.fillRect(left, y + scale, right - left, Math.round(row.height * scale) - 2 * scale);
			drawn++;
		}
	}
	return drawn;
}
