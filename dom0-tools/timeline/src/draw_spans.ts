// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws the spans of one track. What is wider than two pixels has its own place; what is narrower
// shares pixels: each shows the state with most time in it, the stronger the more of the pixel
// that takes. So a track costs one rectangle a pixel at most, however many spans it has.
import { firstAt, type SpanChunk } from "./decode";
import type { Label } from "./labels";
import type { Track } from "./meta";
import type { Lane } from "./raster";
import type { Hit } from "./search";
import { SHADES, type Styles } from "./styles";
import type { View } from "./view";

// All in pixels of the device.
export interface Surface {
	width: number;
	scale: number; // of the device's pixels to those of CSS
	view: View;
	styles: Styles;
	chunks: SpanChunk[];
	name: (name: number) => string;
}

// A part of a lane whose state nobody knows: hatched when the lanes are there.
export interface Hatch {
	x0: number;
	x1: number;
	top: number;
	bottom: number;
}

// Where a lane goes, and what is written over it.
export interface Place {
	lane: Lane;
	top: number;
	bottom: number;
	faded: boolean; // what was searched for is drawn over it
	labels: Label[] | undefined;
	hatches: Hatch[];
}

// What was drawn, for those who check it.
export interface Drawn {
	track: number;
	x0: number;
	x1: number;
	category: number;
	// -1: a pixel that several spans share
	name: number;
	part: number;
}

let recorded: Drawn[] | undefined;

export function record(into: Drawn[] | undefined): void {
	recorded = into;
}

// Of each pixel: the category that leads, by how much time, and how much time is taken in all.
let leader = new Int32Array(0);
let lead = new Float64Array(0);
let taken = new Float64Array(0);

function clear(width: number): void {
	if (leader.length < width) {
		leader = new Int32Array(width);
		lead = new Float64Array(width);
		taken = new Float64Array(width);
	}
	leader.fill(-1, 0, width);
	taken.fill(0, 0, width);
}

function paint(s: Surface, place: Place, x0: number, x1: number, look: number, shade: number): void {
	const fill = s.styles.fills[look];
	if (!fill || fill.form === "hatched") {
		place.hatches.push({ x0, x1, top: place.top, bottom: place.bottom });
		return;
	}
	const colour = (place.faded ? s.styles.faded : s.styles.pixels)[look]![shade]!;
	const { centre, inner, outer } = place.lane;
	const full = fill.form === "full";
	const line = fill.form === "line";
	// Most are of a pixel or two, for which fill() takes longer.
	if (x1 - x0 > 12) {
		centre.fill(colour, x0, x1);
		if (!line) inner.fill(colour, x0, x1);
		if (full) outer.fill(colour, x0, x1);
		return;
	}
	for (let x = x0; x < x1; x++) {
		centre[x] = colour;
		if (!line) inner[x] = colour;
		if (full) outer[x] = colour;
	}
}

// How a category looks on a track: what runs has its domain's colour.
function looksOf(s: Surface, track: Track): (category: number) => number {
	const { running } = s.styles;
	const runs = s.styles.runsIn(track.domain);
	return runs < 0 ? (category) => category : (category) => (running[category] === 1 ? runs : category);
}

