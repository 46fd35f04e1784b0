// SPDX-License-Identifier: GPL-2.0-or-later
//
// window.strata: what the tests ask, and whoever opens the browser's console: what is drawn, and where.
import type { App } from "./app";
import { record, type Drawn } from "./draw_spans";

export function hook(app: App): object {
	return {
		meta: app.meta,
		view: () => ({ from: app.view.from, to: app.view.to, moving: app.view.moving }),
		show: (from: number, to: number) => {
			app.view.show(from, to, false);
			app.changed();
		},
		// Resolves when nothing moves and nothing is loaded any more.
		settled: async () => {
			do await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
			while (app.view.moving || !app.drawn.complete);
			app.changed();
			app.flush();
		},
		rows: () => {
			app.flush();
			return app.rows.rows.map((row) => ({ id: row.track.id, name: row.track.name, kind: row.track.kind, y: row.y - app.top, height: row.height, open: row.open, inside: row.inside }));
		},
		// Every rectangle of the lanes in view, in pixels of the device.
		drawn: (): Drawn[] => {
			const list: Drawn[] = [];
			record(list);
			app.changed();
			app.flush();
			record(undefined);
			return list;
		},
		level: () => app.drawn.level,
		arrows: () => app.drawnArrows,
		losses: () => app.drawnLosses,
		hover: () => app.hover,
		selected: () => app.selection.span,
		markers: () => ({ a: app.markers.a, b: app.markers.b, distance: app.markers.distance, text: app.markers.text }),
		results: () => app.search.results?.hits,
		searched: () => (app.search.results?.done ? app.search.results.text : undefined),
		boundHalf: () => app.boundHalf,
		fills: () => app.styles.fills,
		theme: () => app.styles.theme,
		frames: () => app.frames,
		// Draws one frame now, and says how many ms that took.
		time: () => {
			const before = performance.now();
			app.changed();
			app.flush();
			return performance.now() - before;
		},
		pan: (part: number) => {
			app.view.pan(part, false);
			app.changed();
		},
	};
}
