// SPDX-License-Identifier: GPL-2.0-or-later
//
// Decodes chunks into typed arrays: columns of LEB128 numbers, spans grouped by track.
import { UNKNOWN } from "./meta";

const SPANS = 0x53544331; // "STC1"
const ARROWS = 0x53544131; // "STA1"

// Reads numbers one after the other; throws at the end of the bytes.
class Reader {
	at = 0;
	constructor(readonly bytes: Uint8Array) {}

	word(): number {
		if (this.at + 4 > this.bytes.length) throw new Error("a chunk ends in its head");
		const value = new DataView(this.bytes.buffer, this.bytes.byteOffset).getUint32(this.at, true);
		this.at += 4;
		return value;
	}

	varint(): number {
		let byte = this.bytes[this.at++]!;
		let value = byte & 127;
		for (let unit = 128; byte > 127; unit *= 128) {
			byte = this.bytes[this.at++]!;
			value += (byte & 127) * unit;
		}
		if (this.at > this.bytes.length) throw new Error("a chunk ends in a number");
		return value;
	}

	// All columns go through arrays of one type: a loop that meets several is compiled for none of them.
	column(n: number, out: Float64Array): void {
		const bytes = this.bytes;
		let at = this.at;
		for (let i = 0; i < n; i++) {
			let byte = bytes[at++]!;
			let value = byte & 127;
			for (let unit = 128; byte > 127; unit *= 128) {
				byte = bytes[at++]!;
				value += (byte & 127) * unit;
			}
			out[i] = value;
		}
		if (at > bytes.length) throw new Error("a chunk ends in a column");
		this.at = at;
	}
}

function open(bytes: Uint8Array, magic: number, columns: number): [Reader, number] {
	const reader = new Reader(bytes);
	if (reader.word() !== magic) throw new Error("a chunk is not of the kind that it should be");
	const n = reader.word();
	// Each number takes a byte at least: what is allocated is bounded by what there is.
	if (n * columns > bytes.length) throw new Error("a chunk has fewer bytes than numbers");
	return [reader, n];
}

export class SpanChunk {
	// Where the spans of a track are: [first, end).
	readonly ranges = new Map<number, readonly [number, number]>();
	track!: Uint32Array;
	from!: Float64Array;
	length!: Float64Array;
	name!: Uint32Array;
	category!: Uint16Array;
	bound!: Float64Array;
	detail!: Uint32Array;
	count!: Uint32Array;
	usedAt = 0;
	private details: Uint8Array[] = [];

	constructor(readonly id: number, bytes: Uint8Array, base: number) {
		const [reader, n] = open(bytes, SPANS, 8);
		const numbers = new Float64Array(n);
		reader.column(n, numbers);
		const track = new Uint32Array(numbers);
		const order = this.group(track);
		const next = <A extends { [index: number]: number }>(out: A): A => {
			reader.column(n, numbers);
			for (let i = 0; i < n; i++) out[order[i]!] = numbers[i]!;
			return out;
		};
		this.track = new Uint32Array(n);
		for (let i = 0; i < n; i++) this.track[order[i]!] = track[i]!;
		reader.column(n, numbers);
		this.from = new Float64Array(n);
		let time = base;
		for (let i = 0; i < n; i++) this.from[order[i]!] = time += numbers[i]!;
		this.length = next(new Float64Array(n));
		this.name = next(new Uint32Array(n));
		this.category = next(new Uint16Array(n));
		this.bound = next(new Float64Array(n));
		this.detail = next(new Uint32Array(n));
		this.count = next(new Uint32Array(n));
		const texts = reader.at < bytes.length ? reader.varint() : 0;
		for (let i = 0; i < texts; i++) {
			const length = reader.varint();
			if (length > bytes.length - reader.at) throw new Error("a chunk ends in a detail");
			this.details.push(bytes.subarray(reader.at, reader.at + length));
			reader.at += length;
		}
	}

	// Where each span goes, so that those of a track are together, in order of time.
	private group(track: Uint32Array): Uint32Array {
		const sizes = new Map<number, number>();
		for (const t of track) sizes.set(t, (sizes.get(t) ?? 0) + 1);
		const next = new Map<number, number>();
		let at = 0;
		for (const [t, size] of sizes) {
			this.ranges.set(t, [at, at + size]);
			next.set(t, at);
			at += size;
		}
		const order = new Uint32Array(track.length);
		for (let i = 0; i < track.length; i++) {
			const place = next.get(track[i]!)!;
			order[i] = place;
			next.set(track[i]!, place + 1);
		}
		return order;
	}

	// The text of detail number `detail` of a span; "" for 0.
	detailText(detail: number): string {
		const bytes = detail > 0 ? this.details[detail - 1] : undefined;
		return bytes ? new TextDecoder().decode(bytes) : "";
	}

	get detailCount(): number {
		return this.details.length;
	}
}

// One span, taken out of its chunk.
export interface Span {
	track: number;
	from: number;
	length: number;
	name: number;
	category: number;
	bound: number;
	count: number;
	detail: string;
}

// What a message says, from its details; undefined for other spans.
export function messageOf(detail: string): string | undefined {
	const key = "message=";
	return detail.startsWith(key) ? detail.slice(key.length) : undefined;
}

export function spanAt(chunk: SpanChunk, i: number): Span {
	return {
		track: chunk.track[i]!,
		from: chunk.from[i]!,
		length: chunk.length[i]!,
		name: chunk.name[i]!,
		category: chunk.category[i]!,
		bound: chunk.bound[i]!,
		count: chunk.count[i]!,
		detail: chunk.detailText(chunk.detail[i]!),
	};
}

// The first of [first, end) whose time is `at` or later.
export function firstAt(times: Float64Array, first: number, end: number, at: number): number {
	while (first < end) {
		const middle = (first + end) >>> 1;
		if (times[middle]! < at) first = middle + 1;
		else end = middle;
	}
	return first;
}

export interface Arrow {
	kind: number;
	fromTrack: number;
	from: number;
	toTrack: number;
	to: number;
	bound: number;
	// Whether the bound leaves no doubt about which end came first.
	ordered: boolean;
}

export function decodeArrows(bytes: Uint8Array, base: number): Arrow[] {
	const [reader, n] = open(bytes, ARROWS, 6);
	const columns = Array.from({ length: 6 }, () => {
		const column = new Float64Array(n);
		reader.column(n, column);
		return column;
	});
	const [kind, fromTrack, from, toTrack, zigzag, bound] = columns as [
		Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array,
	];
	const arrows: Arrow[] = [];
	let time = base;
	for (let i = 0; i < n; i++) {
		time += from[i]!;
		const length = zigzag[i]! % 2 === 0 ? zigzag[i]! / 2 : -(zigzag[i]! + 1) / 2;
		arrows.push({
			kind: kind[i]!,
			fromTrack: fromTrack[i]!,
			from: time,
			toTrack: toTrack[i]!,
			to: time + length,
			bound: bound[i]!,
			ordered: bound[i]! < UNKNOWN && Math.abs(length) > bound[i]!,
		});
	}
	return arrows;
}
