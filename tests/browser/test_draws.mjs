#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page draws what the recording says: each span where and how long it is, in its colour, at every zoom.
import { assert, call, check, finish, lanes, noComplaints, open, pixels, placeOf, rgb, saved, show, template, waitFor } from "./browser.mjs";
import { story } from "./story.mjs";

const { recording, tracks, worst } = story();
const { spans, meta } = recording;
const page = await open(saved(recording.write(template).page));
const [requests, slowFrom, slowLength] = worst;
const key = (category) => meta.categories[category].key;

// What a lane shows, worked out from the spans alone: of each pixel, the states in it.
function expected(track, view, width) {
	const wide = [];
	const narrow = Array.from({ length: width }, () => new Set());
	for (const s of spans) {
		if (s.track !== track) continue;
		const x0 = ((s.from - view.from) / (view.to - view.from)) * width;
		const x1 = ((s.from + s.length - view.from) / (view.to - view.from)) * width;
		if (x1 < 0 || x0 >= width) continue;
		if (x1 - x0 >= 2) wide.push({ x0: Math.round(Math.max(x0, 0)), x1: Math.round(Math.min(x1, width)), category: s.category });
		for (let x = Math.max(Math.floor(x0) - 1, 0); x <= Math.min(Math.ceil(x1) + 1, width - 1); x++) narrow[x].add(s.category);
	}
	return { wide, narrow };
}

// Each rectangle that is drawn is one that should be, and none is missing.
async function compare(from, to, list) {
	await show(page, from, to);
	const view = await call(page, "view");
	const width = await page.evaluate(() => document.getElementById("base").width);
	const drawn = await call(page, "drawn");
	const fine = (await call(page, "level")) === 0;
	let compared = 0;
	for (const track of list) {
		const { wide, narrow } = expected(track, view, width);
		const mine = drawn.filter((d) => d.track === track);
		for (const d of mine) for (let x = d.x0; x < d.x1; x++) assert.ok(narrow[x].has(d.category), `track ${track}, pixel ${x}: ${key(d.category)} is drawn, and not there`);
		if (fine) {
			const have = new Set(mine.filter((d) => d.name >= 0).map((d) => `${d.x0} ${d.x1} ${d.category}`));
			for (const w of wide) assert.ok(have.has(`${w.x0} ${w.x1} ${w.category}`), `track ${track}: ${key(w.category)} at ${w.x0} to ${w.x1} is missing`);
		}
		compared += mine.length;
	}
	assert.ok(compared > 0, "nothing was drawn");
	// One rectangle for a pixel and track, at most; wide ones beside those that share pixels.
	for (const track of list) assert.ok(drawn.filter((d) => d.track === track).length <= width);
}

const list = [...tracks.pcpu, tracks.g1.vcpu, tracks.g1.exits, tracks.g1.hypercalls, tracks.client, tracks.requests, tracks.server, tracks.g2.vcpu];
await check("1 ms of the recording is drawn span by span", () => compare(slowFrom, slowFrom + 1e6, list));
await check("so are 20 ms", () => compare(slowFrom - 1e6, slowFrom + 19e6, list));
await check("of 500 ms, each pixel is of a state that it has", () => compare(slowFrom, slowFrom + 500e6, list));
await check("so it is of the whole recording", () => compare(0, meta.length_ns, list));
await check("and of 100 ns", () => compare(slowFrom + slowLength - 60, slowFrom + slowLength + 40, [tracks.requests, tracks.g1.vcpu, tracks.pcpu[0]]));

await check("no number on the ruler is cut at its end", async () => {
	let labels = 0;
	for (let i = 0; i < 40; i++) {
		await show(page, 1e9 + i * 7e6, 2e9 + i * 7e6);
		const [end, all] = await page.evaluate(() => {
			const ruler = document.getElementById("ruler");
			// Of a copy: reading from a canvas that is drawn on makes the browser complain.
			const copy = new OffscreenCanvas(ruler.width, ruler.height).getContext("2d", { willReadFrequently: true });
			copy.drawImage(ruler, 0, 0);
			const opaque = (x, width) => {
				const { data } = copy.getImageData(x, 2, width, 14);
				let count = 0;
				for (let j = 3; j < data.length; j += 4) if (data[j] > 0) count++;
				return count;
			};
			return [opaque(ruler.width - 1, 1), opaque(0, ruler.width)];
		});
		assert.equal(end, 0, `at ${i}`);
		labels += all;
	}
	assert.ok(labels > 0);
});

await check("the whole recording in view is as long as the recording", async () => {
	await show(page, -meta.length_ns * 0.04, meta.length_ns * 1.04);
	assert.equal(await page.locator("#seen").innerText(), await page.locator("#whole").innerText());
});

await check("on the screen, a request has its colour from its first to its last pixel", async () => {
	await show(page, slowFrom - slowLength * 0.5, slowFrom + slowLength * 1.5);
	const [x0, y] = await placeOf(page, requests, slowFrom);
	const [x1] = await placeOf(page, requests, slowFrom + slowLength);
	const box = await lanes(page);
	const fill = (await call(page, "fills"))[recording.keys.get("request")];
	const strip = await pixels(page, { x: box.x, y: y - 8, width: box.width, height: 2 });
	const is = (x) => assert.deepEqual(strip.at(x, 0), rgb(fill.colour), `pixel ${x}`);
	for (let x = Math.round(x0 - box.x) + 1; x < Math.round(x1 - box.x) - 2; x++) is(x);
	for (const x of [x0 - box.x - 3, x1 - box.x + 3]) assert.notDeepEqual(strip.at(Math.round(x), 0), rgb(fill.colour));
});

