// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes and finds elements. Text goes in as text, never as markup.

type Child = Node | string | undefined | false;

export function el<K extends keyof HTMLElementTagNameMap>(
	tag: K,
	properties: Partial<Omit<HTMLElementTagNameMap[K], "style">> & { label?: string } = {},
	...children: Child[]
): HTMLElementTagNameMap[K] {
	const element = document.createElement(tag);
	const { label, ...rest } = properties;
	Object.assign(element, rest);
	if (label) element.setAttribute("aria-label", label);
	element.append(...children.filter((c): c is Node | string => c !== undefined && c !== false));
	return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
	const element = document.getElementById(id);
	if (!element) throw new Error(`the page has no #${id}`);
	return element as T;
}

// Gives an element a text. The same again leaves it alone: the browser would lay the page out anew.
export function setText(element: HTMLElement, text: string): void {
	if (element.textContent !== text) element.textContent = text;
}

// A canvas in the pixels of the device, as large as its element.
export function fitCanvas(canvas: HTMLCanvasElement, width: number, height: number, scale: number): boolean {
	const [w, h] = [Math.max(Math.round(width * scale), 1), Math.max(Math.round(height * scale), 1)];
	if (canvas.width === w && canvas.height === h) return false;
	canvas.width = w;
	canvas.height = h;
	return true;
}
