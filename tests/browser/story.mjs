// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes up a recording with a story: a client in g1 asks a server a thousand times, and g2 takes the physical
// CPU away from both during the first and the third quarter.
import { histogram, Recording } from "./recording.mjs";

const MS = 1e6;
const US = 1e3;

function random(seed) {
	return () => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return seed / 2 ** 32;
	};
}

export function story({ seconds = 12.39, name = "demo/raw" } = {}) {
	const r = new Recording(name, Math.round(seconds * 1e9));
	const rnd = random(7);
	const end = r.meta.length_ns;
	const between = (a, b) => a + (b - a) * rnd();

	const on = [0, 1, 2].map((i) => r.category(`domain${i}`, ["Domain-0", "g1", "g2"][i], "domain", i));
	const run = [0, 1, 2].map((i) => r.category(`guest${i}`, ["Domain-0 runs", "g1 runs", "g2 runs"][i], "running", i));
	const task = [0, 1, 2].map((i) => r.category(`task${i}`, ["task of Domain-0 runs", "task of g1 runs", "task of g2 runs"][i], "running", i));
	const waiting = r.category("runnable", "waits for a CPU", "waiting");
	const blocked = r.category("blocked", "blocked", "blocked");
	const unknown = r.category("unknown", "state unknown", "unknown");
	const exit = r.category("exit", "VM exit", "exit");
	const hypercall = r.category("hypercall", "hypercall", "hypercall");
	const syscall = r.category("syscall", "system call", "syscall");
	const irq = r.category("irq", "interrupt", "irq");
	const request = r.category("request", "request", "request");

	const cpus = r.track("group", "Physical CPUs", { detail: "Xen 4.17, 2 pCPUs" });
	const pcpu = [0, 1].map((i) => r.track("pcpu", `pCPU ${i}`, { parent: cpus }));
	const domain = (i, title, detail) => {
		const parent = r.track("group", title, { detail, domain: title });
		const options = { parent, domain: title };
		const vcpu = r.track("vcpu", "vCPU 0", { ...options, detail: `on pCPU ${i === 0 ? 1 : 0}` });
		const below = { parent: vcpu, domain: title };
		return { parent, options, vcpu, exits: r.track("exits", "VM exits", below), hypercalls: r.track("hypercalls", "hypercalls", below), irqs: r.track("irqs", "interrupts", below) };
	};
	const g1 = domain(1, "g1", "domain 1, 1 vCPU");
	const app = r.track("group", "client", { parent: g1.parent, detail: "pid 412", domain: "g1", process: "client" });
	const requests = r.track("requests", "client:request", { parent: app, domain: "g1", process: "client" });
	const client = r.track("task", "client", { parent: app, detail: "412", domain: "g1", process: "client" });
	const calls = r.track("syscalls", "system calls", { parent: client, domain: "g1", process: "client" });
	const dom0 = domain(0, "Domain-0", "domain 0, 1 vCPU");
	const server = r.track("task", "server", { ...dom0.options, detail: "1207", process: "server" });
	const others = Array.from({ length: 30 }, (_, i) => r.track("task", ["xenstored", "kworker/0:1", "xenconsoled", "sshd", "systemd", "rcu_preempt"][i % 6], { ...dom0.options, detail: String(300 + i), process: "tools" }));
	const g2 = domain(2, "g2", "domain 2, 1 vCPU");
	const hog = r.track("task", "hog", { ...g2.options, detail: "388", process: "hog" });

	for (const [host, names] of [["", ["g1", "g2", "Domain-0"]]])
		for (const [i, n] of names.entries())
			r.meta.clock.push({ host, domain: n, points: Array.from({ length: 40 }, (_, k) => [Math.round((k * end) / 40), 120 + i * 40 + ((k * 37) % 90)]) });
	r.meta.clock.push({ host: "", domain: "", points: [[0, 1]] });

	const hogs = (t) => t < end * 0.26 || (t > end * 0.5 && t < end * 0.77);
	const instances = [];
	let free = 0; // from where pCPU 0 is g2's or idle
	let slept = 0;
	// g1 has pCPU 0 for [from, to).
	const runs = (from, to, waited) => {
		const gap = from - free;
		if (hogs(free) && gap > 0) {
			r.span(pcpu[0], free, gap, "g2 vCPU 0", on[2], { detail: "domain=2\nvcpu=0" });
			r.span(g2.vcpu, free, gap, "runs", run[2]);
			r.span(hog, free, gap, "hog", task[2]);
			for (let t = free + between(50 * US, 900 * US); t < from; t += between(200 * US, 1500 * US)) r.span(g2.exits, t, between(1.5 * US, 9 * US), "EXTERNAL_INTERRUPT", exit, { detail: "reason=1(EXTERNAL_INTERRUPT)" });
		} else if (gap > 0) {
			r.span(g2.vcpu, free, gap, "blocked", blocked);
			r.span(hog, free, gap, "blocked", blocked);
		}
		if (from - waited > slept) {
			r.span(g1.vcpu, slept, from - waited - slept, "blocked", blocked);
			r.span(client, slept, from - waited - slept, "blocked", blocked, { detail: "on=read" });
		}
		if (waited > 0) {
			r.span(g1.vcpu, from - waited, waited, "waits for a pCPU", waiting, { bound: 260, detail: "behind=g2 vCPU 0" });
			r.span(client, from - waited, waited, "runnable", waiting, { bound: 260, detail: "its vCPU waits for a pCPU\nbehind=g2 vCPU 0" });
			r.arrow(3, hog, from, g1.vcpu, from - waited, 300);
		}
		r.span(pcpu[0], from, to - from, "g1 vCPU 0", on[1], { detail: "domain=1\nvcpu=0" });
		r.span(g1.vcpu, from, to - from, "runs", run[1]);
		r.span(client, from, to - from, "client", task[1]);
		r.span(g2.vcpu, from, to - from, hogs(from) ? "waits for a pCPU" : "blocked", hogs(from) ? waiting : blocked);
		r.span(hog, from, to - from, hogs(from) ? "runnable" : "blocked", hogs(from) ? waiting : blocked);
		for (let t = from + between(2 * US, 30 * US); t < to - 8 * US; t += between(12 * US, 70 * US)) {
			const length = between(0.7 * US, 4 * US);
			const kind = rnd();
			if (kind < 0.5) r.span(g1.exits, t, length, "CPUID", exit, { detail: "reason=10(CPUID)" });
			else if (kind < 0.8) r.span(g1.hypercalls, t, length, "event_channel_op", hypercall, { detail: "op=32\ncommand=4(EVTCHNOP_send)" });
			else r.span(calls, t, length * 3, kind < 0.9 ? "read" : "sendto", syscall, { detail: "fd=5\nret=64" });
		}
		r.span(g1.exits, to - 3 * US, 3 * US, "HLT", exit, { detail: "reason=12(HLT)" });
		free = to;
		slept = to;
	};
	let t = 2 * MS;
	let backend = 0;
	while (t < end - 40 * MS) {
		const began = t;
		const parts = [];
		for (let step = 0; step < 2; step++) {
			const slow = hogs(t) && rnd() < 0.22;
			const waited = slow ? between(0.4 * MS, 9.6 * MS) : between(2 * US, 14 * US);
			r.span(g1.irqs, t + waited, between(1.2 * US, 3 * US), "evtchn upcall", irq, { detail: "port=7" });
			const from = t + waited;
			const to = from + between(120 * US, 420 * US);
			if (waited > 0) parts.push(waited);
			runs(from, to, waited);
			t = to;
			if (step === 0) {
				// The server's part, in dom0 on the other pCPU.
				const came = t + between(4 * US, 12 * US);
				const done = came + between(90 * US, 260 * US);
				r.span(dom0.vcpu, backend, came - backend, "blocked", blocked);
				r.span(server, backend, came - backend - 2 * US, "blocked", blocked, { detail: "on=epoll_wait" });
				r.span(server, came - 2 * US, 2 * US, "runnable", waiting);
				r.span(dom0.vcpu, came, done - came, "runs", run[0]);
				r.span(server, came, done - came, "server", task[0]);
				r.span(pcpu[1], came, done - came, "Domain-0 vCPU 0", on[0]);
				r.span(dom0.irqs, came, 1.5 * US, "evtchn upcall", irq, { detail: "port=12" });
				r.span(dom0.hypercalls, done - 4 * US, 2 * US, "event_channel_op", hypercall);
				r.arrow(1, client, t - 2 * US, server, came - 2 * US, 200);
				r.arrow(1, server, done - 2 * US, client, done, rnd() < 0.3 ? 6000 : 300);
				backend = done;
				t = done;
			}
		}
		const length = t - began;
		r.span(requests, began, length, "client:request", request, { bound: 240, detail: `key=${instances.length}\nbytes=64` });
		instances.push([requests, Math.round(began), Math.round(length)]);
		if (rnd() < 0.3) {
			const at = between(began, t);
			r.span(others[Math.floor(rnd() * others.length)], at, between(20 * US, 700 * US), "runs", task[0]);
		}
		t += between(2 * MS, 9 * MS);
	}
	for (const [track, name] of [[g1.vcpu, "blocked"], [client, "blocked"]]) r.span(track, slept, end - slept, name, blocked);
	r.span(dom0.vcpu, backend, end * 0.97 - backend, "blocked", blocked);
	r.span(dom0.vcpu, end * 0.97, end * 0.03, "state unknown", unknown);
	r.meta.losses.push([dom0.parent, Math.round(end * 0.97), end, 1834]);
	r.span(r.track("irqs", "Xen's interrupts", { parent: cpus }), end * 0.4, 4 * US, "timer", irq);
	r.meta.histograms = [histogram("client:request", instances)];
	const worst = [...instances].sort((x, y) => y[2] - x[2])[0];
	r.meta.why[`${worst[0]}:${worst[1]}`] = `request client:request took ${(worst[2] / 1e6).toFixed(3)} ms ± 240 ns\n  8.912 ms  g1's vCPU waited for a physical CPU\n            8.912 ms behind g2 vCPU 0\n  0.651 ms  client ran\n  0.201 ms  server ran, in Domain-0\n  0.019 ms  event channels`;
	r.meta.facts.not_shown = "Packets of the network are not shown: net:* was not recorded.";
	return { recording: r, tracks: { cpus, pcpu, g1, g2, dom0, app, requests, client, calls, server, others, hog }, worst, instances };
}
