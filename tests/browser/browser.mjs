// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tests in the browser share: Debian's Chromium, pages of made-up recordings, pixels, and TAP.
// A page that writes to the console, fails, or asks for what is not its own file or server fails its test.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const top = resolve(fileURLToPath(import.meta.url), "../../..");
const { chromium } = createRequire(join(top, "out/node/package.json"))("playwright-core");
export const template = readFileSync(join(top, "out/build/timeline.html"), "utf8");

const work = mkdtempSync(join(tmpdir(), "strata-browser-"));
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--font-render-hinting=none"] });
const eyes = await browser.newPage();

let count = 0;
let failed = 0;
const PATIENCE = 60_000;

// One result; the reason of one that fails is shown.
export async function check(name, test) {
	count++;
	try {
		await test();
		console.log(`ok ${count} - ${name}`);
	} catch (error) {
		failed++;
		console.log(`not ok ${count} - ${name}`);
		console.log(String(error.stack ?? error).split("\n").slice(0, 12).map((line) => `# ${line}`).join("\n"));
	}
}

export async function finish() {
	await browser.close();
	rmSync(work, { recursive: true });
	console.log(`1..${count}`);
	process.exitCode = failed ? 1 : 0;
}

let files = 0;

// Puts a page into a file, and returns its address.
export function saved(html) {
	const file = join(work, `page-${files++}.html`);
	writeFileSync(file, html);
	return pathToFileURL(file).href;
}

// Opens an address. `complaints` collects what must not happen: check it with noComplaints.
export async function open(address, { scheme = "light", width = 1280, height = 1000, scale = 1, still = true, expectData = true } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: scale, reducedMotion: still ? "reduce" : "no-preference" });
	const page = await context.newPage();
	page.setDefaultTimeout(PATIENCE);
	const complaints = [];
	const own = new URL(address);
	page.on("console", (message) => complaints.push(`console: ${message.text()}`));
	page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
	page.on("request", (request) => {
		const url = new URL(request.url());
		const allowed = url.protocol === "data:" || (own.protocol === "file:" ? url.pathname === own.pathname : url.origin === own.origin);
		if (!allowed) complaints.push(`request: ${request.url()}`);
	});
	page.complaints = complaints;
	await page.goto(address);
	if (expectData) {
		await page.waitForFunction(() => window.strata !== undefined);
		await settled(page);
	}
	return page;
}

export async function settled(page) {
	await page.evaluate(() => window.strata.settled());
}

export function noComplaints(page) {
	assert.deepEqual(page.complaints, []);
}

// Asks the page's model: call(page, "view"), call(page, "show", from, to).
export async function call(page, name, ...values) {
	return page.evaluate(([name, values]) => window.strata[name](...values), [name, values]);
}

export async function show(page, from, to) {
	await call(page, "show", from, to);
	await settled(page);
}

// Where the lanes' canvas is in the window.
export async function lanes(page) {
	return page.locator("#over").boundingBox();
}

// The middle of a time on a track, in the window.
export async function placeOf(page, track, at) {
	const box = await lanes(page);
	const view = await call(page, "view");
	const row = (await call(page, "rows")).find((r) => r.id === track);
	assert.ok(row, `track ${track} has no row`);
	return [box.x + ((at - view.from) / (view.to - view.from)) * box.width, box.y + row.y + row.height / 2];
}

// What the screen shows of that part of the window: { width, height, at(x, y): [r, g, b] }.
export async function pixels(page, clip) {
	const png = await page.screenshot({ clip });
	const { width, height, data } = await eyes.evaluate(async (base64) => {
		const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
		const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
		const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
		const g = canvas.getContext("2d");
		g.drawImage(bitmap, 0, 0);
		const image = g.getImageData(0, 0, bitmap.width, bitmap.height);
		return { width: bitmap.width, height: bitmap.height, data: Array.from(image.data) };
	}, png.toString("base64"));
	return { width, height, at: (x, y) => data.slice((y * width + x) * 4, (y * width + x) * 4 + 3) };
}

export function rgb(hex) {
	const n = parseInt(hex.slice(1), 16);
	return [n >> 16, (n >> 8) & 255, n & 255];
}

export async function waitFor(what, test) {
	const end = Date.now() + PATIENCE;
	while (!(await test())) {
		if (Date.now() > end) throw new Error(`never came: ${what}`);
		await new Promise((done) => setTimeout(done, 20));
	}
}

export { assert, browser, work };