await check("a domain has one colour on the physical CPU, as a vCPU and as a task", async () => {
	const g2 = spans.find((s) => s.track === tracks.pcpu[0] && recording.meta.strings[s.name] === "g2 vCPU 0" && s.length > 2e6);
	await show(page, g2.from, g2.from + g2.length);
	const middle = g2.from + g2.length * 0.9;
	const colours = [];
	for (const track of [tracks.pcpu[0], tracks.g2.vcpu, tracks.hog]) {
		const [x, y] = await placeOf(page, track, middle);
		colours.push((await pixels(page, { x: Math.round(x), y: Math.round(y), width: 1, height: 1 })).at(0, 0));
	}
	const theme = await call(page, "theme");
	assert.deepEqual(colours, Array(3).fill(rgb(theme.domains[2])));
});

await check("waiting takes the middle of its lane, blocked a line, so that form tells them apart", async () => {
	const wait = spans.find((s) => s.track === tracks.g1.vcpu && key(s.category) === "runnable" && s.length > 5e6);
	await show(page, wait.from - 6e6, wait.from + wait.length);
	const heights = [];
	for (const at of [wait.from + wait.length * 0.8, wait.from - 0.05e6]) {
		const [x, y] = await placeOf(page, tracks.g1.vcpu, at);
		const column = await pixels(page, { x: Math.round(x), y: Math.round(y) - 12, width: 1, height: 24 });
		const ground = column.at(0, 1).join();
		heights.push(Array.from({ length: 22 }, (_, i) => column.at(0, i + 1).join()).filter((c) => c !== ground).length);
	}
	const [waiting, blocked] = heights;
	assert.ok(waiting >= 11 && waiting <= 16, `waiting is ${waiting} pixels high`);
	assert.ok(blocked >= 2 && blocked <= 6, `blocked is ${blocked} pixels high`);
});

await check("an unknown state is hatched, and so are lost events", async () => {
	const end = meta.length_ns;
	await show(page, end * 0.9, end);
	assert.ok((await call(page, "losses")) > 0);
	const theme = await call(page, "theme");
	const seen = async (track, at) => {
		const [x, y] = await placeOf(page, track, at);
		const patch = await pixels(page, { x: Math.round(x), y: Math.round(y) - 5, width: 12, height: 10 });
		const colours = new Set();
		for (let i = 0; i < 12; i++) for (let j = 0; j < 10; j++) colours.add(patch.at(i, j).join());
		return colours;
	};
	const lost = await seen(tracks.dom0.exits, end * 0.985);
	assert.ok(lost.size > 2 && lost.has(rgb(theme.lane).join()), "lost events are not hatched");
	assert.ok((await seen(tracks.dom0.vcpu, end * 0.985)).size > 4, "an unknown state below lost events is not hatched");
	assert.ok((await seen(tracks.dom0.exits, end * 0.95)).size <= 2, "hatched where nothing is lost");
});

await check("all but the busiest tasks of a domain are in a collapsed group, which shows its tracks in miniature", async () => {
	const row = (await call(page, "rows")).find((r) => r.name === "25 more tasks");
	assert.equal(row?.open, false);
	assert.ok(row.inside.length >= 10);
	await show(page, 0, meta.length_ns);
	const drawn = await call(page, "drawn");
	assert.ok(row.inside.some((id) => drawn.some((d) => d.track === id)));
});

await check("a task of that group is said to be of its domain", async () => {
	const row = (await call(page, "rows")).find((r) => r.name === "25 more tasks");
	const span = spans.find((s) => row.inside.includes(s.track));
	const { name, parent } = meta.tracks.find((t) => t.id === span.track);
	const domain = meta.tracks.find((t) => t.id === parent).name;
	await page.evaluate((hash) => (location.hash = hash), `selected=${span.track}:${span.from}`);
	await waitFor("it", async () => (await call(page, "selected"))?.track === span.track);
	assert.equal(await page.locator("#selected dd").first().innerText(), `${domain} › ${name}`);
	await page.keyboard.press("Escape");
});

await check("with two pixels of the screen to one, all is where it was", async () => {
	const sharp = await open(saved(recording.write(template).page), { scale: 2 });
	await show(sharp, slowFrom - slowLength * 0.5, slowFrom + slowLength * 1.5);
	const width = await sharp.evaluate(() => document.getElementById("base").width);
	const mine = (await call(sharp, "drawn")).filter((d) => d.track === requests);
	assert.ok(mine.some((d) => Math.abs(d.x0 - width * 0.25) <= 1 && Math.abs(d.x1 - width * 0.75) <= 1), JSON.stringify([mine, width]));
	noComplaints(sharp);
	await sharp.close();
});

await check("nothing was said on the console, nothing fetched", () => noComplaints(page));
await finish();
