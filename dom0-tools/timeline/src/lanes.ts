// SPDX-License-Identifier: GPL-2.0-or-later
//
// Draws all lanes in view: the grounds, the spans of each row, what was found, what is not known or lost.
import { drawLosses } from "./draw_overlay";
import { drawHits, drawTrack, type Hatch, type Place, type Surface } from "./draw_spans";
import { drawLabels, type Label } from "./labels";
import type { Loss, Track } from "./meta";
import { pixelOf, Raster, type Pixels } from "./raster";
import type { Row } from "./rows";
import type { Results } from "./search";

export interface Scene {
	surface: Surface;
	rows: Row[];
	top: number; // of CSS's pixels, scrolled away
	ticks: number[];
	losses: Loss[];
	trackOf: (id: number) => Track;
	isBelow: (track: number, above: number) => boolean;
	results: Results | undefined;
}

export class Lanes {
	private raster = new Raster();

	// Returns how many lanes' parts are hatched for losses.
	draw(canvas: HTMLCanvasElement, scene: Scene): number {
		const { surface, rows } = scene;
		const { scale, styles, view } = surface;
		const { theme } = styles;
		const raster = this.raster;
		raster.resize(canvas.width, canvas.height);
		const y = (at: number) => Math.round((at - scene.top) * scale);
		const grounds = this.grounds(scene);
		const labels: Label[] = [];
		const hatches: Hatch[] = [];
		const underlines: [x0: number, x1: number, bottom: number][] = [];

		let drawnTo = 0;
		for (const row of rows) {
			const [top, bottom] = [y(row.y), y(row.y + row.height)];
			const ground = row.track.kind === "group" ? grounds.band : grounds.lane;
			raster.fill(grounds.lane, drawnTo, top);
			raster.fill(ground, top, bottom);
			drawnTo = bottom;
			const lane = (track: Track, from: number, to: number, named: boolean) => {
				const found = scene.results?.done ? scene.results.byTrack.get(track.id) : undefined;
				const place: Place = { lane: raster.startLane(ground), top: from, bottom: to, faded: scene.results !== undefined, labels: named && !scene.results ? labels : undefined, hatches };
				drawTrack(surface, track, place);
				if (found) drawHits(surface, track, found, { ...place, labels: named ? labels : undefined }, (x0, x1) => underlines.push([x0, x1, to]));
				raster.endLane(from, to, scale);
			};
			if (row.inside.length > 0) {
				const each = (row.height - 6) / row.inside.length;
				row.inside.forEach((track, i) => {
					const from = y(row.y + 3 + i * each);
					lane(scene.trackOf(track), from, Math.max(y(row.y + 3 + (i + 1) * each), from + 1), false);
				});
			} else if (row.track.kind !== "group") {
				const edge = row.height >= 20 ? 3 : 2;
				lane(row.track, y(row.y + edge), y(row.y + row.height - edge + 1), true);
			}
			raster.fill(grounds.rule, bottom - Math.max(Math.round(scale / 2), 1), bottom);
		}
		raster.fill(grounds.lane, drawnTo, canvas.height);

		const g = canvas.getContext("2d", { alpha: false })!;
		g.setTransform(1, 0, 0, 1, 0, 0);
		raster.put(g);
		g.fillStyle = styles.unknown;
		for (const h of hatches) g.fillRect(h.x0, h.top, h.x1 - h.x0, h.bottom - h.top);
		g.fillStyle = theme.accent;
		for (const [x0, x1, bottom] of underlines) g.fillRect(x0, bottom - 2 * scale, x1 - x0, 2 * scale);
		drawLabels(g, labels, scale);
		return drawLosses(g, scene.losses, rows, scene.isBelow, view, scene.top, canvas.width, scale, styles);
	}

	// A row of pixels of each ground, with the grid of time.
	private grounds(scene: Scene): { lane: Pixels; band: Pixels; rule: Pixels } {
		const { width, view, scale, styles } = scene.surface;
		const strip = (colour: string) => new Uint32Array(width).fill(pixelOf(colour));
		const [lane, band, rule] = [strip(styles.theme.lane), strip(styles.theme.band), strip(styles.theme.grid)];
		const grid = pixelOf(styles.theme.grid);
		for (const at of scene.ticks) {
			const x = Math.round(((at - view.from) / view.span) * width);
			for (const ground of [lane, band]) ground.fill(grid, Math.max(x, 0), Math.max(x + Math.max(Math.round(scale), 1), 0));
		}
		return { lane, band, rule };
	}
}
