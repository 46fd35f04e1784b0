// SPDX-License-Identifier: GPL-2.0-or-later
//
// Explains the colours and forms of this recording, in the panel and in print.
import { el } from "./dom";
import { visible } from "./format";
import type { Category, Hue, Meta } from "./meta";
import { domainsOf, type Styles } from "./styles";
import { domainColour, type Theme } from "./theme";

const GROUPS: [title: string, hues: Hue[]][] = [
	["On a physical CPU", ["domain"]],
	["vCPUs and tasks", ["running", "waiting", "blocked", "paused", "idle", "unknown"]],
	["What happens in them", ["request", "message", "syscall", "irq", "softirq", "exit", "hypercall"]],
];

export const ARROW_NAMES = ["wake-up", "event channel", "interrupt", "who held the pCPU"];

function swatch(form: string, colour: string): HTMLElement {
	const element = el("span", { className: `swatch ${form}` });
	element.style.setProperty("--fill", colour);
	return element;
}

function item(mark: HTMLElement, text: string): HTMLElement {
	return el("li", {}, mark, el("span", {}, text));
}

function arrow(colour: string, dashed: boolean): HTMLElement {
	const mark = el("span", { className: dashed ? "arrow dashed" : "arrow" });
	mark.style.setProperty("--fill", colour);
	return mark;
}

function stripes(colours: string[]): HTMLElement {
	const width = 100 / colours.length;
	const element = swatch("full", "");
	element.style.background = `linear-gradient(90deg, ${colours.map((c, i) => `${c} ${i * width}% ${(i + 1) * width}%`).join(", ")})`;
	return element;
}

// One entry for each look: exits by reason look all the same.
function entries(meta: Meta, styles: Styles, hues: Hue[]): HTMLElement[] {
	const domains = domainsOf(meta);
	const looks = new Map<string, { category: Category; mark: HTMLElement; names: string[] }>();
	meta.categories.forEach((category, i) => {
		const fill = styles.fills[i];
		if (!fill || !hues.includes(category.hue)) return;
		if (category.hue === "running" && domains.size > 0) return;
		if (category.hue === "domain" && !domains.has(category.name)) return;
		const key = `${category.hue} ${fill.colour} ${fill.form}`;
		const look = looks.get(key);
		if (look) look.names.push(category.name);
		else looks.set(key, { category, mark: swatch(fill.form, fill.colour), names: [category.name] });
	});
	return [...looks.values()]
		.sort((x, y) => hues.indexOf(x.category.hue) - hues.indexOf(y.category.hue))
		.map((look) => {
			const names = [...new Set(look.names)].map(visible);
			return item(look.mark, names.length > 3 ? `${names.slice(0, 3).join(", ")}, …` : names.join(", "));
		});
}

export function legend(meta: Meta, styles: Styles): HTMLElement[] {
	const theme: Theme = styles.theme;
	const groups = GROUPS.map(([title, hues]): [string, HTMLElement[]] => [title, entries(meta, styles, hues)]);
	const ran = [...domainsOf(meta).values()].slice(0, 4).map((index) => domainColour(theme, index));
	if (ran.length > 0) groups[1]![1].unshift(item(stripes(ran), "runs, in its domain's colour"));
	const signs: HTMLElement[] = [];
	if (!meta.categories.some((c) => c?.hue === "unknown")) signs.push(item(swatch("hatched", theme.hatch), "state unknown"));
	signs.push(item(swatch("lost", theme.loss), "events were lost"));
	const arrows = ARROW_NAMES.map((name, i) => item(arrow(theme.arrows[i]!, false), name));
	arrows.push(item(arrow(theme.faint, true), "order unsure: closer than the clocks' bound"));
	groups.push(["Signs", signs]);
	if (meta.facts.arrows > 0 || meta.arrowChunks.length > 0) groups.push(["Arrows", arrows]);
	return groups
		.filter(([, items]) => items.length > 0)
		.map(([title, items]) => el("div", { className: "legend" }, el("h3", {}, title), el("ul", {}, ...items)));
}
