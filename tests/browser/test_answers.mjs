#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page answers: a click tells what a span is and why it took so long, markers measure, the search finds,
// the histogram leads to its instances, the cursor shows what its clock may be off by.
import { assert, call, check, finish, lanes, noComplaints, open, pixels, placeOf, rgb, saved, settled, show, template, waitFor } from "./browser.mjs";
import { Recording } from "./recording.mjs";
import { story } from "./story.mjs";

const { recording, tracks, worst, instances } = story();
const { spans, meta } = recording;
const [requests, slowFrom, slowLength] = worst;
const address = saved(recording.write(template).page);
const page = await open(address);
const said = () => page.locator("#selected").innerText();
const nameOf = (s) => meta.strings[s.name];
const key = (s) => meta.categories[s.category].key;

async function clickOn(span, part = 0.5) {
	await show(page, span.from - span.length, span.from + 2 * span.length);
	await page.mouse.click(...(await placeOf(page, span.track, span.from + span.length * part)));
	await waitFor("the selection", async () => (await call(page, "selected"))?.from === span.from);
	await settled(page);
}

await check("a title, what was recorded, a legend and a hint are there at once", async () => {
	assert.equal(await page.locator("h1").innerText(), "Timeline of demo/raw");
	assert.match(await page.locator("#facts").innerText(), /^12\.4 s · [\d,]+ events · [\d,]+ spans · 1,834 events lost$/);
	assert.match(await page.locator("#hint").innerText(), /Wheel zooms/);
	const legend = await page.locator("#legend").innerText();
	for (const word of ["g1", "g2", "waits for a CPU", "blocked", "request", "events were lost", "event channel", "order unsure"]) assert.ok(legend.includes(word), word);
	assert.match(await page.locator("#not-shown").innerText(), /net:\*/);
});

await check("losses that nobody counted are told, too", async () => {
	const facts = [];
	for (const counts of [[], [0], [5, 0], [5, 7]]) {
		const { recording: r, tracks: t } = story({ seconds: 0.1 });
		r.meta.losses = counts.map((count) => [t.g1.vcpu, 0, 1e6, count]);
		const other = await open(saved(r.write(template).page));
		facts.push((await other.locator("#facts").innerText()).split(" · ").at(-1));
		await other.close();
	}
	assert.deepEqual(facts, ["no event lost", "events lost", "at least 5 events lost", "12 events lost"]);
});

await check("a click tells name, track, time, length with its bound, and details", async () => {
	await clickOn({ track: requests, from: slowFrom, length: slowLength });
	const text = await said();
	const number = instances.findIndex((i) => i[1] === slowFrom);
	for (const part of ["client:request", "g1 › client › client:request", `${(slowLength / 1e6).toPrecision(4)} ms ± 240 ns`, `${Math.floor(slowFrom / 1e6) / 1e3}`, "UTC"]) assert.ok(text.includes(part), `${part} is not in ${text}`);
	assert.match(text, new RegExp(`key\\s+${number}\\b`));
	assert.match(text, /bytes\s+64/);
});

await check("and why it took so long", async () => {
	const why = await page.locator("#selected pre").innerText();
	assert.match(why, /8\.912 ms behind g2 vCPU 0/);
});

await check("what is not explained in the file names the command that explains it", async () => {
	const [track, from, length] = instances.find((i) => i[1] !== slowFrom && i[2] > 3e6);
	await clickOn({ track, from, length });
	assert.match(await said(), new RegExp(`strata why TRACE --at \\+${(from / 1e9).toFixed(9)}`));
});

await check("the frame of what is selected is drawn", async () => {
	const theme = await call(page, "theme");
	const { from, track } = await call(page, "selected");
	const [x, y] = await placeOf(page, track, from);
	const patch = await pixels(page, { x: Math.round(x) - 3, y: Math.round(y), width: 6, height: 1 });
	assert.ok(Array.from({ length: 6 }, (_, i) => patch.at(i, 0).join()).includes(rgb(theme.accent).join()));
});

await check("comma and full stop step to the spans beside it", async () => {
	const list = spans.filter((s) => s.track === requests).sort((a, b) => a.from - b.from);
	const at = list.findIndex((s) => s.from > slowFrom);
	await clickOn(list[at]);
	await page.keyboard.press(".");
	await waitFor("the next", async () => (await call(page, "selected"))?.from === list[at + 1].from);
	await page.keyboard.press(",");
	await page.keyboard.press(",");
	await waitFor("the one before", async () => (await call(page, "selected"))?.from === list[at - 1].from);
});

