// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lays the tracks out as rows: which are seen, where, how high; what is collapsed and what stands for it.
import type { Kind, Meta, Track } from "./meta";

export interface Row {
	track: Track;
	y: number;
	height: number;
	depth: number;
	parent: boolean; // has rows below it
	open: boolean;
	// Tracks that a collapsed row shows in miniature.
	inside: number[];
}

const HEIGHTS: Record<Kind, number> = {
	group: 26, pcpu: 24, vcpu: 24, exits: 15, hypercalls: 15, task: 22, syscalls: 15, requests: 24, messages: 15, irqs: 15,
	softirqs: 15, runqueue: 24, source: 15,
};
const SPACE_ABOVE = 10; // a group of the outermost level
const MOST_INSIDE = 12;
const MANY = 14; // a group of more tasks than that begins collapsed

export class Rows {
	rows: Row[] = [];
	height = 0;
	readonly collapsed = new Set<number>();
	private children = new Map<number, Track[]>();
	private placeOf = new Map<number, number>();

	constructor(private meta: Meta) {
		for (const track of meta.tracks) {
			const list = this.children.get(track.parent) ?? [];
			list.push(track);
			this.children.set(track.parent, list);
		}
		for (const track of meta.tracks) {
			const children = this.childrenOf(track);
			const many = children.filter((child) => child.kind === "task").length > MANY || track.isFold;
			if (track.kind === "group" ? many : track.kind === "task" && children.length > 0) this.collapsed.add(track.id);
		}
		this.layout();
	}

	childrenOf(track: Track): Track[] {
		return this.children.get(track.id) ?? [];
	}

	// All tracks below one that have spans.
	below(track: Track): number[] {
		const found: number[] = [];
		for (const child of this.childrenOf(track)) {
			if (child.kind !== "group") found.push(child.id);
			found.push(...this.below(child));
		}
		return found;
	}

	toggle(id: number): void {
		if (!this.collapsed.delete(id)) this.collapsed.add(id);
		this.layout();
	}

	// Opens all that hides a track.
	uncover(id: number): void {
		const track = this.meta.byId.get(id);
		for (let t = track && this.meta.byId.get(track.parent); t; t = this.meta.byId.get(t.parent)) this.collapsed.delete(t.id);
		this.layout();
	}

	layout(): void {
		this.rows = [];
		this.placeOf.clear();
		let y = 0;
		const place = (track: Track, depth: number): void => {
			const children = this.childrenOf(track);
			const open = !this.collapsed.has(track.id);
			if (depth === 0 && this.rows.length > 0) y += SPACE_ABOVE;
			const height = HEIGHTS[track.kind] ?? 20;
			const inside = open || track.kind !== "group" ? [] : this.below(track).slice(0, MOST_INSIDE);
			this.placeOf.set(track.id, this.rows.length);
			this.rows.push({ track, y, height, depth, parent: children.length > 0, open, inside });
			y += height;
			if (open) for (const child of children) place(child, depth + 1);
			else for (const hidden of this.descendants(track)) this.placeOf.set(hidden, this.placeOf.get(track.id)!);
		};
		for (const track of this.children.get(-1) ?? []) place(track, 0);
		this.height = y;
	}

	private descendants(track: Track): number[] {
		return this.childrenOf(track).flatMap((child) => [child.id, ...this.descendants(child)]);
	}

	// The row of a track, or the collapsed one that it is in.
	rowOf(id: number): Row | undefined {
		const place = this.placeOf.get(id);
		return place === undefined ? undefined : this.rows[place];
	}

	at(y: number): Row | undefined {
		const i = this.firstBelow(y);
		const row = this.rows[i];
		return row && y >= row.y ? row : undefined;
	}

	// The first row that ends below `y`.
	firstBelow(y: number): number {
		let first = 0;
		let end = this.rows.length;
		while (first < end) {
			const middle = (first + end) >>> 1;
			const row = this.rows[middle]!;
			if (row.y + row.height <= y) first = middle + 1;
			else end = middle;
		}
		return first;
	}

	between(top: number, bottom: number): Row[] {
		const rows: Row[] = [];
		for (let i = this.firstBelow(top); i < this.rows.length && this.rows[i]!.y < bottom; i++) rows.push(this.rows[i]!);
		return rows;
	}
}
