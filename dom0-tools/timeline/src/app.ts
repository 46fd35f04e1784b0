// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page as a whole: its parts, what is seen and chosen, and one frame of drawing.
import { Address } from "./address";
import { Clocks } from "./clock";
import type { Span } from "./decode";
import { summary } from "./details";
import { byId, fitCanvas, setText } from "./dom";
import { drawArrows, drawCursor, drawMarkers, drawOutline, type DrawnArrow, type Pane } from "./draw_overlay";
import { drawRuler, originText, ticksOf } from "./draw_ruler";
import { bound, shortDuration, time, utc, visible } from "./format";
import { spanUnder } from "./hit";
import { Lanes } from "./lanes";
import { legend } from "./legend";
import { Markers } from "./markers";
import { path, type Meta, type Track } from "./meta";
import { Names } from "./names";
import { Overview } from "./overview";
import type { Provider } from "./provider";
import { Rows, type Row } from "./rows";
import { SearchBox } from "./search_box";
import { SeenArrows } from "./seen_arrows";
import { Selection } from "./selection";
import { Store, type Drawable } from "./store";
import { domainsOf, onSystemChange, stylesOf, themeOf, type Choice, type Styles } from "./styles";
import { domainColour } from "./theme";
import { View } from "./view";

const RULER = 26;

export class App {
	readonly view: View;
	readonly rows: Rows;
	readonly clocks: Clocks;
	readonly markers: Markers;
	readonly store: Store;
	readonly overview: Overview;
	readonly search: SearchBox;
	readonly selection: Selection;
	readonly names: Names;
	styles: Styles;
	choice: Choice = "auto";
	allArrows = false;
	pointer: { x: number; y: number } | undefined;
	hover: Span | undefined;
	drawn: Drawable = { chunks: [], level: 0, complete: false };
	drawnArrows: DrawnArrow[] = [];
	drawnLosses = 0;
	boundHalf = 0;
	frames = 0;
	printing = false;
	private lanes = new Lanes();
	private arrows: SeenArrows;
	private scroller = byId("lanes");
	private base = byId<HTMLCanvasElement>("base");
	private over = byId<HTMLCanvasElement>("over");
	private ruler = byId<HTMLCanvasElement>("ruler");
	private strip = byId<HTMLCanvasElement>("strip");
	// What the browser lays out, read once before a frame writes anything: later it would have to lay out anew.
	private size = { width: 1, height: 1, overWidth: 1, overHeight: 1, stripWidth: 1, stripHeight: 1, top: 0 };
	private overIsEmpty = false;
	private frame = 0;
	private stale = { base: true, over: true };
	private last = 0;
	private parents = new Map<number, number>();
	private address = new Address(this);

	constructor(readonly meta: Meta, readonly provider: Provider, private fail: (why: Error) => void) {
		this.styles = stylesOf(meta, themeOf("auto"), devicePixelRatio);
		this.view = new View(meta.length);
		this.rows = new Rows(meta);
		this.clocks = new Clocks(meta);
		this.markers = new Markers(meta, this.clocks);
		this.store = new Store(meta, provider, () => this.changed(), fail);
		this.arrows = new SeenArrows(this.store, () => this.pointed(), fail);
		this.overview = new Overview(meta, this.store, () => this.changed());
		for (const track of meta.tracks) this.parents.set(track.id, track.parent);
		this.names = new Names(meta, byId("names"), (id) => this.toggle(id), (track) => this.colourOf(track));
		this.selection = new Selection(
			meta,
			this.store,
			provider,
			{
				show: (span) => this.view.fit(span.from, span.from + span.length),
				goTo: (track, at) => void this.goTo(track, at),
				measure: (span) => this.measure(span),
			},
			() => this.changed(),
		);
		this.search = new SearchBox(
			meta,
			this.store,
			() => ({ at: this.selection.span?.from ?? this.view.target.from, track: this.selection.span?.track ?? -1 }),
			(hit, fit) => void this.goTo(hit.track, hit.from, fit),
			() => this.changed(),
		);
		onSystemChange(() => this.choice === "auto" && this.setTheme("auto"));
	}

	// Takes the state from the address: at the start, and when somebody changes the address.
	restore(hash: string, first: boolean): Promise<void> {
		return this.address.restore(hash, first);
	}

	// --- What changes it ------------------------------------------------------------------

	changed(): void {
		this.stale.base = true;
		this.request();
		this.address.saveSoon();
	}

	pointed(): void {
		this.stale.over = true;
		this.request();
	}

	setTheme(choice: Choice): void {
		this.choice = choice;
		const theme = this.printing ? themeOf("light") : themeOf(choice);
		this.styles = stylesOf(this.meta, theme, devicePixelRatio);
		document.documentElement.dataset.theme = theme.name;
		byId("legend").replaceChildren(...legend(this.meta, this.styles));
		this.changed();
	}

	toggleTheme(): void {
		this.setTheme(this.styles.theme.name === "light" ? "dark" : "light");
	}

