// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tells by how much a time may be off: the bound of the clock that its track's events were stamped with.
import { firstAt } from "./decode";
import type { Clock, Meta, Track } from "./meta";

export interface Bound {
	// undefined: nobody knows
	ns: number | undefined;
	clock: string;
}

export class Clocks {
	private times = new Map<Clock, Float64Array>();

	constructor(private meta: Meta) {
		for (const clock of meta.clocks) this.times.set(clock, Float64Array.from(clock.points, ([at]) => at));
	}

	private clockOf(track: Track | undefined): Clock | undefined {
		const clocks = this.meta.clocks;
		const host = track?.host ?? "";
		return (
			clocks.find((c) => c.host === host && c.domain === (track?.domain ?? "")) ??
			clocks.find((c) => c.host === host && c.domain === "") ??
			(clocks.length === 1 ? clocks[0] : undefined)
		);
	}

	at(track: Track | undefined, time: number): Bound {
		const clock = this.clockOf(track);
		if (!clock || clock.points.length === 0) return { ns: undefined, clock: clock?.domain ?? "" };
		const times = this.times.get(clock)!;
		const i = Math.max(firstAt(times, 0, times.length, time + 0.5) - 1, 0);
		return { ns: clock.points[i]![1], clock: clock.domain || clock.host };
	}

	// Of two times' distance: what both may be off by.
	between(a: Bound, b: Bound): number | undefined {
		return a.ns === undefined || b.ns === undefined ? undefined : a.ns + b.ns;
	}
}
