#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wheel, drag, keys and the strip move the view, down to single nanoseconds; the address holds what is seen.
import { assert, call, check, finish, lanes, noComplaints, open, placeOf, saved, settled, show, template, waitFor } from "./browser.mjs";
import { story } from "./story.mjs";

const { recording, tracks, worst } = story();
const [requests, slowFrom, slowLength] = worst;
const address = saved(recording.write(template).page);
const page = await open(address);
const length = recording.meta.length_ns;
const view = () => call(page, "view");
const span = async () => (({ from, to }) => to - from)(await view());
const close = (a, b, by, what) => assert.ok(Math.abs(a - b) <= by, `${what}: ${a} is not ${b}`);

await check("it opens with the whole recording in view", async () => {
	const { from, to } = await view();
	assert.ok(from <= 0 && to >= length && to - from < length * 1.05);
});

await check("the wheel zooms, and what is under the pointer stays there", async () => {
	const box = await lanes(page);
	const x = box.x + box.width * 0.3;
	await page.mouse.move(x, box.y + 200);
	const before = await view();
	const at = before.from + (before.to - before.from) * 0.3;
	await page.mouse.wheel(0, -600);
	await waitFor("a nearer view", async () => (await span()) < (before.to - before.from) * 0.6);
	await settled(page);
	const after = await view();
	close(after.from + (after.to - after.from) * 0.3, at, (after.to - after.from) * 0.002, "the time under the pointer");
	await page.mouse.wheel(0, 300);
	await waitFor("a farther view", async () => (await span()) > (after.to - after.from) * 1.2);
});

await check("with Shift it moves in time", async () => {
	await show(page, 4e9, 5e9);
	await page.keyboard.down("Shift");
	await page.mouse.wheel(0, 200);
	await page.keyboard.up("Shift");
	await waitFor("a later view", async () => (await view()).from > 4.05e9);
	close(await span(), 1e9, 1, "the length of the view");
});

await check("a drag moves as far as the mouse", async () => {
	await show(page, 4e9, 5e9);
	const box = await lanes(page);
	await page.mouse.move(box.x + 400, box.y + 100);
	await page.mouse.down();
	await page.mouse.move(box.x + 250, box.y + 100, { steps: 4 });
	await page.mouse.up();
	const { from } = await view();
	close(from, 4e9 + (150 / box.width) * 1e9, 2e6, "the beginning");
	assert.equal(await call(page, "selected"), undefined);
});

await check("down and up it scrolls the lanes; so does the wheel over their names", async () => {
	const small = await open(address, { height: 500 });
	const top = () => small.evaluate(() => document.getElementById("lanes").scrollTop);
	const box = await lanes(small);
	await small.mouse.move(box.x + 300, box.y + 250);
	await small.mouse.down();
	await small.mouse.move(box.x + 300, box.y + 130, { steps: 4 });
	await small.mouse.up();
	close(await top(), 120, 2, "what is scrolled away");
	await small.mouse.move(box.x - 100, box.y + 100);
	await small.mouse.wheel(0, 80);
	await waitFor("a scroll", async () => (await top()) > 150);
	await small.keyboard.press("ArrowUp");
	await waitFor("a scroll back", async () => (await top()) < 200);
	// Names and lanes go together.
	const row = (await call(small, "rows")).find((r) => r.kind === "task" && r.name === "client");
	const name = await small.locator(".name.task", { hasText: "client" }).boundingBox();
	close(name.y - (await lanes(small)).y, row.y, 1, "the name's place");
	noComplaints(small);
	await small.close();
});

for (const [keys, does] of [["wW+=", (a, b) => b < a], ["sS-", (a, b) => b > a]])
	await check(`the keys ${[...keys].join(" ")} zoom`, async () => {
		for (const key of keys) {
			await show(page, 4e9, 5e9);
			await page.keyboard.press(key);
			await settled(page);
			assert.ok(does(1e9, await span()), key);
		}
	});

await check("A D and the arrows move in time", async () => {
	for (const [key, way] of [["a", -1], ["ArrowLeft", -1], ["d", 1], ["ArrowRight", 1]]) {
		await show(page, 4e9, 5e9);
		await page.keyboard.press(key);
		await settled(page);
		close((await view()).from, 4e9 + way * 0.2e9, 1e6, key);
	}
});

await check("one zooms in to single nanoseconds, and no further", async () => {
	await show(page, slowFrom - 10, slowFrom + 10);
	for (let i = 0; i < 5; i++) await page.keyboard.press("w");
	await settled(page);
	close(await span(), 20, 0.001, "the shortest view");
	const { from, to } = await view();
	const box = await lanes(page);
	const drawn = (await call(page, "drawn")).filter((d) => d.track === requests);
	close(drawn[0].x0, ((slowFrom - from) / (to - from)) * box.width, 1, "the request's beginning");
	assert.match(await page.locator("#origin").textContent(), /^\d+\.\d{3}\D\d{3}/);
});

