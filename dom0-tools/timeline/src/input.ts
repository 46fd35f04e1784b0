// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns what mouse, wheel and keyboard do into actions.

export interface Lanes {
	// `part`: where in the width, of 1.
	zoom(factor: number, part: number, glide: boolean): void;
	pan(part: number, glide: boolean): void;
	scroll(pixels: number): void;
	point(x: number, y: number): void;
	leave(): void;
	click(x: number, y: number): void;
	fitAt(x: number, y: number): void;
	measure(x0: number, y0: number, x1: number, y1: number): void;
}

const STILL = 4; // pixels: less is a click
const WHEEL = 0.0018;

export function pointAt(element: HTMLElement, lanes: Lanes): void {
	let held: { x: number; y: number; lastX: number; lastY: number; moved: boolean; measures: boolean } | undefined;
	const place = (event: MouseEvent): [number, number] => {
		const box = element.getBoundingClientRect();
		return [event.clientX - box.left, event.clientY - box.top];
	};
	element.addEventListener("pointerdown", (event) => {
		if (event.button !== 0) return;
		const [x, y] = place(event);
		held = { x, y, lastX: x, lastY: y, moved: false, measures: event.shiftKey };
		element.setPointerCapture(event.pointerId);
	});
	element.addEventListener("pointermove", (event) => {
		const [x, y] = place(event);
		if (held) {
			held.moved ||= Math.hypot(x - held.x, y - held.y) > STILL;
			if (held.moved && held.measures) lanes.measure(held.x, held.y, x, y);
			else if (held.moved) {
				element.classList.add("dragged");
				lanes.pan(-(x - held.lastX) / element.clientWidth, false);
				lanes.scroll(-(y - held.lastY));
			}
			held.lastX = x;
			held.lastY = y;
		}
		lanes.point(x, y);
	});
	const release = (event: PointerEvent) => {
		element.classList.remove("dragged");
		if (held && !held.moved && event.type === "pointerup") lanes.click(...place(event));
		held = undefined;
	};
	element.addEventListener("pointerup", release);
	element.addEventListener("pointercancel", release);
	element.addEventListener("pointerleave", () => lanes.leave());
	element.addEventListener("dblclick", (event) => lanes.fitAt(...place(event)));
	element.addEventListener(
		"wheel",
		(event) => {
			event.preventDefault();
			const unit = event.deltaMode === 1 ? 30 : event.deltaMode === 2 ? 300 : 1;
			const along = event.deltaX * unit;
			const down = event.deltaY * unit;
			if (event.shiftKey || Math.abs(along) > Math.abs(down)) lanes.pan((Math.abs(along) > Math.abs(down) ? along : down) / element.clientWidth, false);
			else lanes.zoom(Math.exp(-down * WHEEL), place(event)[0] / element.clientWidth, false);
			lanes.point(...place(event));
		},
		{ passive: false },
	);
}

// Calls an action for each key, unless one writes into a field.
export function listen(keys: Record<string, (event: KeyboardEvent) => void>): void {
	document.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		const target = event.target as HTMLElement;
		const writes = target.matches("input, select, textarea") || document.querySelector("dialog[open]") !== null;
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
		if (writes && key !== "?") return;
		if (writes && target.matches("input")) return;
		const action = keys[event.shiftKey && key.length === 1 && /[a-z]/.test(key) ? `shift+${key}` : key];
		if (!action) return;
		event.preventDefault();
		action(event);
	});
}

// On the strip of the whole recording: a click or drag inside the seen part moves it, outside it chooses anew.
export function strip(element: HTMLElement, seen: () => [number, number], choose: (from: number, to: number) => void): void {
	let held: { start: number; grip: number | undefined } | undefined;
	const place = (event: PointerEvent) => {
		const box = element.getBoundingClientRect();
		return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
	};
	element.addEventListener("pointerdown", (event) => {
		const x = place(event);
		const [from, to] = seen();
		const inside = x >= from && x <= to && to - from < 0.98;
		held = { start: x, grip: inside ? x - from : undefined };
		element.setPointerCapture(event.pointerId);
	});
	element.addEventListener("pointermove", (event) => {
		if (!held) return;
		const x = place(event);
		const [from, to] = seen();
		if (held.grip !== undefined) choose(x - held.grip, x - held.grip + (to - from));
		else if (Math.abs(x - held.start) * element.clientWidth > STILL) choose(Math.min(x, held.start), Math.max(x, held.start));
	});
	element.addEventListener("pointerup", (event) => {
		if (!held) return;
		const x = place(event);
		const [from, to] = seen();
		const still = Math.abs(x - held.start) * element.clientWidth <= STILL;
		if (still && held.grip === undefined) choose(x - (to - from) / 2, x + (to - from) / 2);
		held = undefined;
	});
}