// Two programs that wrote messages, a microsecond apart.
const written = new Recording("messages", 1e9);
const message = written.category("message", "message", "message");
const [server, client] = ["server", "client"].map((process) =>
	written.track("messages", "messages", { parent: written.track("group", process, { process }), process }));
written.span(server, 5e8, 0, "server_c_42", message, { bound: 240, detail: "message=request 7 of <b>alice</b> took 30 ms" });
written.span(server, 5e8 + 1000, 0, "server_c_50", message, { bound: 240, detail: `message=disk sda is full ${"x".repeat(300)}` });
written.span(client, 2e8, 0, "client_c_9", message, { detail: "message=answer of server_c_42" });

await check("a message is drawn, however far one looks, and a click tells what it says", async () => {
	const other = await open(saved(written.write(template).page));
	const theme = await call(other, "theme");
	for (const half of [5e8, 2e3]) {
		await show(other, 5e8 - half, 5e8 + half);
		const [x, y] = await placeOf(other, server, 5e8);
		const patch = await pixels(other, { x: Math.round(x) - 2, y: Math.round(y), width: 5, height: 1 });
		assert.ok(Array.from({ length: 5 }, (_, i) => patch.at(i, 0).join()).includes(rgb(theme.hues.message).join()), `of ${2 * half} ns`);
	}
	for (const [at, text] of [[5e8, "request 7 of <b>alice</b> took 30 ms"], [5e8 + 1000, "disk sda is full x"]]) {
		await other.mouse.click(...(await placeOf(other, server, at)));
		await waitFor("the selection", async () => (await call(other, "selected"))?.from === at);
		const panel = await other.locator("#selected").innerText();
		for (const part of [text, "server › messages", "± 240 ns"]) assert.ok(panel.includes(part), `${part} is not in ${panel}`);
		assert.ok(!/Length/i.test(panel), panel);
	}
	assert.equal(await other.locator("#selected b", { hasText: "alice" }).count(), 0);
	noComplaints(other);
	await other.close();
});

await check("the nearest of two messages is the one that a click selects", async () => {
	const other = await open(saved(written.write(template).page));
	// A pixel is 1500 ns, so that a click hits both; the second begins with a pixel.
	const from = 5e8 + 1000 - 300 * 1500;
	await show(other, from, from + 1500 * (await lanes(other)).width);
	await other.mouse.click(...(await placeOf(other, server, 5e8 + 1000)));
	await waitFor("the selection", async () => (await call(other, "selected"))?.from === 5e8 + 1000);
	await other.close();
});

await check("a search finds messages by what they say, and lists it", async () => {
	const other = await open(saved(written.write(template).page));
	const found = async (query) => {
		await other.locator("#query").fill(query);
		await waitFor("the search", async () => (await call(other, "searched")) === query);
		return other.locator("#found li").allInnerTexts();
	};
	assert.match((await found("ALICE")).join(), /^0\.500.*request 7 of <b>alice<\/b> took 30 ms · server › messages$/s);
	assert.equal((await found("server_c_42")).length, 2);
	assert.equal((await found("message:server_c_42")).length, 1);
	assert.equal((await found("message:messages")).length, 0);
	assert.equal((await found("process:server -message:disk")).length, 1);
	assert.ok((await found("message:full"))[0].length < 250);
	noComplaints(other);
	await other.close();
});

await check("a click beside all spans selects nothing; so does Escape", async () => {
	await page.keyboard.press("Escape");
	assert.equal(await call(page, "selected"), undefined);
	assert.equal(await page.locator("#selected-part").isVisible(), false);
	await show(page, 0, 4e6);
	await page.mouse.click(...(await placeOf(page, requests, 0.2e6)));
	assert.equal(await call(page, "selected"), undefined);
});

await check("a click on what is too short to be drawn apart says so, and leads there", async () => {
	await show(page, 0, meta.length_ns);
	await page.mouse.click(...(await placeOf(page, tracks.g1.exits, meta.length_ns * 0.6)));
	await waitFor("a selection", async () => (await call(page, "selected")) !== undefined);
	const selected = await call(page, "selected");
	assert.ok(selected.count > 1);
	assert.match(await said(), /^[\d,]+ spans, mostly VM exit/);
	await page.getByRole("button", { name: "Zoom in" }).click();
	await settled(page);
	const { from, to } = await call(page, "view");
	assert.ok(to - from < selected.length * 3);
});

