// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds spans: by words (in names, states, tracks, domains, processes, details) and by length.
//   g1 >10ms          spans of g1 longer than 10 ms
//   domain:g2 wait    a word in one field; process:, track:, name:, message: likewise
//   "a b" -c          words with spaces; words that must not be there
import { messageOf, type SpanChunk } from "./decode";
import { parseDuration } from "./format";
import type { Meta } from "./meta";
import type { Store } from "./store";

const FIELDS = ["domain", "process", "track", "name", "message"] as const;
type Field = (typeof FIELDS)[number];

export interface Word {
	text: string;
	field: Field | undefined;
	not: boolean;
}

export interface Query {
	words: Word[];
	least: number;
	most: number;
}

export function parseQuery(text: string): Query {
	const query: Query = { words: [], least: 0, most: Infinity };
	for (const part of text.match(/-?(?:\w+:)?"[^"]*"?|\S+/g) ?? []) {
		const compared = /^([<>])=?(.+)$/.exec(part);
		const ns = compared && parseDuration(compared[2]!);
		if (compared && ns !== undefined && ns !== null) {
			if (compared[1] === ">") query.least = Math.max(query.least, ns);
			else query.most = Math.min(query.most, ns);
			continue;
		}
		const not = part.length > 1 && part.startsWith("-");
		const rest = not ? part.slice(1) : part;
		const field = FIELDS.find((f) => rest.toLowerCase().startsWith(`${f}:`));
		const word = (field ? rest.slice(field.length + 1) : rest).replace(/"/g, "").toLowerCase();
		if (word) query.words.push({ text: word, field, not });
	}
	return query;
}

export function isEmpty(query: Query): boolean {
	return query.words.length === 0 && query.least === 0 && query.most === Infinity;
}

// What a word matches, worked out once for each name, track and state.
interface Matcher {
	not: boolean;
	names: Uint8Array;
	tracks: Map<number, boolean>;
	categories: Uint8Array;
	text: string;
	// The part of a span's details that it searches.
	part: ((detail: string) => string | undefined) | undefined;
}

function matcherOf(meta: Meta, word: Word): Matcher {
	const has = (text: string) => text.toLowerCase().includes(word.text);
	const in_ = (field: Field) => word.field === undefined || word.field === field;
	return {
		not: word.not,
		text: word.text,
		part: word.field === "message" ? messageOf : word.field === undefined ? (detail) => detail : undefined,
		names: Uint8Array.from(meta.strings, (s) => (in_("name") && has(s) ? 1 : 0)),
		categories: Uint8Array.from(Array.from(meta.categories), (c) => (c && in_("name") && has(c.name) ? 1 : 0)),
		tracks: new Map(
			meta.tracks.map((t) => [
				t.id,
				(in_("domain") && (word.field ? t.domain.toLowerCase() === word.text : has(t.domain))) ||
					(in_("process") && has(t.process)) ||
					(in_("track") && (has(t.name) || has(t.detail) || has(t.host))),
			]),
		),
	};
}

export interface Hit {
	track: number;
	from: number;
	length: number;
	name: number;
	category: number;
	message: string | undefined; // the beginning of what a message says
}

// Of a message, so that many hits take little memory.
const MOST_CHARACTERS = 160;

const MOST_HITS = 200_000;

export class Results {
	hits: Hit[] = [];
	byTrack = new Map<number, Hit[]>();
	more = false;
	done = false;
	// How much was looked through, of 1.
	part = 0;

	constructor(readonly text: string) {}

	finish(): void {
		this.hits.sort((x, y) => x.from - y.from || x.track - y.track);
		for (const hit of this.hits) {
			const list = this.byTrack.get(hit.track);
			if (list) list.push(hit);
			else this.byTrack.set(hit.track, [hit]);
		}
		this.done = true;
	}

	// Of all hits, the next behind or before what is given; around the ends, the first or the last.
	step(from: number, track: number, forward: boolean): Hit | undefined {
		const behind = (hit: Hit) => hit.from > from || (hit.from === from && hit.track > track);
		const before = (hit: Hit) => hit.from < from || (hit.from === from && hit.track < track);
		if (forward) return this.hits.find(behind) ?? this.hits[0];
		for (let i = this.hits.length - 1; i >= 0; i--) if (before(this.hits[i]!)) return this.hits[i];
		return this.hits[this.hits.length - 1];
	}
}

function scan(chunk: SpanChunk, query: Query, matchers: Matcher[], results: Results): void {
	const details = matchers.map((m) => {
		const found = new Uint8Array(chunk.detailCount + 1);
		if (m.part) for (let i = 1; i < found.length; i++) found[i] = m.part(chunk.detailText(i))?.toLowerCase().includes(m.text) ? 1 : 0;
		return found;
	});
	for (const [track, [first, end]] of chunk.ranges) {
		const ofTrack = matchers.map((m) => m.tracks.get(track) === true);
		// What the track alone rules out.
		if (matchers.some((m, k) => m.not && ofTrack[k])) continue;
		next: for (let i = first; i < end; i++) {
			const length = chunk.length[i]!;
			if (length < query.least || length > query.most || chunk.count[i]! > 1) continue;
			for (let k = 0; k < matchers.length; k++) {
				const m = matchers[k]!;
				const matches = ofTrack[k]! || m.names[chunk.name[i]!] === 1 || m.categories[chunk.category[i]!] === 1 || details[k]![chunk.detail[i]!] === 1;
				if (matches === m.not) continue next;
			}
			if (results.hits.length >= MOST_HITS) {
				results.more = true;
				return;
			}
			const message = messageOf(chunk.detailText(chunk.detail[i]!))?.slice(0, MOST_CHARACTERS);
			results.hits.push({ track, from: chunk.from[i]!, length, name: chunk.name[i]!, category: chunk.category[i]!, message });
		}
	}
}

// Looks through all spans. A search for long ones reads the level of detail that still has each of them.
// `progress` is called now and then, and ends the search by returning false.
export async function search(meta: Meta, store: Store, text: string, progress: (results: Results) => boolean): Promise<Results | undefined> {
	const query = parseQuery(text);
	const results = new Results(text);
	if (isEmpty(query)) return undefined;
	const matchers = query.words.map((word) => matcherOf(meta, word));
	const chunks = meta.levels[store.levelFor(query.least)]!.chunks;
	let last = performance.now();
	for (let i = 0; i < chunks.length && !results.more; i++) {
		scan(await store.span(chunks[i]!), query, matchers, results);
		results.part = (i + 1) / chunks.length;
		if (performance.now() - last > 30) {
			if (!progress(results)) return undefined;
			await new Promise((resolve) => setTimeout(resolve));
			last = performance.now();
		}
	}
	results.finish();
	return progress(results) ? results : undefined;
}
