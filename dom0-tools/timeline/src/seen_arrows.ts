// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeps the arrows of what is seen, as far as they are few enough to tell anything.
import type { Arrow } from "./decode";
import { integer } from "./format";
import type { Store } from "./store";
import type { View } from "./view";

const MOST_ARROWS = 250; // more on the screen tell nothing

export class SeenArrows {
	private arrows: Arrow[] = [];
	private key = "";

	constructor(private store: Store, private changed: () => void, private fail: (why: Error) => void) {}

	// Those that are to be drawn now; the ones that are not there yet come later.
	get list(): Arrow[] {
		return this.arrows.length <= MOST_ARROWS ? this.arrows : [];
	}

	// Loads those of the view. Returns what the user is to be told, if anything.
	load(view: View): string {
		const { from, to } = view;
		if (this.store.arrowCount(from, to) > MOST_ARROWS * 40) {
			this.arrows = [];
			this.key = "";
			return "zoom in to see arrows";
		}
		const key = `${from} ${to}`;
		if (key !== this.key) {
			this.key = key;
			void this.store.arrowsIn(from, to).then((arrows) => {
				if (key !== this.key) return;
				this.arrows = arrows;
				this.changed();
			}, this.fail);
		}
		return this.arrows.length > MOST_ARROWS ? `${integer(this.arrows.length)} arrows: zoom in to see them` : "";
	}
}