const late = spans.find((s) => s.track === tracks.g1.vcpu && key(s) === "runnable" && s.length > 5e6);

await check("the arrows of a span are drawn and listed, and lead to their other end", async () => {
	await clickOn(late);
	await waitFor("its arrow", async () => (await call(page, "arrows")).length > 0);
	const arrows = await call(page, "arrows");
	assert.deepEqual(arrows.map((a) => a.kind), [3]);
	assert.match(await said(), /← who held the pCPU\s*from g2 › hog/i);
	await page.locator("#selected .arrows button").click();
	await waitFor("the other end", async () => (await call(page, "selected"))?.track === tracks.hog);
});

await check("an arrow whose order the bound leaves open is dashed, the others are not", async () => {
	const open_ = recording.arrows.find((a) => a.bound > 5000 && a.to - a.from < a.bound);
	const sure = recording.arrows.find((a) => a.kind === 1 && a.bound < 1000);
	await page.keyboard.press("Escape");
	await page.keyboard.press("o");
	for (const [arrow, dashed] of [[open_, true], [sure, false]]) {
		await show(page, arrow.from - 20e3, arrow.from + 20e3);
		await waitFor("arrows", async () => (await call(page, "arrows")).length > 0);
		const box = await lanes(page);
		const drawn = (await call(page, "arrows")).find((a) => Math.abs(a.x0 - box.width / 2) < 2 && a.kind === 1);
		assert.equal(drawn?.dashed, dashed);
	}
	await page.keyboard.press("o");
	await settled(page);
	assert.deepEqual(await call(page, "arrows"), []);
});

await check("the cursor shows time and clock, and a band as wide as the clock may be off", async () => {
	const [, points] = [0, meta.clock.find((c) => c.domain === "g1").points];
	const at = points[3][0] + 1000;
	await show(page, at - 1000, at + 1000);
	const [x, y] = await placeOf(page, tracks.g1.vcpu, at);
	await page.mouse.move(x, y);
	await waitFor("the cursor", async () => (await page.locator("#cursor").innerText()).includes("±"));
	const box = await lanes(page);
	const text = await page.locator("#cursor").innerText();
	assert.ok(text.includes(`± ${points[3][1]} ns (clock of g1)`), text);
	assert.ok(Math.abs((await call(page, "boundHalf")) - (points[3][1] / 2000) * box.width) < 0.01);
	const row = await pixels(page, { x: box.x, y: box.y + box.height - 30, width: box.width, height: 1 });
	const half = Math.round(await call(page, "boundHalf"));
	const column = Math.round(x - box.x);
	assert.notDeepEqual(row.at(column - half + 3, 0), row.at(column - half - 4, 0));
	assert.deepEqual(row.at(column - half - 4, 0), row.at(column + half + 4, 0));
});

await check("the tooltip names what is under the pointer", async () => {
	await show(page, slowFrom, slowFrom + slowLength);
	await page.mouse.move(...(await placeOf(page, requests, slowFrom + slowLength / 2)));
	await waitFor("the tooltip", async () => page.locator("#tip").isVisible());
	assert.match(await page.locator("#tip").innerText(), /client:request\s+[\d.]+ ms ± 240 ns/);
});

await check("two markers measure, with what both clocks may be off by", async () => {
	await show(page, slowFrom, slowFrom + slowLength);
	const times = [0.2, 0.6].map((part) => slowFrom + slowLength * part);
	const [x0, y] = await placeOf(page, requests, times[0]);
	const [x1] = await placeOf(page, requests, times[1]);
	await page.mouse.move(x0, y);
	await page.keyboard.down("Shift");
	await page.mouse.down();
	await page.mouse.move(x1, y, { steps: 5 });
	await page.mouse.up();
	await page.keyboard.up("Shift");
	const { a, b, distance, text } = await call(page, "markers");
	assert.equal(distance.ns, b.at - a.at);
	assert.ok(Math.abs(distance.ns - slowLength * 0.4) < slowLength * 0.005);
	const points = meta.clock.find((c) => c.domain === "g1").points;
	const boundAt = (t) => points.filter((p) => p[0] <= t).at(-1)[1];
	assert.equal(distance.bound, boundAt(a.at) + boundAt(b.at));
	assert.ok((await page.locator("#between").innerText()).includes(text));
	await page.keyboard.press("Shift+M");
	assert.equal((await call(page, "markers")).a, undefined);
	await page.mouse.move(x0, y);
	await page.keyboard.press("m");
	await page.mouse.move(x1, y);
	await page.keyboard.press("m");
	assert.ok((await call(page, "markers")).distance.ns > 0);
	await page.keyboard.press("Shift+M");
});

