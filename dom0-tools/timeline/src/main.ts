// SPDX-License-Identifier: GPL-2.0-or-later
//
// Starts the page: takes its description from the file or from the server, and connects the parts.
import { App } from "./app";
import { byId, el } from "./dom";
import { integer, shortDuration, time, utc, visible } from "./format";
import { Help } from "./help";
import { HistogramPanel } from "./histogram";
import { hook } from "./hook";
import { listen, pointAt, strip } from "./input";
import { parseMeta, path, type Meta } from "./meta";
import { printable } from "./print";
import { resizable } from "./resize";
import { providerOf } from "./provider";

function fail(why: Error): void {
	const box = byId("failure");
	box.hidden = false;
	box.textContent = `This timeline cannot be shown: ${visible(why.message)}`;
}

function describe(meta: Meta): void {
	document.title = `${visible(meta.title)}: Strata timeline`;
	byId("title").textContent = `Timeline of ${visible(meta.title)}`;
	byId("title").title = visible(meta.command);
	const { facts } = meta;
	const events = facts.events ? `${integer(facts.events)} events` : "";
	const spans = facts.spans ? `${integer(facts.spans)} spans` : "";
	const counted = Math.max(facts.lost, meta.losses.reduce((sum, loss) => sum + loss.count, 0));
	// Of some losses nobody knows how many they are.
	const uncounted = meta.losses.some((loss) => loss.count === 0);
	const lost = counted > 0 ? `${uncounted ? "at least " : ""}${integer(counted)} events lost` : uncounted ? "events lost" : "no event lost";
	const parts = [shortDuration(meta.length), events, spans, lost];
	byId("facts").textContent = parts.filter((part) => part !== "").join(" · ");
	byId("facts").title = `from ${utc(meta.begin, 0)}, for ${time(meta.length)}`;
	byId("whole").textContent = shortDuration(meta.length);
	byId("waits-key").hidden = !meta.tracks.some((track) => track.kind === "vcpu");
	if (facts.notShown) byId("not-shown").append(el("p", {}, visible(facts.notShown)));
	byId("not-shown-part").hidden = !facts.notShown;
}

function connect(app: App): void {
	const lanes = byId("over");
	const scroller = byId("lanes");
	const marker = (x: number, y: number) => ({ at: Math.round(app.timeAt(x)), track: app.trackAt(y) ?? -1 });
	pointAt(lanes, {
		zoom: (factor, part, glide) => (app.view.zoom(factor, part, glide), app.changed()),
		pan: (part, glide) => (app.view.pan(part, glide), app.changed()),
		scroll: (pixels) => void (scroller.scrollTop += pixels),
		point: (x, y) => ((app.pointer = { x, y }), app.pointed()),
		leave: () => ((app.pointer = undefined), app.pointed()),
		click: (x, y) => {
			const row = app.rowAt(y);
			if (row && row.inside.length > 0 && !app.spanAt(x, y)) app.toggle(row.track.id);
			else void app.select(app.spanAt(x, y));
		},
		fitAt: (x, y) => {
			const span = app.spanAt(x, y);
			if (span) app.view.fit(span.from, span.from + span.length);
			app.changed();
		},
		measure: (x0, y0, x1, y1) => {
			app.markers.a = marker(x0, y0);
			app.markers.b = marker(x1, y1);
			app.changed();
		},
	});
	strip(
		byId("strip"),
		() => [app.view.from / app.meta.length, app.view.to / app.meta.length],
		(from, to) => (app.view.show(from * app.meta.length, to * app.meta.length, false), app.changed()),
	);
	scroller.addEventListener("scroll", () => app.changed());
	new ResizeObserver(() => app.changed()).observe(byId("stage"));

	const middle = () => (app.pointer ? app.pointer.x / app.width : 0.5);
	const zoom = (factor: number) => () => (app.view.zoom(factor, middle(), true), app.changed());
	const pan = (part: number) => () => (app.view.pan(part, true), app.changed());
	const scroll = (pixels: number) => () => void (scroller.scrollTop += pixels);
	const help = new Help(byId<HTMLDialogElement>("help"));
	const clearMarkers = () => (app.markers.clear(), app.changed());
	const putMarker = () => {
		const place = app.pointer ?? { x: app.width / 2, y: 0 };
		app.markers.put(marker(place.x, place.y));
		app.changed();
	};
	listen({
		w: zoom(1.6), "+": zoom(1.6), "=": zoom(1.6), s: zoom(1 / 1.6), "-": zoom(1 / 1.6),
		a: pan(-0.2), ArrowLeft: pan(-0.2), d: pan(0.2), ArrowRight: pan(0.2),
		ArrowUp: scroll(-60), ArrowDown: scroll(60), PageUp: scroll(-400), PageDown: scroll(400),
		f: () => app.fit(),
		"0": () => (app.view.fitAll(), app.changed()), Home: () => (app.view.fitAll(), app.changed()),
		m: putMarker, "shift+m": clearMarkers,
		n: () => app.search.step(true), p: () => app.search.step(false), "shift+n": () => app.search.step(false),
		".": () => void app.step(true), ",": () => void app.step(false),
		o: () => app.toggleArrows(), t: () => app.toggleTheme(),
		"/": () => app.search.focus(), "?": () => help.toggle(),
		Escape: () => (app.selection.span ? void app.select(undefined) : app.search.clear()),
	});
	byId("fit").addEventListener("click", () => app.fit());
	byId("arrows").addEventListener("click", () => app.toggleArrows());
	byId("theme").addEventListener("click", () => app.toggleTheme());
	byId("keys").addEventListener("click", () => help.toggle());
	byId("deselect").addEventListener("click", () => void app.select(undefined));
	addEventListener("hashchange", () => void app.restore(location.hash, false));
	resizable(byId("grip"), byId("panel"));
	printable(app);
}

async function start(): Promise<void> {
	const source = document.getElementById("strata-meta")?.textContent;
	if (!source) throw new Error("the file holds no data; `strata timeline TRACE -o FILE` writes one that does");
	const meta = parseMeta(source);
	describe(meta);
	const app = new App(meta, providerOf(meta), fail);
	connect(app);
	new HistogramPanel(
		meta.histograms,
		byId("latencies"),
		(track) => path(meta, track).slice(-2).map(visible).join(" › "),
		(track, from) => void app.goTo(track, from, true),
	);
	Object.assign(window, { strata: hook(app) });
	await app.restore(location.hash, true);
	document.documentElement.classList.add("ready");
	await app.overview.load(Math.max(byId("strip").clientWidth, 300));
	app.changed();
}

start().catch(fail);
