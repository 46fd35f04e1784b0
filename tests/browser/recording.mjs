// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes timelines as `strata timeline` does, by docs/formats.md alone: nothing here is shared with its writer.
import { deflateRawSync } from "node:zlib";

export const UNKNOWN = 2 ** 53 - 1;
const MOST_IN_CHUNK = 20000;

function varint(out, value) {
	while (value > 127) {
		out.push((value % 128) | 128);
		value = Math.floor(value / 128);
	}
	out.push(value);
}

function word(out, value) {
	out.push(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255);
}

// What a timeline is made of, by name: categories and texts get their numbers when they are first used.
export class Recording {
	constructor(title, length_ns) {
		this.meta = {
			version: 1, title, command: `strata timeline ${title}`, serve: false, begin_ns: "1795360853126702985", length_ns,
			tracks: [], strings: [], categories: [], levels: [], arrows: { chunks: [] }, requests: [], histograms: [],
			losses: [], clock: [], why: {}, facts: { events: 0, spans: 0, arrows: 0, not_shown: "" },
		};
		this.spans = [];
		this.arrows = [];
		this.texts = new Map();
		this.keys = new Map();
	}

	string(text) {
		if (!this.texts.has(text)) this.texts.set(text, this.meta.strings.push(text) - 1);
		return this.texts.get(text);
	}

	category(key, name, hue, index = -1) {
		if (!this.keys.has(key)) {
			this.keys.set(key, this.meta.categories.length);
			this.meta.categories.push({ id: this.meta.categories.length, key, name: this.string(name), hue, index });
		}
		return this.keys.get(key);
	}

	track(kind, name, { parent = -1, detail = "", domain = "", host = "", process = "" } = {}) {
		const id = this.meta.tracks.length;
		this.meta.tracks.push({ id, parent, kind, name, detail, domain, host, process });
		return id;
	}

	span(track, from, length, name, category, { bound = 1, detail = "", count = 1 } = {}) {
		this.spans.push({ track, from: Math.round(from), length: Math.round(length), name: this.string(name), category, bound, detail, count });
	}

	arrow(kind, from_track, from, to_track, to, bound = 2) {
		this.arrows.push({ kind, from_track, from: Math.round(from), to_track, to: Math.round(to), bound });
	}

	// The page with all of it inside; or what a server has: { page, chunks }.
	write(template, { serve = false } = {}) {
		const chunks = new Map();
		const keep = (bytes) => {
			const id = chunks.size;
			chunks.set(id, deflateRawSync(Uint8Array.from(bytes), { level: 4 }));
			return id;
		};
		const { meta } = this;
		meta.serve = serve;
		meta.facts.spans = this.spans.length;
		meta.facts.arrows = this.arrows.length;
		meta.facts.events ||= this.spans.length * 2;
		meta.levels = [{ resolution_ns: 0, chunks: spanChunks(this.spans, keep) }];
		let before = this.spans;
		for (let resolution = 4096; resolution < meta.length_ns / 256; resolution *= 4) {
			const coarser = merged(before, resolution);
			// One that saves little is not worth its bytes.
			if (coarser.length > before.length * 0.6) continue;
			before = coarser;
			meta.levels.push({ resolution_ns: resolution, chunks: spanChunks(before, keep) });
		}
		meta.arrows.chunks = arrowChunks(this.arrows, keep);
		const parts = [`<script type="application/json" id="strata-meta">${JSON.stringify(meta).replace(/</g, "\\u003c")}</script>`];
		if (!serve) for (const [id, bytes] of chunks) parts.push(`<script type="text/plain" id="strata-chunk-${id}">${bytes.toString("base64")}</script>`);
		const place = "<!--STRATA-DATA-->";
		if (template.split(place).length !== 2) throw new Error(`the page holds ${place} not once`);
		return { page: template.replace(place, () => parts.join("\n")), chunks };
	}
}