const searches = [
	["g1 >5ms", (s) => meta.tracks[s.track].domain === "g1" && s.length >= 5e6],
	["domain:g1 runnable", (s) => meta.tracks[s.track].domain === "g1" && /runnable/.test(nameOf(s))],
	["process:server >100us", (s) => meta.tracks[s.track].process === "server" && s.length >= 1e5],
	["CPUID <1us", (s) => nameOf(s) === "CPUID" && s.length <= 1e3],
	["evtchn port=12", (s) => nameOf(s) === "evtchn upcall" && s.detail.includes("port=12")],
	["track:irq -port=7", () => false],
	["\"evtchn upcall\" -port=12", (s) => nameOf(s) === "evtchn upcall" && !s.detail.includes("port=12")],
	[">9ms -blocked g1", (s) => s.length >= 9e6 && meta.tracks[s.track].domain === "g1" && nameOf(s) !== "blocked"],
	["nosuchthing", () => false],
];
for (const [query, matches] of searches)
	await check(`the search for ${query} finds just that`, async () => {
		await page.locator("#query").fill(query);
		await waitFor("results", async () => (await call(page, "searched")) === query);
		const found = (await call(page, "results")).map((h) => `${h.track} ${h.from} ${h.length}`).sort();
		const expected = spans.filter(matches).map((s) => `${s.track} ${s.from} ${s.length}`).sort();
		assert.equal(found.length, expected.length);
		assert.deepEqual(found, expected);
		assert.equal(await page.locator("#match-count").innerText(), expected.length ? expected.length.toString().replace(/\B(?=(\d{3})+$)/g, ",") : "none");
	});

await check("Enter and N go from match to match, P back, and each is shown", async () => {
	await page.keyboard.press("Escape");
	await call(page, "show", 0, meta.length_ns);
	await page.locator("#query").fill("g1 runnable >5ms");
	const list = spans.filter((s) => meta.tracks[s.track].domain === "g1" && nameOf(s) === "runnable" && s.length >= 5e6).sort((a, b) => a.from - b.from);
	await page.keyboard.press("Enter");
	const at = async () => (await call(page, "selected"))?.from;
	await waitFor("the first", async () => (await at()) === list[0].from);
	await page.locator("#query").blur();
	await page.keyboard.press("n");
	await waitFor("the second", async () => (await at()) === list[1].from);
	await page.keyboard.press("p");
	await waitFor("the first again", async () => (await at()) === list[0].from);
	await page.keyboard.press("p");
	await waitFor("around the end, the last", async () => (await at()) === list.at(-1).from);
	const { from, to } = await call(page, "view");
	assert.ok(from <= list.at(-1).from && to >= list.at(-1).from + list.at(-1).length);
	assert.match(await page.locator("#match-count").innerText(), new RegExp(`^${list.length} of ${list.length}$`));
});

await check("the list of what was found has the longest first, and leads there", async () => {
	const first = page.locator("#found button").first();
	const longest = Math.max(...(await call(page, "results")).map((h) => h.length));
	assert.ok((await first.innerText()).startsWith(`${(longest / 1e6).toPrecision(4)} ms`));
	await first.click();
	await waitFor("it", async () => (await call(page, "selected"))?.length === longest);
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");
	assert.equal(await call(page, "results"), undefined);
});

await check("before a bar is chosen, the slowest of all are listed, and lead there", async () => {
	const slowest = [...instances].sort((x, y) => y[2] - x[2]).slice(0, 5);
	const listed = page.locator("#latencies .instances button");
	assert.deepEqual(await listed.locator("b").allInnerTexts(), slowest.map(([, , length]) => `${(length / 1e6).toPrecision(4)} ms`));
	await listed.nth(1).click();
	await waitFor("the second", async () => (await call(page, "selected"))?.from === slowest[1][1]);
	await page.keyboard.press("Escape");
});

