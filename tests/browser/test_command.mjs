#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `strata timeline` writes and serves opens in the browser, and shows what `strata report` says of the same traces.
import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, call, check, finish, noComplaints, open, placeOf, settled, show, top, waitFor, work } from "./browser.mjs";

const strata = join(top, "out/bin/strata");
const run = (command, ...args) => execFileSync(command, args, { cwd: top, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 2 ** 28 });
const trace = (kind) => {
	const into = join(work, kind);
	run("python3", "tests/unit/make_scheduled.py", into, kind);
	return into;
};
const write = (from) => {
	const file = `${from}.html`;
	run(strata, "timeline", "-o", file, from);
	return pathToFileURL(file).href;
};

const xen = join(work, "xen");
run(strata, "import", "tests/unit/data/host.xentrace", "-o", xen, "--tsc-khz", "2445427");

await check("a hypervisor's recording is drawn: CPUs, vCPUs, exits, the loss, arrows", async () => {
	const page = await open(write(xen));
	const rows = await call(page, "rows");
	for (const kind of ["pcpu", "vcpu", "exits"]) assert.ok(rows.some((r) => r.kind === kind), kind);
	const drawn = await call(page, "drawn");
	const vcpus = rows.filter((r) => r.kind === "vcpu" && r.y + r.height < 600).map((r) => r.id);
	assert.ok(vcpus.some((id) => drawn.some((d) => d.track === id)));
	assert.ok((await call(page, "losses")) > 0);
	const waiting = page.locator("#query");
	await waiting.fill("waiting");
	await waitFor("results", async () => (await call(page, "searched")) === "waiting");
	const hits = await call(page, "results");
	assert.ok(hits.length > 10);
	// One that waited has an arrow from who held its CPU.
	await page.keyboard.press("Enter");
	await waitFor("an arrow", async () => {
		if ((await call(page, "arrows")).some((a) => a.kind === 3)) return true;
		await page.keyboard.press("Enter");
		await settled(page);
		return false;
	});
	noComplaints(page);
	await page.close();
});

for (const kind of ["whole", "lossy", "silent", "wakeless", "hostile", "empty"])
	await check(`a kernel and an application, ${kind}`, async () => {
		const page = await open(write(trace(kind)));
		if (kind === "empty") {
			assert.deepEqual(await call(page, "rows"), []);
		} else {
			const { length } = await page.evaluate(() => ({ length: window.strata.meta.length }));
			await show(page, length * 0.3, length * 0.4);
			const rows = await call(page, "rows");
			for (const d of await call(page, "drawn")) assert.ok(rows.some((r) => r.id === d.track || r.inside.includes(d.track)));
			if (kind === "lossy") assert.ok((await call(page, "losses")) > 0);
		}
		noComplaints(page);
		await page.close();
	});

await check("each kind of state that the command writes has its colour and is explained", async () => {
	const page = await open(pathToFileURL(join(work, "whole.html")).href);
	const { written, read, names } = await page.evaluate(() => {
		const meta = JSON.parse(document.getElementById("strata-meta").textContent);
		return {
			written: meta.categories.map((c) => c.hue),
			read: meta.categories.map((c) => window.strata.meta.categories[c.id].hue),
			names: meta.categories.filter((c) => !["running", "domain"].includes(c.hue)).map((c) => meta.strings[c.name]),
		};
	});
	assert.ok(written.includes("paused") && written.includes("softirq"));
	assert.deepEqual(read, written);
	const legend = await page.locator("#legend li").allInnerTexts();
	for (const name of names) assert.ok(legend.some((text) => text.includes(name)), `${name}: ${legend}`);
	const fills = await call(page, "fills");
	const looks = written.flatMap((hue, i) => (["running", "domain", "request"].includes(hue) ? [] : [`${fills[i].colour} ${fills[i].form}`]));
	assert.equal(new Set(looks).size, looks.length, "two have the same look");
	noComplaints(page);
	await page.close();
});

await check("its histogram has as many requests as the report counts, and its slowest is as slow", async () => {
	const whole = join(work, "whole");
	const page = await open(pathToFileURL(`${whole}.html`).href);
	const report = JSON.parse(run(strata, "report", "requests", "--json", whole));
	const counts = [];
	JSON.stringify(report, (key, value) => (key === "count" && typeof value === "number" && counts.push(value), value));
	const bars = await page.locator(".bar").evaluateAll((all) => all.map((b) => Number(b.title.split(" ")[0].replaceAll(",", ""))));
	const total = bars.reduce((a, b) => a + b, 0);
	assert.ok(total > 0 && counts.includes(total), `${total} of ${counts}`);
	await page.locator(".bar:not(:disabled)").last().click();
	await page.locator("#latencies .instances button").first().click();
	await waitFor("the slowest", async () => (await call(page, "selected")) !== undefined);
	await settled(page);
	const { track, from, length } = await call(page, "selected");
	assert.equal(await page.evaluate((id) => window.strata.meta.byId.get(id).kind, track), "requests");
	const view = await call(page, "view");
	assert.ok(view.from < from && view.to > from + length && length > (view.to - view.from) / 3);
	await page.mouse.click(...(await placeOf(page, track, from + length / 2)));
	await waitFor("the same again", async () => (await call(page, "selected"))?.from === from);
	noComplaints(page);
	await page.close();
});

await check("served, the same is shown", async () => {
	const whole = join(work, "whole");
	const server = spawn(strata, ["timeline", "--serve", whole], { cwd: top, stdio: ["ignore", "pipe", "pipe"] });
	try {
		let said = "";
		for (const stream of [server.stdout, server.stderr]) stream.on("data", (bytes) => (said += bytes));
		await waitFor("its address", async () => /http:\/\/127\.0\.0\.1:\d+\/\S*/.test(said));
		const page = await open(/http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(said)[0]);
		const file = await open(pathToFileURL(`${whole}.html`).href);
		const length = await page.evaluate(() => window.strata.meta.length);
		for (const [a, b] of [[0, 1], [0.3, 0.4], [0.5, 0.501]]) {
			for (const p of [page, file]) await show(p, a * length, b * length);
			assert.deepEqual(await call(page, "drawn"), await call(file, "drawn"));
		}
		const [slice] = (await call(page, "drawn")).filter((d) => d.name >= 0 && d.x1 - d.x0 > 8);
		const box = await page.locator("#over").boundingBox();
		const row = (await call(page, "rows")).find((r) => r.id === slice.track);
		await page.mouse.click(box.x + (slice.x0 + slice.x1) / 2, box.y + row.y + row.height / 2);
		await waitFor("the selection", async () => (await call(page, "selected"))?.track === slice.track);
		noComplaints(page);
		await page.close();
		await file.close();
	} finally {
		server.kill();
	}
});

await finish();