await check("0 shows all again, F fits the selected span", async () => {
	await page.keyboard.press("0");
	await settled(page);
	assert.ok((await span()) >= length);
	await show(page, slowFrom, slowFrom + slowLength);
	await page.mouse.click(...(await placeOf(page, requests, slowFrom + slowLength / 2)));
	await waitFor("a selection", async () => (await call(page, "selected"))?.from === slowFrom);
	await page.keyboard.press("0");
	await page.keyboard.press("f");
	await settled(page);
	const { from, to } = await view();
	assert.ok(from < slowFrom && to > slowFrom + slowLength && to - from < slowLength * 1.5);
});

await check("a double click fits a span", async () => {
	await show(page, slowFrom - slowLength * 5, slowFrom + slowLength * 5);
	await page.mouse.dblclick(...(await placeOf(page, requests, slowFrom + slowLength / 2)));
	await settled(page);
	assert.ok((await span()) < slowLength * 1.5);
});

await check("on the strip, a drag chooses what is seen, and a drag of that moves it", async () => {
	await call(page, "show", 0, length);
	const box = await page.locator("#strip").boundingBox();
	await page.mouse.move(box.x + box.width * 0.2, box.y + 20);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.3, box.y + 20, { steps: 5 });
	await page.mouse.up();
	let now = await view();
	close(now.from, length * 0.2, length * 0.01, "the beginning");
	close(now.to, length * 0.3, length * 0.01, "the end");
	await page.mouse.move(box.x + box.width * 0.25, box.y + 20);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.55, box.y + 20, { steps: 5 });
	await page.mouse.up();
	now = await view();
	close(now.from, length * 0.5, length * 0.015, "the beginning, moved");
});

await check("groups collapse and open by mouse and keyboard", async () => {
	const open_ = async (id) => (await call(page, "rows")).find((r) => r.id === id)?.open;
	const id = tracks.g2.parent;
	const name = page.locator(".name.group", { hasText: "domain 2" });
	await name.click();
	assert.equal(await open_(id), false);
	assert.equal(await open_(tracks.hog), undefined);
	await name.locator("button").focus();
	await page.keyboard.press("Enter");
	await settled(page);
	assert.equal(await open_(id), true);
});

await check("the address holds view, selection, markers, search, folds and theme", async () => {
	await page.keyboard.press("Escape");
	await show(page, slowFrom - 2e6, slowFrom + slowLength + 2e6);
	const [x0, y] = await placeOf(page, requests, slowFrom + slowLength * 0.25);
	const [x1] = await placeOf(page, requests, slowFrom + slowLength * 0.75);
	await page.mouse.click(x0, y);
	await page.mouse.move(x0, y);
	await page.keyboard.press("m");
	await page.mouse.move(x1, y);
	await page.keyboard.press("m");
	await page.locator("#query").fill("g1 >5ms");
	await page.locator(".name.group", { hasText: "domain 2" }).click();
	await page.keyboard.press("t");
	await page.keyboard.press("o");
	await waitFor("an address with it all", async () => ["view=", "selected=", "a=", "b=", "search=g1%20%3E5ms", "collapsed=", "theme=dark", "arrows=all"].every((part) => page.url().includes(part)));
	const other = await open(page.url());
	// The selected span lies in a chunk, which is fetched first.
	await waitFor("what the address selects", async () => (await call(other, "selected")) !== undefined);
	for (const what of ["view", "selected", "markers"]) assert.deepEqual(await call(other, what), await call(page, what), what);
	assert.deepEqual(await call(other, "results"), await call(page, "results"));
	assert.equal((await call(other, "theme")).name, "dark");
	assert.deepEqual((await call(other, "rows")).map((r) => r.id), (await call(page, "rows")).map((r) => r.id));
	noComplaints(other);
	await other.close();
});

await check("an address that someone changes is followed, and a broken one does no harm", async () => {
	await page.evaluate(() => (location.hash = "#view=1000000000:2000000000"));
	await waitFor("that view", async () => (await view()).from === 1e9);
	for (const bad of ["#view=5:1&selected=9e9:x&a=::&collapsed=a.b.99999&theme=%00&top=NaN", "#selected=99999:5&view=-1e99:1e99", "#%%%"]) {
		const other = await open(address + bad);
		assert.ok((await call(other, "view")).to > 0);
		noComplaints(other);
		await other.close();
	}
});

await check("moves glide, unless one asked the system for stillness", async () => {
	// In one go with the key: on a busy machine a glide may be over before the page is asked.
	const moves = (of) =>
		of.evaluate(() => {
			document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "w", bubbles: true }));
			return window.strata.view().moving;
		});
	const lively = await open(address, { still: false });
	assert.equal(await moves(lively), true);
	await settled(lively);
	assert.equal((await call(lively, "view")).moving, false);
	assert.equal(await moves(page), false);
	noComplaints(lively);
	await lively.close();
});

await check("nothing was said on the console, nothing fetched", () => noComplaints(page));
await finish();
