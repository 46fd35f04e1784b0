// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two markers, A and B, and the time between them, with what it may be off by.
import type { Clocks } from "./clock";
import { withBound } from "./format";
import type { Meta } from "./meta";

export interface Marker {
	at: number;
	// Whose clock its time is of.
	track: number;
}

export class Markers {
	a: Marker | undefined;
	b: Marker | undefined;

	constructor(private meta: Meta, private clocks: Clocks) {}

	// The first is A, the second B; a third moves the one that is nearer.
	put(marker: Marker): "a" | "b" {
		const which = !this.a ? "a" : !this.b ? "b" : Math.abs(this.a.at - marker.at) <= Math.abs(this.b.at - marker.at) ? "a" : "b";
		this[which] = marker;
		return which;
	}

	clear(): void {
		this.a = this.b = undefined;
	}

	list(): ["A" | "B", Marker][] {
		const both: ["A" | "B", Marker | undefined][] = [["A", this.a], ["B", this.b]];
		return both.filter((m): m is ["A" | "B", Marker] => m[1] !== undefined);
	}

	get distance(): { ns: number; bound: number | undefined } | undefined {
		if (!this.a || !this.b) return undefined;
		const bounds = [this.a, this.b].map((m) => this.clocks.at(this.meta.byId.get(m.track), m.at));
		return { ns: this.b.at - this.a.at, bound: this.clocks.between(bounds[0]!, bounds[1]!) };
	}

	get text(): string {
		const distance = this.distance;
		return distance ? withBound(distance.ns, distance.bound) : "";
	}
}
