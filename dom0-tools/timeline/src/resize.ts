// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes the panel wider or narrower: by dragging its edge, or with the arrows when that has the focus.

const LEAST = 220;
const STEP = 30;

export function resizable(grip: HTMLElement, panel: HTMLElement): void {
	const widen = (width: number) => {
		const most = Math.max(innerWidth * 0.7, LEAST);
		document.body.style.setProperty("--panel", `${Math.round(Math.min(Math.max(width, LEAST), most))}px`);
	};
	grip.addEventListener("pointerdown", (event) => {
		grip.setPointerCapture(event.pointerId);
		grip.classList.add("held");
	});
	grip.addEventListener("pointermove", (event) => {
		if (grip.classList.contains("held")) widen(innerWidth - event.clientX);
	});
	for (const end of ["pointerup", "pointercancel"]) grip.addEventListener(end, () => grip.classList.remove("held"));
	grip.addEventListener("keydown", (event) => {
		const way = event.key === "ArrowLeft" ? 1 : event.key === "ArrowRight" ? -1 : 0;
		if (way === 0) return;
		event.preventDefault();
		event.stopPropagation();
		widen(panel.clientWidth + way * STEP);
	});
}
