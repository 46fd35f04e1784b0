#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Takes a picture of a timeline's page: picture.mjs PAGE.html OUT.png [light|dark] [STATE | slowest[=NAME]]
// STATE is what stands behind the # of the page's address; `slowest` chooses the slowest request, of those that are
// called NAME, with all arrows.
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { browser, call, noComplaints, open, settled, waitFor } from "./browser.mjs";

const [page_, out, scheme = "light", state = ""] = process.argv.slice(2);
if (!out) {
	console.error("usage: picture.mjs PAGE.html OUT.png [light|dark] [STATE | slowest[=NAME]]");
	process.exit(2);
}
const slowest = /^slowest(?:=(.+))?$/.exec(state);
const page = await open(pathToFileURL(resolve(page_)).href + (state && !slowest ? `#${state}` : ""), { scheme, width: 1360, height: 850 });
if (slowest) {
	if (slowest[1]) await page.locator("#latencies select").selectOption({ label: slowest[1] });
	await page.locator(".bar:not(:disabled)").last().click();
	await page.locator("#latencies .instances button").first().click();
	await waitFor("the slowest", async () => (await call(page, "selected")) !== undefined);
	await settled(page);
	await page.keyboard.press("o");
	await page.evaluate(() => document.activeElement.blur());
}
await page.evaluate(() => document.fonts.ready);
await waitFor("the strip", () => page.evaluate(() => document.documentElement.classList.contains("ready")));
// Arrows and the strip are loaded behind the first picture.
for (let i = 0; i < 5; i++) await settled(page);
await page.screenshot({ path: out });
noComplaints(page);
await browser.close();