export function drawTrack(s: Surface, track: Track, place: Place): void {
	const { view, width } = s;
	const look = looksOf(s, track);
	const { quiet } = s.styles;
	const a = view.from;
	const b = view.to;
	const perNs = width / view.span;
	const gap = Math.max(Math.round(s.scale), 1);
	// Messages have no length, but each has its pixel.
	const least = track.kind === "messages" ? 1 : 0.05;
	let shared = false;

	for (const chunk of s.chunks) {
		const range = chunk.ranges.get(track.id);
		if (!range) continue;
		const { from, length, category, name } = chunk;
		let i = firstAt(from, range[0], range[1], a);
		if (i > range[0]) i--; // spans of one track do not overlap: one reaches in, at most
		for (; i < range[1] && from[i]! < b; i++) {
			const x0 = (from[i]! - a) * perNs;
			const x1 = x0 + length[i]! * perNs;
			if (x1 < 0) continue;
			const c = category[i]!;
			if (x1 - x0 < 2) {
				if (!shared) clear(width);
				shared = true;
				const middle = (x0 + x1) / 2;
				const x = middle <= 0 ? 0 : middle >= width ? width - 1 : Math.floor(middle);
				const size = Math.max(x1 - x0, least);
				// Most are of the state that leads already.
				if (leader[x] === c) {
					lead[x]! += size;
					taken[x]! += size;
				} else share(quiet, x, c, size);
				continue;
			}
			const left = Math.round(Math.max(x0, 0));
			const right = Math.round(Math.min(x1, width));
			const form = s.styles.fills[c]?.form;
			// A gap parts two of the same colour.
			const end = form !== "line" && x1 <= width && right - left > 4 * gap ? right - gap : right;
			paint(s, place, left, end, look(c), SHADES);
			recorded?.push({ track: track.id, x0: left, x1: right, category: c, name: name[i]!, part: 1 });
			if (place.labels && right - left > 24 * s.scale && form !== "line")
				place.labels.push({ text: s.name(name[i]!), x0: left, x1: end, top: place.top, bottom: place.bottom, ink: s.styles.fills[look(c)]?.ink ?? s.styles.theme.ink, ground: form === "hatched" ? s.styles.theme.lane : undefined });
		}
	}
	if (shared) drawShared(s, track.id, place, look);
}

// Boyer's and Moore's vote among the states of a pixel; one that draws no attention gives way to any other.
function share(isQuiet: Uint8Array, x: number, category: number, size: number): void {
	const leads = leader[x]!;
	if (leads < 0) {
		leader[x] = category;
		lead[x] = taken[x] = size;
		return;
	}
	const quiet = isQuiet[category]!;
	const quietLeads = isQuiet[leads]!;
	if (quietLeads > quiet) {
		leader[x] = category;
		lead[x] = taken[x] = size;
	} else if (quiet > quietLeads) {
		return;
	} else {
		taken[x]! += size;
		if (leads === category) lead[x]! += size;
		else if (lead[x]! >= size) lead[x]! -= size;
		else {
			leader[x] = category;
			lead[x] = size - lead[x]!;
		}
	}
}

function drawShared(s: Surface, track: number, place: Place, look: (category: number) => number): void {
	let x = 0;
	while (x < s.width) {
		const category = leader[x]!;
		if (category < 0) {
			x++;
			continue;
		}
		const shade = Math.round(Math.min(taken[x]!, 1) * SHADES);
		let end = x + 1;
		while (end < s.width && leader[end] === category && Math.round(Math.min(taken[end]!, 1) * SHADES) === shade) end++;
		paint(s, place, x, end, look(category), shade);
		recorded?.push({ track, x0: x, x1: end, category, name: -1, part: shade / SHADES });
		x = end;
	}
}

// What was found on a track, in order of time: at its full height, strong, and underlined.
export function drawHits(s: Surface, track: Track, hits: Hit[], place: Place, underline: (x0: number, x1: number) => void): void {
	const { view, width, styles } = s;
	const look = looksOf(s, track);
	let last = -9;
	for (const hit of hits) {
		if (hit.from > view.to) break;
		if (hit.from + hit.length < view.from) continue;
		const x0 = Math.max(Math.floor(((hit.from - view.from) / view.span) * width), 0);
		const end = Math.ceil(((hit.from + hit.length - view.from) / view.span) * width);
		const x1 = Math.min(Math.max(end, x0 + Math.ceil(2 * s.scale)), width);
		if (x1 - last < 2) continue;
		last = x1;
		const fill = look(hit.category);
		const colour = styles.pixels[fill]?.[SHADES] ?? 0;
		for (const strip of [place.lane.centre, place.lane.inner, place.lane.outer]) strip.fill(colour, x0, x1);
		underline(x0, x1);
		if (x1 - x0 > 24 * s.scale)
			place.labels?.push({ text: s.name(hit.name), x0, x1, top: place.top, bottom: place.bottom, ink: styles.hitInk[fill] ?? styles.theme.ink, ground: undefined });
	}
}
