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

	// The clock of the process, else of the domain, else of the hypervisor; of several, that of the track's host.
	private clockOf(track: Track | undefined): Clock | undefined {
		const { clocks } = this.meta;
		const names = track ? [track.process, track.domain].filter((name) => name !== "") : [];
		for (const fits of [...names.map((name) => (c: Clock) => c.domain === name), (c: Clock) => c.layer === "xen" || c.domain === ""]) {
			const found = clocks.filter(fits);
			if (found.length > 0) return found.find((c) => c.host === track?.host) ?? found[0];
		}
		return clocks.length === 1 ? clocks[0] : undefined;
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
