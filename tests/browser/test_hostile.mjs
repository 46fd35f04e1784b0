#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names from guests are shown, never run; damaged data are reported; the page reaches nothing but its own file or server.
import { createServer } from "node:http";
import { assert, call, check, finish, noComplaints, open, placeOf, saved, settled, show, template, waitFor } from "./browser.mjs";
import { Recording } from "./recording.mjs";
import { story } from "./story.mjs";

const EVIL = [
	"</script><script>window.evil = 1</script>",
	"<img src=x onerror='window.evil = 1'>",
	"\"><svg onload=\"window.evil = 1\">",
	"javascript:window.evil=1",
	"\u202egnp.exe\u0000\u001b[31m",
	"__proto__",
	"<!--STRATA-DATA-->$&$`$'",
	"\u0085" + "x".repeat(5000),
];

function hostile() {
	const r = new Recording(EVIL[0], 1e6);
	const group = r.track("group", EVIL[1], { detail: EVIL[2], domain: EVIL[1] });
	const domain = r.category(EVIL[5], EVIL[1], "domain", 0);
	const state = r.category("constructor", EVIL[2], "running", 0);
	const tracks = EVIL.map((name, i) => {
		const track = r.track(i === 0 ? "requests" : "vcpu", name, { parent: group, detail: name, domain: EVIL[1], host: name, process: name });
		r.span(track, 0, 1e6, name, i % 2 ? domain : state, { detail: `${name}=${name}\n${name}` });
		r.meta.why[`${track}:0`] = `${name}\n  ${name}`;
		return track;
	});
	for (const track of tracks) r.arrow(0, track, 100, tracks[0], 200, 5);
	r.meta.command = EVIL[0];
	r.meta.clock.push({ host: EVIL[0], domain: EVIL[1], points: [[0, 5]] });
	r.meta.facts.not_shown = EVIL[1];
	r.meta.histograms = EVIL.map((name) => ({ name, unit: "ns", bars: [{ from: 1, to: 2e6, count: 1, instances: [[tracks[0], 0, 1e6]] }] }));
	return { r, tracks };
}

await check("hostile names are shown as text, everywhere", async () => {
	const { r, tracks } = hostile();
	const page = await open(saved(r.write(template).page));
	for (const [i, track] of tracks.entries()) {
		await page.mouse.click(...(await placeOf(page, track, 5e5)));
		await waitFor("the selection", async () => (await call(page, "selected"))?.track === track);
		await page.mouse.move(...(await placeOf(page, track, 4e5)));
		await settled(page);
		assert.ok((await page.locator("#selected pre").innerText()).length > 0, EVIL[i]);
	}
	await page.locator("#query").fill(EVIL[1]);
	await waitFor("results", async () => (await call(page, "results"))?.length > 0);
	await page.locator("#query").fill("(((");
	await page.locator(".bar:not(:disabled)").first().click();
	const text = await page.evaluate(() => document.body.innerText);
	assert.ok(text.includes("<img src=x"));
	assert.ok(text.includes("\\u202e") && text.includes("\\x1b"), "control characters are escaped");
	for (const c of ["\u202e", "\u0000", "\u001b"]) assert.ok(!text.includes(c));
	assert.equal(await page.evaluate(() => window.evil), undefined);
	assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, object").length), 0);
	noComplaints(page);
	await page.close();
});

await check("scripts, styles and addresses that are not the page's own are refused by its policy", async () => {
	const page = await open(saved(story().recording.write(template).page));
	const refused = await page.evaluate(async () => {
		const out = [];
		const seen = new Promise((done) => document.addEventListener("securitypolicyviolation", (event) => (out.push(event.effectiveDirective), out.length === 4 && done())));
		document.body.append(Object.assign(document.createElement("script"), { textContent: "window.evil = 1" }));
		document.body.append(Object.assign(document.createElement("style"), { textContent: "body { color: red }" }));
		document.body.append(Object.assign(document.createElement("img"), { src: "http://127.0.0.1:9/x.png" }));
		fetch("http://127.0.0.1:9/").catch(() => {});
		await seen;
		return out;
	});
	assert.deepEqual(refused.sort(), ["connect-src", "img-src", "script-src-elem", "style-src-elem"]);
	assert.equal(await page.evaluate(() => window.evil), undefined);
	await page.close();
});

