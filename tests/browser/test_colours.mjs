#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Colours can be told apart, by people with every kind of colour vision, on white and on black; text is legible.
import { assert, call, check, finish, noComplaints, open, rgb, saved, template } from "./browser.mjs";
import { story } from "./story.mjs";

const linear = (v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
const luminance = (hex) => {
	const [r, g, b] = rgb(hex).map(linear);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
	const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
	return (x + 0.05) / (y + 0.05);
};

// Machado, Oliveira and Fernandes 2009, at full strength, in linear RGB.
const VISION = {
	usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
	protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
	deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
	tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
};

// The colour as that eye sees it, in CIE Lab.
function seen(hex, m) {
	const [r, g, b] = rgb(hex).map(linear);
	const clamp = (v) => Math.min(Math.max(v, 0), 1);
	const [R, G, B] = [0, 3, 6].map((i) => clamp(m[i] * r + m[i + 1] * g + m[i + 2] * b));
	const f = (t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
	const x = f((0.4124 * R + 0.3576 * G + 0.1805 * B) / 0.9505);
	const y = f(0.2126 * R + 0.7152 * G + 0.0722 * B);
	const z = f((0.0193 * R + 0.1192 * G + 0.9505 * B) / 1.089);
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
const distance = (a, b) => Math.hypot(...a.map((v, i) => v - b[i]));

const address = saved(story({ seconds: 1 }).recording.write(template).page);
for (const scheme of ["light", "dark"]) {
	const page = await open(address, { scheme });
	const theme = await call(page, "theme");

	await check(`${scheme}: the system's choice is followed, and T changes it`, async () => {
		assert.equal(theme.name, scheme);
		await page.keyboard.press("t");
		assert.notEqual((await call(page, "theme")).name, scheme);
		await page.keyboard.press("t");
	});

	// Domains of a common host, and waiting, are side by side in the same lanes.
	const together = [...theme.domains.slice(0, 5), theme.hues.waiting];
	for (const [eye, matrix] of Object.entries(VISION))
		await check(`${scheme}: with ${eye}, domains and waiting are told apart`, () => {
			for (const [i, a] of together.entries())
				for (const b of together.slice(i + 1)) {
					const apart = distance(seen(a, matrix), seen(b, matrix));
					assert.ok(apart >= 11, `${a} and ${b} are ${apart.toFixed(1)} apart`);
				}
		});

	await check(`${scheme}: what happened stands out from the ground`, () => {
		for (const colour of [...theme.domains, ...Object.entries(theme.hues).filter(([hue]) => hue !== "idle" && hue !== "blocked").map(([, c]) => c)])
			assert.ok(contrast(colour, theme.lane) >= 2, `${colour}: ${contrast(colour, theme.lane).toFixed(2)}`);
		for (const colour of [theme.accent, theme.loss, theme.cursor, ...theme.markers, ...theme.arrows]) assert.ok(contrast(colour, theme.lane) >= 4, `${colour}: ${contrast(colour, theme.lane).toFixed(2)}`);
	});

	await check(`${scheme}: a name on a fill, and all other text, can be read`, async () => {
		for (const fill of await call(page, "fills")) if (fill.form === "full") assert.ok(contrast(fill.ink, fill.colour) >= 4.5, JSON.stringify(fill));
		const low = await page.evaluate(() => {
			const value = (colour) => colour.match(/[\d.]+/g).map(Number);
			const ground = (e) => {
				for (; e; e = e.parentElement) {
					const c = value(getComputedStyle(e).backgroundColor);
					if (c.length < 4 || c[3] > 0.9) return c;
				}
				return [255, 255, 255];
			};
			const light = ([r, g, b]) => [r, g, b].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
			const out = [];
			for (const e of document.querySelectorAll("h1, h2, h3, p, span, b, button, dt, dd, kbd, li, pre, output")) {
				if (!e.checkVisibility() || e.disabled || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
				const [x, y] = [light(value(getComputedStyle(e).color)), light(ground(e))].sort((p, q) => q - p);
				if ((x + 0.05) / (y + 0.05) < 4.5) out.push(`${e.className || e.tagName} "${e.textContent.slice(0, 20)}" ${((x + 0.05) / (y + 0.05)).toFixed(2)}`);
			}
			return out;
		});
		assert.deepEqual(low, []);
	});
	noComplaints(page);
	await page.close();
}
await finish();
