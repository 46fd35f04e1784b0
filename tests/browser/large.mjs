// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes up a recording of a given number of spans: eight pCPUs, forty vCPUs with their exits, and their tasks.
import { Recording } from "./recording.mjs";

export function large(spans) {
	const length = 10e9;
	const r = new Recording("large", length);
	let seed = 1;
	const rnd = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32;
	const domains = 8;
	const on = Array.from({ length: domains }, (_, i) => r.category(`domain${i}`, `g${i}`, "domain", i));
	const run = Array.from({ length: domains }, (_, i) => r.category(`run${i}`, "runs", "running", i));
	const waiting = r.category("waiting", "waits", "waiting");
	const blocked = r.category("blocked", "blocked", "blocked");
	const exit = r.category("exit", "VM exit", "exit");
	const tracks = [];
	const cpus = r.track("group", "Physical CPUs");
	for (let i = 0; i < 8; i++) tracks.push({ id: r.track("pcpu", `pCPU ${i}`, { parent: cpus }), states: on });
	for (let i = 0; i < domains; i++) {
		const domain = `g${i}`;
		const parent = r.track("group", domain, { domain });
		for (let v = 0; v < 3; v++) {
			const vcpu = r.track("vcpu", `vCPU ${v}`, { parent, domain });
			tracks.push({ id: vcpu, states: [run[i], waiting, blocked] });
			tracks.push({ id: r.track("exits", "VM exits", { parent: vcpu, domain }), states: [exit] });
		}
		for (let t = 0; t < 4; t++) tracks.push({ id: r.track("task", `task ${t}`, { parent, domain }), states: [run[i], waiting, blocked] });
	}
	const each = Math.floor(spans / tracks.length);
	const detail = Array.from({ length: 50 }, (_, i) => `reason=${i}`);
	for (const track of tracks) {
		const pace = length / each;
		let t = rnd() * pace;
		for (let i = 0; i < each; i++) {
			const size = Math.max(Math.round(pace * rnd() * 0.95), 1);
			r.span(track.id, t, size, `name ${i % 40}`, track.states[Math.floor(rnd() * track.states.length)], { detail: i % 3 ? "" : detail[i % 50] });
			t += Math.max(pace * (0.5 + rnd() * 0.5) , size);
			if (t > length) break;
		}
	}
	r.meta.clock.push({ host: "", domain: "", points: [[0, 1]] });
	return r;
}