await check("bars of the histogram lead to their instances", async () => {
	const bars = page.locator(".bar:not(:disabled)");
	const total = (await bars.evaluateAll((all) => all.map((b) => Number(b.title.split(" ")[0].replace(",", ""))))).reduce((a, b) => a + b);
	assert.equal(total, instances.length);
	await bars.last().click();
	const first = page.locator("#latencies .instances button").first();
	assert.ok((await first.innerText()).startsWith(`${(slowLength / 1e6).toPrecision(4)} ms`));
	await first.click();
	await waitFor("the slowest", async () => (await call(page, "selected"))?.from === slowFrom);
	await settled(page);
	const { from, to } = await call(page, "view");
	assert.ok(from < slowFrom && to > slowFrom + slowLength);
});

await check("? shows the keys, and Escape hides them", async () => {
	await page.keyboard.press("?");
	assert.equal(await page.locator("#help").isVisible(), true);
	for (const word of ["Wheel", "Shift + drag", "put a marker", "search"]) assert.ok((await page.locator("#help").innerText()).includes(word), word);
	const before = await call(page, "view");
	await page.keyboard.press("w");
	assert.deepEqual(await call(page, "view"), before);
	await page.keyboard.press("Escape");
	assert.equal(await page.locator("#help").isVisible(), false);
});

await check("keys written into the search field do not move the view", async () => {
	const before = await call(page, "view");
	await page.locator("#query").focus();
	await page.keyboard.type("wasdf0");
	assert.deepEqual(await call(page, "view"), before);
	await page.keyboard.press("Escape");
});

await check("the panel becomes wider by its edge, and the lanes narrower", async () => {
	const width = () => page.evaluate(() => [document.getElementById("panel").clientWidth, document.getElementById("over").clientWidth]);
	const [panel, over] = await width();
	const grip = await page.locator("#grip").boundingBox();
	await page.mouse.move(grip.x + 3, 500);
	await page.mouse.down();
	await page.mouse.move(grip.x - 97, 500, { steps: 3 });
	await page.mouse.up();
	const [wider, narrower] = await width();
	assert.ok(Math.abs(wider - panel - 100) <= 3 && Math.abs(over - narrower - (wider - panel)) <= 1, `${panel} ${wider}, ${over} ${narrower}`);
	await page.locator("#grip").focus();
	await page.keyboard.press("ArrowRight");
	assert.ok((await width())[0] < wider);
	await settled(page);
	assert.equal(await page.evaluate(() => document.getElementById("base").width), (await width())[1]);
});

await check("it has a name for each control, and focus reaches all", async () => {
	const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas")].filter((e) => e.id !== "base" && !e.closest("[aria-hidden]") && !(e.getAttribute("aria-label") || e.textContent.trim())).map((e) => e.outerHTML.slice(0, 80)));
	assert.deepEqual(nameless, []);
	const seen = new Set();
	await page.locator("#query").focus();
	for (let i = 0; i < 60; i++) {
		await page.keyboard.press("Tab");
		seen.add(await page.evaluate(() => document.activeElement?.id || document.activeElement?.className));
	}
	for (const id of ["fit", "arrows", "theme", "keys", "fold", "over"]) assert.ok(seen.has(id), `${id} is not reached`);
});

await check("on paper it is light and whole: all lanes, the legend, no controls", async () => {
	const dark = await open(`${address}#view=${slowFrom}:${slowFrom + slowLength}`, { scheme: "dark", height: 500 });
	assert.equal((await call(dark, "theme")).name, "dark");
	await dark.emulateMedia({ media: "print" });
	await waitFor("the print's look", async () => (await call(dark, "theme")).name === "light");
	const rows = await call(dark, "rows");
	const last = rows.at(-1);
	const height = await dark.evaluate(() => document.getElementById("base").clientHeight);
	assert.ok(height >= last.y + last.height - 1, `${height} is less than ${last.y + last.height}`);
	assert.equal(await dark.locator("#search").isVisible(), false);
	assert.equal(await dark.locator("#legend").isVisible(), true);
	const pdf = await dark.pdf({ landscape: true, printBackground: true });
	assert.ok(pdf.length > 20_000);
	await dark.emulateMedia({ media: "screen" });
	await waitFor("the screen's look", async () => (await call(dark, "theme")).name === "dark");
	noComplaints(dark);
	await dark.close();
});

await check("nothing was said on the console, nothing fetched", () => noComplaints(page));
await finish();
