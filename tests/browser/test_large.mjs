#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// A million spans: the page opens, draws no more than the pixels take, and finds. Prints how long that took.
import { assert, call, check, finish, noComplaints, open, saved, settled, show, template, waitFor } from "./browser.mjs";
import { large } from "./large.mjs";

const recording = large(Number(process.env.SPANS ?? 1_000_000));
const { page: html } = recording.write(template);
const spans = recording.spans.length;
const address = saved(html);
const say = (text) => console.log(`# ${text}`);
say(`${spans} spans, ${(html.length / 1e6).toFixed(1)} MB`);

const began = performance.now();
const page = await open(address);
say(`opened and drawn in ${((performance.now() - began) / 1000).toFixed(2)} s`);

await check("it opens with a level of detail that fits the screen", async () => {
	assert.ok((await call(page, "level")) > 0);
	assert.match(await page.locator("#facts").innerText(), new RegExp(spans.toString().replace(/\B(?=(\d{3})+$)/g, ",")));
});

await check("a track costs at most one rectangle for each pixel", async () => {
	const width = await page.evaluate(() => document.getElementById("base").width);
	for (const [from, to] of [[0, 10e9], [3e9, 5e9], [4e9, 4.1e9]]) {
		await show(page, from, to);
		const counts = new Map();
		for (const d of await call(page, "drawn")) counts.set(d.track, (counts.get(d.track) ?? 0) + 1);
		assert.ok(counts.size > 5);
		for (const [track, count] of counts) assert.ok(count <= width, `track ${track}: ${count} rectangles on ${width} pixels`);
	}
});

await check("panning draws frame after frame", async () => {
	for (const [from, to] of [[0, 8e9], [2e9, 4e9], [2e9, 2.2e9]]) {
		await show(page, from, to);
		const { frames, elapsed, cost } = await page.evaluate(async () => {
			const before = window.strata.frames();
			const start = performance.now();
			let way = 0.01;
			let turns = 0;
			await new Promise((done) => {
				const step = () => {
					if (++turns % 40 === 0) way = -way;
					window.strata.pan(way);
					if (performance.now() - start < 1500) requestAnimationFrame(step);
					else done();
				};
				requestAnimationFrame(step);
			});
			const elapsed = performance.now() - start;
			const frames = window.strata.frames() - before;
			const costs = Array.from({ length: 25 }, () => window.strata.time()).sort((a, b) => a - b);
			return { frames, elapsed, cost: costs[12] };
		});
		say(`panning ${(to - from) / 1e6} ms: ${((frames * 1000) / elapsed).toFixed(0)} frames a second; a frame costs ${cost.toFixed(1)} ms`);
		assert.ok(frames > 2);
	}
});

await check("it finds among all", async () => {
	const start = performance.now();
	await page.locator("#query").fill("domain:g3 name\\ 7");
	await page.locator("#query").fill('domain:g3 "name 7"');
	await waitFor("results", async () => (await call(page, "searched")) === 'domain:g3 "name 7"');
	say(`searched in ${((performance.now() - start) / 1000).toFixed(2)} s`);
	const name = recording.texts.get("name 7");
	const expected = recording.spans.filter((s) => s.name === name && recording.meta.tracks[s.track].domain === "g3").length;
	assert.equal((await call(page, "results")).length, expected);
});

await check("nothing was said on the console, nothing fetched", () => noComplaints(page));
await settled(page);
await finish();
