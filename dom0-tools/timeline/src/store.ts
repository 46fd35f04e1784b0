// SPDX-License-Identifier: GPL-2.0-or-later
//
// Keeps decoded chunks: loads those that a view needs, at the level of detail that its pixels show,
// and forgets those that were not looked at for longest.
import { decodeArrows, firstAt, SpanChunk, spanAt, type Arrow, type Span } from "./decode";
import type { ChunkInfo, Meta } from "./meta";
import type { Provider } from "./provider";

// Some 45 bytes a span.
const MOST_SPANS = 4_000_000;
const AT_ONCE = 4;

export interface Drawable {
	chunks: SpanChunk[];
	level: number;
	// All that the view needs at its own level is there.
	complete: boolean;
}

export class Store {
	private chunks = new Map<number, SpanChunk>();
	private arrows = new Map<number, Arrow[]>();
	private wanted: (() => Promise<unknown>)[] = [];
	private loading = new Map<string, Promise<unknown>>();
	private running = 0;
	private spans = 0;
	private clock = 0;

	constructor(
		private meta: Meta,
		private provider: Provider,
		private loaded: () => void,
		private failed: (why: Error) => void,
	) {}

	// The level whose blocks are no longer than a pixel.
	levelFor(nsPerPixel: number): number {
		let best = 0;
		this.meta.levels.forEach((level, i) => {
			if (level.resolution <= nsPerPixel) best = i;
		});
		return best;
	}

	// What can be drawn of [a, b] now: the level that fits, or, until its chunks are there, a coarser or finer one
	// that is. Levels are never mixed.
	view(a: number, b: number, nsPerPixel: number): Drawable {
		const wanted = this.levelFor(nsPerPixel);
		const levels = this.meta.levels;
		const infos = needed(levels[wanted]!.chunks, a, b);
		const missing = infos.filter((info) => !this.chunks.has(info.id));
		this.wanted = missing.map((info) => () => this.span(info));
		this.pump();
		if (missing.length === 0) return { chunks: this.take(infos), level: wanted, complete: true };
		const others = levels.map((_, i) => i).sort((i, j) => Number(i < wanted) - Number(j < wanted) || Math.abs(i - wanted) - Math.abs(j - wanted));
		for (const other of others) {
			const have = needed(levels[other]!.chunks, a, b);
			if (other !== wanted && have.length && have.every((info) => this.chunks.has(info.id)))
				return { chunks: this.take(have), level: other, complete: false };
		}
		return { chunks: this.take(infos), level: wanted, complete: false };
	}

	private take(infos: ChunkInfo[]): SpanChunk[] {
		const chunks: SpanChunk[] = [];
		this.clock++;
		for (const info of infos) {
			const chunk = this.chunks.get(info.id);
			if (!chunk) continue;
			chunk.usedAt = this.clock;
			chunks.push(chunk);
		}
		return chunks;
	}

	private pump(): void {
		while (this.running < AT_ONCE) {
			const next = this.wanted.shift();
			if (!next) return;
			this.running++;
			next()
				.catch(this.failed)
				.finally(() => {
					this.running--;
					this.pump();
					this.loaded();
				});
		}
	}

	private once<T>(key: string, load: () => Promise<T>): Promise<T> {
		let promise = this.loading.get(key) as Promise<T> | undefined;
		if (!promise) {
			promise = load().finally(() => this.loading.delete(key));
			this.loading.set(key, promise);
		}
		return promise;
	}

	// The chunk, loaded if it must be.
	async span(info: ChunkInfo): Promise<SpanChunk> {
		const have = this.chunks.get(info.id);
		if (have) return have;
		return this.once(`s${info.id}`, async () => {
			const chunk = new SpanChunk(info.id, await this.provider.chunk(info.id), info.from);
			this.chunks.set(info.id, chunk);
			this.spans += chunk.from.length;
			chunk.usedAt = this.clock;
			this.forget();
			return chunk;
		});
	}

