// SPDX-License-Identifier: GPL-2.0-or-later
//
// Divides the view into round steps, and draws the ruler above the lanes.
import { time } from "./format";
import type { Theme } from "./theme";
import type { View } from "./view";

export interface Ticks {
	step: number;
	times: number[];
	// Labels say the time since this one, where full seconds would be too long.
	origin: number;
	label: (at: number) => string;
}

const UNITS: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

export function ticksOf(view: View, width: number): Ticks {
	const least = (view.span / width) * 110;
	const power = 10 ** Math.floor(Math.log10(least));
	const step = Math.max([1, 2, 5, 10].map((n) => n * power).find((s) => s >= least)!, 1);
	const times: number[] = [];
	for (let i = Math.ceil(view.from / step); i * step <= view.to; i++) times.push(i * step);
	if (step >= 1e6) {
		const digits = Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9));
		return { step, times, origin: 0, label: (at) => `${(at / 1e9).toFixed(digits)} s` };
	}
	const [unit, name] = UNITS.find(([u]) => step >= u)!;
	const base = unit * 1000;
	const origin = Math.max(Math.floor(view.from / base) * base, 0);
	return { step, times, origin, label: (at) => `+${Math.round((at - origin) / unit)} ${name}` };
}

export function originText(ticks: Ticks): string {
	return ticks.origin > 0 ? time(ticks.origin) : "";
}

export function drawRuler(g: CanvasRenderingContext2D, view: View, ticks: Ticks, width: number, height: number, scale: number, theme: Theme): void {
	g.setTransform(scale, 0, 0, scale, 0, 0);
	g.clearRect(0, 0, width, height);
	g.font = "11px Inter, system-ui, \"Segoe UI\", Roboto, sans-serif";
	g.textBaseline = "middle";
	const x = (at: number) => ((at - view.from) / view.span) * width;
	g.fillStyle = theme.faint;
	const fine = ticks.step / (/^5/.test(String(ticks.step)) ? 5 : 10);
	g.globalAlpha = 0.45;
	if (fine >= 0.999)
		for (let i = Math.ceil(view.from / fine); i * fine <= view.to; i++) g.fillRect(Math.round(x(i * fine)), height - 4, 1, 4);
	g.globalAlpha = 1;
	for (const at of ticks.times) {
		const left = Math.round(x(at));
		g.fillRect(left, height - 9, 1, 9);
		const label = ticks.label(at);
		// Half a number would be another number.
		if (left + 5 + g.measureText(label).width <= width) g.fillText(label, left + 5, height / 2 - 2);
	}
}