// How a damaged page ends: with a message, and without an error that nobody caught.
async function failure(html) {
	const page = await open(saved(html), { expectData: false });
	await waitFor("a message", async () => page.locator("#failure").isVisible());
	const text = await page.locator("#failure").innerText();
	noComplaints(page);
	await page.close();
	return text;
}

const good = story({ seconds: 1 }).recording.write(template).page;
const chunk = /(<script type="text\/plain" id="strata-chunk-\d+">)([^<]*)/g;
const damages = [
	["no data", () => template, /holds no data/],
	["another version", () => good.replace('"version":1', '"version":7'), /version 7/],
	["half a description", () => good.replace('"tracks":[', '"tracks":[,'), /cannot be shown/],
	["a parent that comes later", () => good.replace('"id":0,"parent":-1', '"id":0,"parent":1'), /before its parent/],
	["a chunk that is missing", () => good.replace(/id="strata-chunk-/g, 'id="other-'), /chunk \d+ is not in this file/],
	["a chunk that is cut", () => good.replace(chunk, (_, head, body) => head + body.slice(0, 400)), /cannot be shown/],
	["a chunk that is no base64", () => good.replace(chunk, "$1!!!!"), /cannot be shown/],
	["a chunk of another kind", () => good.replace(chunk, (_, head) => head + Buffer.from([0x03, 0x00]).toString("base64")), /ends in its head/],
];
for (const [what, page, message] of damages) await check(`of ${what}, the page says so`, async () => assert.match(await failure(page()), message));

await check("a recording without anything in it opens", async () => {
	const r = new Recording("empty", 1000);
	const page = await open(saved(r.write(template).page));
	assert.match(await page.locator("#latencies").innerText(), /no requests/);
	noComplaints(page);
	await page.close();
});

// As `strata timeline --serve`: the page below a secret folder, its chunks beside it.
async function serve(recording, test) {
	const { page, chunks } = recording.write(template, { serve: true });
	const asked = [];
	const server = createServer((request, response) => {
		asked.push(request.url);
		const path = request.url.replace(/^\/token\//, "");
		const id = /^chunk\/(\d+)$/.exec(path)?.[1];
		if (path === "") response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page);
		else if (id !== undefined && chunks.has(Number(id))) response.writeHead(200, { "content-type": "application/octet-stream" }).end(chunks.get(Number(id)));
		else if (path.startsWith("why?")) response.writeHead(200, { "content-type": "text/plain" }).end(`asked ${path}`);
		else response.writeHead(404).end();
	});
	await new Promise((done) => server.listen(0, "127.0.0.1", done));
	try {
		await test(`http://127.0.0.1:${server.address().port}/token/`, asked);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

await check("from a server, chunks come as they are needed, and the answer to why", async () => {
	const { recording, worst } = story();
	recording.meta.answers = true;
	await serve(recording, async (address, asked) => {
		const page = await open(address);
		const chunks = () => asked.filter((a) => a.includes("chunk/")).length;
		const coarse = chunks();
		const all = recording.meta.levels[0].chunks.length;
		assert.ok(coarse < all, `${coarse} chunks for the whole, of ${all}`);
		const [track, from, length] = worst;
		await show(page, from, from + length);
		assert.ok(chunks() > coarse);
		await page.mouse.click(...(await placeOf(page, track, from + length / 2)));
		await waitFor("the answer", async () => (await page.locator("#selected").innerText()).includes(`asked why?track=${track}&at=${from}`));
		assert.equal(new Set(asked).size, asked.length, "nothing is fetched twice");
		noComplaints(page);
		await page.close();
	});
});

await finish();