// Neighbours on a track that are shorter than the resolution become one, as long as they come within it.
function merged(spans, resolution) {
	const open = new Map();
	const out = [];
	const close = (block) => {
		if (block.members.length === 1) return out.push(block.members[0]);
		const times = new Map();
		let longest = block.members[0];
		for (const m of block.members) {
			times.set(m.category, (times.get(m.category) ?? 0) + m.length);
			if (m.length > longest.length) longest = m;
		}
		const category = [...times].sort((x, y) => y[1] - x[1])[0][0];
		const count = block.members.reduce((sum, m) => sum + m.count, 0);
		out.push({ track: longest.track, from: block.from, length: block.to - block.from, name: longest.name, category, bound: UNKNOWN, detail: "", count });
	};
	for (const span of [...spans].sort((x, y) => x.from - y.from)) {
		const end = span.from + span.length;
		const block = open.get(span.track);
		if (span.length < resolution && block && end - block.from <= resolution) {
			block.to = end;
			block.members.push(span);
			continue;
		}
		if (block) close(block);
		open.delete(span.track);
		if (span.length < resolution) open.set(span.track, { from: span.from, to: end, members: [span] });
		else out.push(span);
	}
	for (const block of open.values()) close(block);
	return out;
}

// Spans of one class of length go together, so that few chunks reach far.
function spanChunks(spans, keep) {
	const classes = new Map();
	for (const span of [...spans].sort((x, y) => x.from - y.from || x.track - y.track)) {
		const size = Math.floor(Math.log2(span.length + 1) / 6);
		if (!classes.has(size)) classes.set(size, []);
		classes.get(size).push(span);
	}
	const infos = [];
	for (const list of classes.values())
		for (let i = 0; i < list.length; i += MOST_IN_CHUNK) {
			const part = list.slice(i, i + MOST_IN_CHUNK);
			const from = part[0].from;
			const bytes = [];
			word(bytes, 0x53544331);
			word(bytes, part.length);
			const details = new Map();
			let last = from;
			for (const s of part) varint(bytes, s.track);
			for (const s of part) {
				varint(bytes, s.from - last);
				last = s.from;
			}
			for (const column of ["length", "name", "category", "bound"]) for (const s of part) varint(bytes, s[column]);
			for (const s of part) {
				if (s.detail && !details.has(s.detail)) details.set(s.detail, details.size + 1);
				varint(bytes, s.detail ? details.get(s.detail) : 0);
			}
			for (const s of part) varint(bytes, s.count);
			varint(bytes, details.size);
			for (const text of details.keys()) {
				const utf8 = new TextEncoder().encode(text);
				varint(bytes, utf8.length);
				for (const byte of utf8) bytes.push(byte);
			}
			const id = keep(bytes);
			infos.push({ id, from, to: part[part.length - 1].from + 1, longest: part.reduce((most, s) => Math.max(most, s.length), 0), spans: part.length, bytes: bytes.length });
		}
	return infos;
}

function arrowChunks(arrows, keep) {
	const infos = [];
	const sorted = [...arrows].sort((x, y) => x.from - y.from);
	for (let i = 0; i < sorted.length; i += MOST_IN_CHUNK) {
		const part = sorted.slice(i, i + MOST_IN_CHUNK);
		const from = part[0].from;
		const bytes = [];
		word(bytes, 0x53544131);
		word(bytes, part.length);
		let last = from;
		for (const a of part) varint(bytes, a.kind);
		for (const a of part) varint(bytes, a.from_track);
		for (const a of part) {
			varint(bytes, a.from - last);
			last = a.from;
		}
		for (const a of part) varint(bytes, a.to_track);
		for (const a of part) varint(bytes, a.to >= a.from ? (a.to - a.from) * 2 : (a.from - a.to) * 2 - 1);
		for (const a of part) varint(bytes, a.bound);
		const longest = part.reduce((most, a) => Math.max(most, Math.abs(a.to - a.from)), 0);
		infos.push({ id: keep(bytes), from, to: part[part.length - 1].from + 1, longest, arrows: part.length });
	}
	return infos;
}

// Bars of a latency histogram, five to a factor of ten.
export function histogram(name, instances) {
	const bars = new Map();
	for (const instance of instances) {
		const k = Math.floor(Math.log10(Math.max(instance[2], 1)) * 5);
		if (!bars.has(k)) bars.set(k, { from: Math.round(10 ** (k / 5)), to: Math.round(10 ** ((k + 1) / 5)), count: 0, instances: [] });
		const bar = bars.get(k);
		bar.count++;
		bar.instances.push(instance);
	}
	for (const bar of bars.values()) bar.instances = bar.instances.sort((x, y) => y[2] - x[2]).slice(0, 50);
	return { name, unit: "ns", bars: [...bars].sort((x, y) => x[0] - y[0]).map(([, bar]) => bar) };
}
