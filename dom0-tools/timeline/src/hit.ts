// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds the span under the pointer, in what was drawn last.
import { firstAt, spanAt, type Span, type SpanChunk } from "./decode";
import type { Fill } from "./theme";

// The span of `track` at `time`, or next to it within `near` ns: of several the longest that is not quiet,
// of those as long as that the nearest.
export function spanUnder(chunks: SpanChunk[], fills: Fill[], track: number, time: number, near: number): Span | undefined {
	let best: [chunk: SpanChunk, i: number, score: number, distance: number] | undefined;
	for (const chunk of chunks) {
		const range = chunk.ranges.get(track);
		if (!range) continue;
		let i = firstAt(chunk.from, range[0], range[1], time - near);
		if (i > range[0]) i--;
		for (; i < range[1] && chunk.from[i]! <= time + near; i++) {
			const from = chunk.from[i]!;
			const to = from + chunk.length[i]!;
			if (to < time - near) continue;
			// What is wide and under the pointer itself comes before what is only near.
			const covers = from <= time && to > time && to - from > 2 * near;
			const quiet = fills[chunk.category[i]!]?.quiet ?? false;
			const score = (covers ? 2e18 : 0) + (quiet ? 0 : 1e18) + Math.min(to, time + near) - Math.max(from, time - near);
			const distance = Math.max(from - time, time - to, 0);
			if (!best || score > best[2] || (score === best[2] && distance < best[3])) best = [chunk, i, score, distance];
		}
	}
	return best && spanAt(best[0], best[1]);
}
