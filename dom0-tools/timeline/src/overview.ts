// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws the whole recording as a strip: above, how much of the CPUs each domain took; below, how
// long vCPUs waited. Over it the part that is seen, markers and what was found.
import type { Markers } from "./markers";
import type { Meta, Track } from "./meta";
import type { Results } from "./search";
import type { Store } from "./store";
import type { Styles } from "./styles";
import type { View } from "./view";

interface Shares {
	// Of each state, the time in each pixel; 1 is all CPUs for the whole pixel.
	use: Map<number, Float32Array>;
	// How many vCPUs wait.
	waiting: Float32Array;
}

const WAITING = 0.24; // of the strip's height

export class Overview {
	private shares: Shares | undefined;
	private picture: HTMLCanvasElement | undefined;
	private key = "";

	constructor(private meta: Meta, private store: Store, private changed: () => void) {}

	// The tracks whose use is drawn: the lowest layer that there is.
	private get tracks(): Track[] {
		for (const kind of ["pcpu", "vcpu", "task"]) {
			const tracks = this.meta.tracks.filter((t) => t.kind === kind);
			if (tracks.length) return tracks;
		}
		return [];
	}

	async load(width: number): Promise<void> {
		const level = this.meta.levels[this.store.levelFor(this.meta.length / width)]!;
		const tracks = this.tracks;
		const used = new Set(tracks.map((t) => t.id));
		const vcpus = new Set(this.meta.tracks.filter((t) => t.kind === "vcpu").map((t) => t.id));
		const shares: Shares = { use: new Map(), waiting: new Float32Array(width) };
		const perNs = width / this.meta.length;
		const add = (into: Float32Array, from: number, length: number, weight: number) => {
			const x0 = Math.max(from * perNs, 0);
			const x1 = Math.min((from + length) * perNs, width);
			for (let x = Math.floor(x0); x < x1 && x < width; x++) into[x]! += (Math.min(x1, x + 1) - Math.max(x0, x)) * weight;
		};
		for (const info of level.chunks) {
			const chunk = await this.store.span(info);
			for (const [track, [first, end]] of chunk.ranges) {
				if (!used.has(track) && !vcpus.has(track)) continue;
				for (let i = first; i < end; i++) {
					const category = this.meta.categories[chunk.category[i]!];
					const hue = category?.hue;
					if (vcpus.has(track) && hue === "waiting") add(shares.waiting, chunk.from[i]!, chunk.length[i]!, 1);
					if (!used.has(track) || !hue || ["blocked", "idle", "unknown", "waiting"].includes(hue)) continue;
					const c = chunk.category[i]!;
					let use = shares.use.get(c);
					if (!use) shares.use.set(c, (use = new Float32Array(width)));
					add(use, chunk.from[i]!, chunk.length[i]!, 1 / tracks.length);
				}
			}
		}
		this.shares = shares;
		this.key = "";
		this.changed();
	}

	private paint(width: number, height: number, scale: number, styles: Styles): HTMLCanvasElement | undefined {
		const key = `${width} ${height} ${styles.theme.name}`;
		if (!this.shares || key === this.key) return this.picture;
		this.key = key;
		const canvas = document.createElement("canvas");
		canvas.width = width;
		canvas.height = height;
		const g = canvas.getContext("2d")!;
		const columns = this.shares.waiting.length;
		const split = Math.round(height * (1 - WAITING));
		const bottom = height - 3 * scale;
		const at = (i: number) => Math.round((i * width) / columns);
		const order = [...this.shares.use.keys()].sort((x, y) => x - y);
		for (let i = 0; i < columns; i++) {
			let y = split - 2 * scale;
			for (const category of order) {
				const size = this.shares.use.get(category)![i]! * (split - 7 * scale);
				g.fillStyle = styles.fills[category]!.colour;
				g.fillRect(at(i), y - size, at(i + 1) - at(i), size);
				y -= size;
			}
			const waits = Math.min(this.shares.waiting[i]!, 1);
			g.fillStyle = styles.theme.hues.waiting;
			const size = waits > 0 ? Math.max(waits * (bottom - split - 2 * scale), scale) : 0;
			g.fillRect(at(i), bottom - size, at(i + 1) - at(i), size);
		}
		this.picture = canvas;
		return canvas;
	}

	draw(canvas: HTMLCanvasElement, scale: number, styles: Styles, view: View, markers: Markers, results: Results | undefined): void {
		const g = canvas.getContext("2d")!;
		const { width, height } = canvas;
		const { theme } = styles;
		g.fillStyle = theme.lane;
		g.fillRect(0, 0, width, height);
		const picture = this.paint(width, height, scale, styles);
		if (picture) g.drawImage(picture, 0, 0);
		g.fillStyle = theme.grid;
		g.fillRect(0, Math.round(height * (1 - WAITING)), width, 1);
		const x = (time: number) => (time / this.meta.length) * width;
		if (results?.done) {
			g.fillStyle = theme.accent;
			let last = -9;
			for (const hit of results.hits) {
				const left = Math.floor(x(hit.from));
				if (left - last < scale) continue;
				g.fillRect(left, 0, Math.max(scale, 1), 5 * scale);
				last = left;
			}
		}
		for (const [name, marker] of markers.list()) {
			g.fillStyle = theme.markers[name === "A" ? 0 : 1];
			g.fillRect(x(marker.at) - scale / 2, 0, 1.5 * scale, height);
		}
		const left = Math.max(x(view.from), 0);
		const right = Math.min(Math.max(x(view.to), left + 2 * scale), width);
		g.globalAlpha = theme.name === "light" ? 0.62 : 0.6;
		g.fillStyle = theme.band;
		g.fillRect(0, 0, left, height);
		g.fillRect(right, 0, width - right, height);
		g.globalAlpha = 1;
		g.strokeStyle = theme.accent;
		g.lineWidth = 1.5 * scale;
		const inset = g.lineWidth / 2;
		g.strokeRect(left + inset, inset, Math.max(right - left - 2 * inset, 1), height - 2 * inset);
	}
}