	toggleArrows(): void {
		this.allArrows = !this.allArrows;
		byId("arrows").setAttribute("aria-pressed", String(this.allArrows));
		this.changed();
	}

	toggle(id: number): void {
		this.rows.toggle(id);
		this.changed();
	}

	select(span: Span | undefined): Promise<void> {
		return this.selection.select(span);
	}

	// Selects the span of that track at that time, and brings it into view; `fit`: so that it fills it.
	async goTo(track: number, at: number, fit = false): Promise<void> {
		this.rows.uncover(track);
		const span = await this.store.find(track, at);
		const to = span ? span.from + span.length : at;
		if (fit && span) this.view.fit(span.from, to);
		else this.view.reveal(span?.from ?? at, to);
		this.reveal(track);
		await this.select(span);
	}

	// Scrolls a track's lane into view.
	private reveal(track: number): void {
		this.layout();
		const row = this.rows.rowOf(track);
		if (!row) return;
		const { scrollTop, clientHeight } = this.scroller;
		if (row.y < scrollTop + 30 || row.y + row.height > scrollTop + clientHeight - 20)
			this.scroller.scrollTop = row.y + row.height / 2 - clientHeight / 2;
	}

	async step(forward: boolean): Promise<void> {
		const span = this.selection.span;
		if (!span) return;
		const next = await this.store.beside(span.track, span.from, forward);
		if (!next) return;
		this.view.reveal(next.from, next.from + next.length);
		await this.select(next);
	}

	measure(span: Span): void {
		this.markers.a = { at: span.from, track: span.track };
		this.markers.b = { at: span.from + span.length, track: span.track };
		this.changed();
	}

	fit(): void {
		const span = this.selection.span;
		const { a, b } = this.markers;
		if (span) this.view.fit(span.from, span.from + span.length);
		else if (a && b) this.view.fit(Math.min(a.at, b.at), Math.max(a.at, b.at));
		else this.view.fitAll();
		this.changed();
	}

	// --- Where things are -----------------------------------------------------------------

	get width(): number {
		return this.size.width;
	}

	get top(): number {
		return this.size.top;
	}

	private readLayout(): void {
		this.size = {
			width: Math.max(this.base.clientWidth, 1),
			height: this.base.clientHeight,
			overWidth: this.over.clientWidth,
			overHeight: this.over.clientHeight,
			stripWidth: this.strip.clientWidth,
			stripHeight: this.strip.clientHeight,
			top: this.printing ? 0 : this.scroller.scrollTop,
		};
	}

	timeAt(x: number): number {
		return this.view.from + (x / this.width) * this.view.span;
	}

	rowAt(y: number): Row | undefined {
		return this.rows.at(y + this.top);
	}

	// The track whose lane, or whose part of a collapsed one, is at that height.
	trackAt(y: number): number | undefined {
		const row = this.rowAt(y);
		if (!row || row.inside.length === 0) return row?.track.id;
		const part = (y + this.top - row.y) / row.height;
		return row.inside[Math.min(Math.max(Math.floor(part * row.inside.length), 0), row.inside.length - 1)];
	}

	spanAt(x: number, y: number): Span | undefined {
		const track = this.trackAt(y);
		if (track === undefined) return undefined;
		return spanUnder(this.drawn.chunks, this.styles.fills, track, this.timeAt(x), (1.5 * this.view.span) / this.width);
	}

	private colourOf(track: Track): string | undefined {
		const index = track.domain ? domainsOf(this.meta).get(track.domain) : undefined;
		return index === undefined || track.kind !== "group" ? undefined : domainColour(this.styles.theme, index);
	}

	private isBelow = (track: number, above: number): boolean => {
		for (let t = this.parents.get(track); t !== undefined; t = this.parents.get(t)) if (t === above) return true;
		return false;
	};

	// --- One frame --------------------------------------------------------------------------

	request(): void {
		this.frame ||= requestAnimationFrame((now) => this.run(now));
	}

	// Draws at once what is due.
	flush(): void {
		if (this.frame) cancelAnimationFrame(this.frame);
		this.frame = 0;
		this.run(performance.now());
	}

	private run(now: number): void {
		this.frame = 0;
		if (this.view.moving) {
			this.view.glide(this.last ? now - this.last : 16.7);
			this.stale.base = true;
		}
		this.last = this.view.moving ? now : 0;
		try {
			this.layout();
			this.readLayout();
			if (this.stale.base) this.drawBase();
			this.drawOver();
		} catch (error) {
			this.fail(error as Error);
		}
		this.stale.base = this.stale.over = false;
		this.frames++;
		if (this.view.moving) this.request();
	}

	layout(): void {
		const spacer = byId("spacer");
		const height = `${this.rows.height + (this.printing ? 0 : 40)}px`;
		if (spacer.style.height !== height) spacer.style.height = height;
	}

