// SPDX-License-Identifier: GPL-2.0-or-later
//
// Describes a timeline: its tracks, names, categories and chunks, as the writer put them into the page.
// All times are nanoseconds since `begin`, but for `begin` itself. docs/formats.md has the contract.

export type Kind =
	| "group" | "pcpu" | "vcpu" | "exits" | "hypercalls" | "task" | "syscalls" | "requests" | "messages" | "irqs"
	| "softirqs" | "runqueue" | "source";

const HUES = [
	"running", "waiting", "blocked", "paused", "unknown", "idle", "exit", "hypercall", "syscall", "irq", "softirq", "message", "request", "domain",
] as const;
export type Hue = (typeof HUES)[number];

export interface Track {
	id: number;
	parent: number;
	kind: Kind;
	name: string;
	detail: string;
	domain: string;
	host: string;
	process: string;
	isFold: boolean; // a group that only this page made, of a domain's other tasks
}

export interface Category {
	key: string;
	name: string;
	hue: Hue;
	index: number;
}

export interface ChunkInfo {
	id: number;
	from: number;
	to: number;
	longest: number;
	count: number;
}

export interface Level {
	resolution: number;
	chunks: ChunkInfo[];
}

export interface Bar {
	from: number;
	to: number;
	count: number;
	instances: [track: number, from: number, length: number][];
}

export interface Histogram {
	name: string;
	bars: Bar[];
}

export interface Loss {
	track: number;
	from: number;
	to: number;
	count: number;
}

export interface Clock {
	host: string;
	domain: string; // or the process, or "xen"
	layer: string;
	points: [at: number, bound: number][];
}

export interface Meta {
	title: string;
	command: string;
	serve: boolean;
	answers: boolean; // the server says why an instance took its time
	begin: bigint;
	length: number;
	tracks: Track[];
	byId: Map<number, Track>;
	strings: string[];
	categories: Category[];
	levels: Level[];
	arrowChunks: ChunkInfo[];
	histograms: Histogram[];
	losses: Loss[];
	clocks: Clock[];
	why: Map<string, string>;
	facts: { events: number; spans: number; arrows: number; lost: number; notShown: string };
}

// A length whose bound nobody knows.
export const UNKNOWN = 2 ** 53 - 1;

type Json = Record<string, any>;

function list(value: unknown): Json[] {
	return Array.isArray(value) ? value : [];
}

function number(value: unknown, otherwise = 0): number {
	return typeof value === "number" && Number.isFinite(value) ? value : otherwise;
}

function text(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function chunk(json: Json): ChunkInfo {
	const from = number(json.from);
	return {
		id: number(json.id),
		from,
		to: Math.max(number(json.to), from),
		longest: number(json.longest, UNKNOWN),
		count: number(json.spans ?? json.arrows),
	};
}

function track(json: Json): Track {
	return {
		id: number(json.id),
		parent: number(json.parent, -1),
		kind: text(json.kind) as Kind,
		name: text(json.name),
		detail: text(json.detail),
		domain: text(json.domain),
		host: text(json.host),
		process: text(json.process),
		isFold: false,
	};
}

const TASKS = 6; // the busiest of a domain; the writer puts them first

// Puts all but the busiest tasks of each domain into a group of their own.
function foldTasks(tracks: Track[]): Track[] {
	const tasks = new Map<number, Track[]>();
	for (const t of tracks) {
		if (t.kind !== "task") continue;
		const siblings = tasks.get(t.parent);
		if (siblings) siblings.push(t);
		else tasks.set(t.parent, [t]);
	}
	let id = Math.max(0, ...tracks.map((t) => t.id + 1));
	const groups = new Map<Track, Track>();
	for (const [parent, children] of tasks) {
		if (children.length <= TASKS + 2 || parent === -1) continue;
		const rest = children.slice(TASKS);
		const group: Track = { ...rest[0]!, id: id++, kind: "group", name: `${rest.length} more tasks`, detail: "", process: "", isFold: true };
		groups.set(rest[0]!, group);
		for (const t of rest) t.parent = group.id;
	}
	return tracks.flatMap((t) => (groups.has(t) ? [groups.get(t)!, t] : [t]));
}

// Parses the writer's META. Throws an Error that says what is wrong with it.
export function parseMeta(source: string): Meta {
	const json: Json = JSON.parse(source);
	if (json.version !== 1)
		throw new Error(`this page reads version 1 of the data, which are of version ${json.version}`);
	if (!/^\d+$/.test(json.begin_ns)) throw new Error("begin_ns is no decimal number");
	const strings = list(json.strings).map((s) => text(s));
	const tracks = foldTasks(list(json.tracks).map(track));
	const byId = new Map(tracks.map((t) => [t.id, t]));
	// The order makes loops of parents impossible.
	const seen = new Set<number>();
	for (const t of tracks) {
		if (t.parent !== -1 && !seen.has(t.parent)) throw new Error(`track ${t.id} stands before its parent`);
		if (seen.has(t.id)) throw new Error(`two tracks have the id ${t.id}`);
		seen.add(t.id);
	}
	const categories: Category[] = [];
	for (const c of list(json.categories))
		categories[number(c.id)] = {
			key: text(c.key),
			name: strings[number(c.name)] ?? "",
			hue: HUES.find((hue) => hue === c.hue) ?? "unknown",
			index: number(c.index, -1),
		};
	const levels = list(json.levels).map((l) => ({
		resolution: number(l.resolution_ns),
		chunks: list(l.chunks).map(chunk),
	}));
	if (levels.length === 0) throw new Error("there is no level of detail");
	return {
		title: text(json.title),
		command: text(json.command),
		serve: json.serve === true,
		answers: json.serve === true && json.answers === true,
		begin: BigInt(json.begin_ns),
		length: Math.max(number(json.length_ns), 1),
		tracks,
		byId,
		strings,
		categories,
		levels: levels.sort((a, b) => a.resolution - b.resolution),
		arrowChunks: list(json.arrows?.chunks).map(chunk),
		histograms: list(json.histograms).map((h) => ({
			name: typeof h.name === "number" ? (strings[h.name] ?? "") : text(h.name),
			bars: list(h.bars).map((b) => ({
				from: number(b.from),
				to: number(b.to),
				count: number(b.count),
				instances: list(b.instances) as unknown as Bar["instances"],
			})),
		})),
		losses: list(json.losses).map(([track, from, to, count]: any) => ({ track, from, to, count })),
		clocks: list(json.clock).map((c) => ({
			host: text(c.host),
			domain: text(c.domain),
			layer: text(c.layer),
			points: list(c.points) as unknown as Clock["points"],
		})),
		why: new Map(Object.entries((json.why as Record<string, string>) ?? {})),
		facts: {
			events: number(json.facts?.events),
			spans: number(json.facts?.spans),
			arrows: number(json.facts?.arrows),
			lost: number(json.facts?.losses),
			notShown: text(json.facts?.not_shown),
		},
	};
}

// The names of a track and of all above it, the outermost first.
export function path(meta: Meta, id: number): string[] {
	const names: string[] = [];
	for (let t = meta.byId.get(id); t; t = meta.byId.get(t.parent)) if (!t.isFold || t.id === id) names.unshift(t.name);
	return names;
}