	private forget(): void {
		if (this.spans <= MOST_SPANS) return;
		const oldest = [...this.chunks.values()].sort((x, y) => x.usedAt - y.usedAt);
		for (const chunk of oldest) {
			if (this.spans <= MOST_SPANS || chunk.usedAt === this.clock) return;
			this.chunks.delete(chunk.id);
			this.spans -= chunk.from.length;
		}
	}

	// The span of a track that covers `at`, of all detail; of one that begins there, that.
	async find(track: number, at: number): Promise<Span | undefined> {
		let found: Span | undefined;
		for (const info of needed(this.meta.levels[0]!.chunks, at, at + 1)) {
			const chunk = await this.span(info);
			const i = coveringAt(chunk, track, at);
			if (i >= 0 && (!found || chunk.from[i]! > found.from)) found = spanAt(chunk, i);
		}
		return found;
	}

	// The span of that track before or after `at`, of all detail.
	async beside(track: number, at: number, forward: boolean): Promise<Span | undefined> {
		let best: Span | undefined;
		const infos = this.meta.levels[0]!.chunks
			.filter((info) => (forward ? info.to > at : info.from < at))
			.sort((x, y) => (forward ? x.from - y.from : y.to - x.to));
		for (const info of infos) {
			if (best && (forward ? info.from > best.from : info.to <= best.from)) break;
			const chunk = await this.span(info);
			const range = chunk.ranges.get(track);
			if (!range) continue;
			const i = forward ? firstAt(chunk.from, range[0], range[1], at + 0.5) : firstAt(chunk.from, range[0], range[1], at) - 1;
			if (i < range[0] || i >= range[1]) continue;
			if (!best || (forward ? chunk.from[i]! < best.from : chunk.from[i]! > best.from)) best = spanAt(chunk, i);
		}
		return best;
	}

	// How many arrows there may be in [a, b], at most.
	arrowCount(a: number, b: number): number {
		let count = 0;
		for (const info of this.neededArrows(a, b)) {
			const length = Math.max(info.to - info.from, 1);
			const inside = Math.min(b, info.to) - Math.max(a, info.from);
			count += info.count * Math.min(1, Math.max(inside, 0) / length + 0.01);
		}
		return count;
	}

	private neededArrows(a: number, b: number): ChunkInfo[] {
		return this.meta.arrowChunks.filter((info) => info.from - info.longest < b && info.to + info.longest > a);
	}

	// The arrows that touch [a, b].
	async arrowsIn(a: number, b: number): Promise<Arrow[]> {
		const found: Arrow[] = [];
		for (const info of this.neededArrows(a, b)) {
			let arrows = this.arrows.get(info.id);
			if (!arrows) {
				arrows = await this.once(`a${info.id}`, async () => decodeArrows(await this.provider.chunk(info.id), info.from));
				this.arrows.set(info.id, arrows);
				// Arrows are few; the chunks kept are those last used.
				if (this.arrows.size > 64) this.arrows.delete(this.arrows.keys().next().value!);
			}
			for (const arrow of arrows)
				if (Math.min(arrow.from, arrow.to) <= b && Math.max(arrow.from, arrow.to) >= a) found.push(arrow);
		}
		return found;
	}
}

// The chunks whose spans may reach into [a, b].
function needed(chunks: ChunkInfo[], a: number, b: number): ChunkInfo[] {
	return chunks.filter((info) => info.from < b && info.to + info.longest >= a);
}

// The index of the track's span that covers `at`; -1: there is none.
export function coveringAt(chunk: SpanChunk, track: number, at: number): number {
	const range = chunk.ranges.get(track);
	if (!range) return -1;
	const i = firstAt(chunk.from, range[0], range[1], at + 0.5) - 1;
	if (i < range[0]) return -1;
	return chunk.from[i]! + chunk.length[i]! > at || chunk.from[i] === at ? i : -1;
}