	private drawBase(): void {
		const scale = this.printing ? 2 : devicePixelRatio;
		const { width: cssWidth, height: cssHeight } = this.size;
		fitCanvas(this.base, cssWidth, cssHeight, scale);
		const { view } = this;
		const { width } = this.base;
		this.drawn = this.store.view(view.from, view.to, view.span / width);
		const rows = this.rows.between(this.top, this.top + cssHeight);
		const ticks = ticksOf(view, cssWidth);
		this.drawnLosses = this.lanes.draw(this.base, {
			surface: { width, scale, view, styles: this.styles, chunks: this.drawn.chunks, name: (i) => this.nameOf(i) },
			rows,
			top: this.top,
			ticks: ticks.times,
			losses: this.meta.losses,
			trackOf: (id) => this.meta.byId.get(id)!,
			isBelow: this.isBelow,
			results: this.search.results,
		});
		this.drawFrame(cssWidth, scale, ticks);
		this.names.render(rows, this.top, this.selection.span?.track);
		byId("loading").hidden = this.drawn.complete;
	}

	private texts = new Map<number, string>();

	private nameOf(index: number): string {
		let text = this.texts.get(index);
		if (text === undefined) this.texts.set(index, (text = visible((this.meta.strings[index] ?? "").slice(0, 120))));
		return text;
	}

	// Ruler and strip.
	private drawFrame(cssWidth: number, scale: number, ticks: ReturnType<typeof ticksOf>): void {
		fitCanvas(this.ruler, cssWidth, RULER, scale);
		drawRuler(this.ruler.getContext("2d")!, this.view, ticks, cssWidth, RULER, scale, this.styles.theme);
		setText(byId("origin"), originText(ticks));
		fitCanvas(this.strip, this.size.stripWidth, this.size.stripHeight, scale);
		this.overview.draw(this.strip, scale, this.styles, this.view, this.markers, this.search.results);
		setText(byId("seen"), shortDuration(Math.min(this.view.to, this.meta.length) - Math.max(this.view.from, 0)));
	}

	private drawOver(): void {
		const scale = this.printing ? 2 : devicePixelRatio;
		const { overWidth: width, overHeight: height } = this.size;
		setText(byId("arrow-note"), this.allArrows ? this.arrows.load(this.view) : "");
		this.drawnArrows = [];
		setText(byId("between"), this.markers.text ? `A to B: ${this.markers.text}` : "");
		const isEmpty = !this.allArrows && !this.pointer && !this.selection.span && this.markers.list().length === 0;
		// A canvas that is touched is painted again, all of it.
		if (!fitCanvas(this.over, width, height, scale) && isEmpty && this.overIsEmpty) return;
		this.overIsEmpty = isEmpty;
		const g = this.over.getContext("2d")!;
		g.setTransform(scale, 0, 0, scale, 0, 0);
		g.clearRect(0, 0, width, height);
		const { view, rows } = this;
		const pane: Pane = { g, view, rows, top: this.top, width, height, theme: this.styles.theme };
		if (this.allArrows) this.drawnArrows.push(...drawArrows(pane, this.arrows.list, false));
		this.drawnArrows.push(...drawArrows(pane, this.selection.arrows, true));
		this.hover = this.pointer && !this.printing ? this.spanAt(this.pointer.x, this.pointer.y) : undefined;
		if (this.hover) drawOutline(pane, this.hover, this.styles.theme.faint, 1);
		if (this.selection.span) drawOutline(pane, this.selection.span, this.styles.theme.accent, 2);
		drawMarkers(pane, this.markers);
		this.drawPointer(pane);
	}

	private drawPointer(pane: Pane): void {
		const pointer = this.printing ? undefined : this.pointer;
		const cursor = byId("cursor");
		const tip = byId("tip");
		tip.hidden = !pointer || !this.hover;
		if (!pointer) {
			cursor.textContent = "";
			return;
		}
		const at = this.timeAt(pointer.x);
		const track = this.meta.byId.get(this.trackAt(pointer.y) ?? -1);
		const { ns, clock } = this.clocks.at(track, at);
		this.boundHalf = drawCursor(pane, at, ns);
		cursor.textContent = `${time(at)} ${bound(ns)}${clock ? ` (clock of ${visible(clock)})` : ""} · ${utc(this.meta.begin, at)}`;
		if (!this.hover) return;
		const [name, length, state] = summary(this.meta, this.hover);
		const where = path(this.meta, this.hover.track).slice(-2).map(visible).join(" › ");
		const lines = [name, length, state, where].filter((line) => line !== "");
		tip.replaceChildren(...lines.map((line, i) => Object.assign(document.createElement(i === 0 ? "b" : "span"), { textContent: line.slice(0, 200) })));
		const left = pointer.x + 16 + tip.offsetWidth > pane.width ? pointer.x - tip.offsetWidth - 12 : pointer.x + 16;
		const above = pointer.y + 18 + tip.offsetHeight > pane.height ? pointer.y - tip.offsetHeight - 10 : pointer.y + 18;
		tip.style.transform = `translate(${Math.max(left, 0)}px, ${Math.max(above, 0)}px)`;
	}
}
