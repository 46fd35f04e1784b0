#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_xen_host.py DIR [OPTION...] - writes traces of a host with a hypervisor: Xen on two physical CPUs (DIR/xen), and the
kernels of dom0 and of g1 (DIR/dom0, DIR/g1); g2 has no trace.  Their vCPUs run, wait and block; event channels wake them, and
their kernels take the upcalls; tasks wait for CPUs and for locks; domains map, copy and unmap grants.

  lossy      events are discarded at the end of each fifth packet
  paused     dom0 pauses and unpauses g1"""
import os
import random
import struct
import sys

import made_ctf

TYPES = ("uint8_t", "uint16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
ENVIRONMENT = """tracer_name = "strata"; domain = "%s"; hostname = "%s"; domain_id = %d; layer = "%s"; strata_source = "%s"; vm_exits = "vmx";
	strata_timeline = "deccd272-a142-8f7d-bd29-8c451bbc1dfc"; strata_merge = "deccd272-a142-8f7d-bd29-8c451bbc1dfc";
	strata_place = %d; strata_machine = 0; strata_clock = %d;"""
CLOCK = 'host; uuid = "432e3636-82c9-0cb6-aa77-aa1337413ba4"; freq = 1000000000; absolute = true'
OF = "uint16_t of_vcpu; uint16_t of_domain;"
XEN = [("runstate_%s_to_%s" % (a, b), OF, "HH")
       for a in ("running", "runnable", "blocked", "offline") for b in ("running", "runnable", "blocked", "offline")] + [
    ("evtchn_send", "uint32_t port; uint16_t to_domain; uint16_t state; uint32_t to_port;", "IHHI"),
    ("evtchn_pending", OF + " uint32_t port;", "HHI"),
    ("vm_exit", "uint32_t reason; uint64_t ip;", "IQ"), ("vm_entry", "", ""),
    ("grant_map", "uint32_t granter; uint32_t ref; uint32_t handle; uint32_t flags;", "IIII"),
    ("grant_unmap", "uint32_t granter; uint32_t ref; uint32_t handle;", "III"),
    ("grant_copy", "uint16_t from_domain; uint16_t to_domain; uint32_t from; uint32_t to; uint32_t bytes; uint32_t flags; "
                   "int32_t status;", "HHIIIIi"),
]
KERNEL = [
    ("sched_switch", "text_t prev_comm[16]; int32_t prev_pid; int64_t prev_state; text_t next_comm[16]; int32_t next_pid;", "16siq16si"),
    ("sched_waking", "text_t comm[16]; int32_t pid; int32_t target_cpu;", "16sii"),
    ("sched_wakeup", "text_t comm[16]; int32_t pid; int32_t target_cpu;", "16sii"),
    ("irq_handler_entry", "int32_t irq; text_t name[8];", "i8s"), ("irq_handler_exit", "int32_t irq; int32_t ret;", "ii"),
    ("softirq_raise", "uint32_t vec;", "I"), ("softirq_entry", "uint32_t vec;", "I"), ("softirq_exit", "uint32_t vec;", "I"),
    ("xen_evtchn_upcall", "uint32_t port; int32_t irq;", "Ii"),
    ("contention_begin", "uint64_t lock_addr; uint32_t flags;", "QI"),
    ("contention_end", "uint64_t lock_addr; int32_t ret;", "Qi"),
]
BEGIN, IDLE, SELF = 1700000000 * 10**9, 32767, 0x7ff0
SLEEPS, PREEMPTED = 1, 256
PAUSE = 40  # the reason of VM exits of a spinning vCPU


class Trace(made_ctf.Trace):
    def __init__(self, where, name, place, domain, layer, classes, nr_streams, lossy):
        super().__init__(os.path.join(where, name), [(event, fields) for event, fields, _ in classes], nr_streams,
                         ENVIRONMENT % (name, name, domain, layer, name, place, place), CLOCK, TYPES,
                         "uint16_t domain; uint16_t vcpu;" if layer == "xen" else "", 5 if lossy else 0)
        self.forms = {event: form for event, _, form in classes}

    def add(self, cpu, ns, context, event, *values):
        super().add(cpu, ns, event, context + struct.pack("<" + self.forms[event], *values))


def comm(tid):
    return (b"swapper" if tid == 0 else b"task%d" % tid).ljust(16, b"\0")


class Kernel:
    """Of vCPUs, with eight tasks."""

    def __init__(self, trace, nr_cpus):
        self.trace, self.runs, self.queues = trace, [0] * nr_cpus, [[] for _ in range(nr_cpus)]
        self.asleep, self.in_handler = list(range(10, 90, 10)), [None] * nr_cpus
        self.pending = [[] for _ in range(nr_cpus)]  # ports
        self.spins = {}                              # by task: the lock
        self.raised = [False] * nr_cpus


class Host:
    def __init__(self, where, options):
        lossy, self.pauses = "lossy" in options, "paused" in options
        self.paused = False
        self.xen = Trace(where, "xen", 0, 32754, "xen", XEN, 2, lossy)
        self.kernels = {0: Kernel(Trace(where, "dom0", 1, 0, "kernel", KERNEL, 1, lossy), 1),
                        1: Kernel(Trace(where, "g1", 2, 1, "kernel", KERNEL, 2, lossy), 2)}
        self.ns = BEGIN
        self.states = {(0, 0): "runnable", (1, 0): "blocked", (1, 1): "runnable", (2, 0): "runnable"}
        self.runs = [(IDLE, 0), (IDLE, 1)]
        self.exits, self.maps = set(), []
        self.handles = 0

    def pass_time(self):
        self.ns += random.choice([1, 30, 500, 20000, random.randrange(1, 300000)])

    def tell(self, pcpu, event, *values):
        self.pass_time()
        self.xen.add(pcpu, self.ns, struct.pack("<HH", *self.runs[pcpu]), event, *values)

    def change(self, pcpu, vcpu, before, after):
        if vcpu[0] != IDLE:
            self.states[vcpu] = after
        self.tell(pcpu, "runstate_%s_to_%s" % (before, after), vcpu[1], vcpu[0])

    def schedule(self, pcpu):
        before = self.runs[pcpu]
        ready = [vcpu for vcpu, state in self.states.items() if state == "runnable"]
        after = random.choice(ready) if ready else (IDLE, pcpu)
        if after == before:
            return
        self.change(pcpu, before, "running", random.choice(["runnable", "blocked"]) if before[0] != IDLE else "runnable")
        self.change(pcpu, after, "runnable", "running")
        self.runs[pcpu] = after

    def pend(self, pcpu, to, port):
        self.tell(pcpu, "evtchn_pending", to[1], to[0], port)
        if to[0] in self.kernels:
            self.kernels[to[0]].pending[to[1]].append(port)
        if self.states[to] == "blocked":
            self.change(pcpu, to, "blocked", "offline" if self.paused and to[0] == 1 else "runnable")

    def pause(self, pcpu):
        """Pauses g1 from a pCPU that it does not run on, or unpauses it."""
        self.paused = not self.paused
        for vcpu, state in list(self.states.items()):
            if vcpu[0] != 1 or state not in (("runnable", "running") if self.paused else ("offline",)):
                continue
            if state != "running":
                self.change(pcpu, vcpu, state, "offline" if self.paused else "runnable")
                continue
            other = self.runs.index(vcpu)
            self.change(other, vcpu, "running", "offline")
            self.change(other, (IDLE, other), "runnable", "running")
            self.runs[other] = (IDLE, other)

    def event_channel(self, pcpu):
        to = random.choice(list(self.states))
        port = 4 + to[1] * 8 + random.randrange(4)
        if self.runs[pcpu][0] != IDLE and random.random() < 0.7:
            self.tell(pcpu, "evtchn_send", port + 50, to[0], 3, port)
            if random.random() < 0.1:
                return  # of a port that is not usable
        self.pend(pcpu, to, port)

    def grant(self, pcpu):
        domain = self.runs[pcpu][0]
        mine = [m for m in self.maps if m[0] == domain]
        what = random.random()
        if what < 0.3 and mine:
            mapped = random.choice(mine)
            self.maps.remove(mapped)
            self.tell(pcpu, "grant_unmap", *mapped[1:])
        elif what < 0.6:
            self.handles += 1
            mapped = (domain, random.choice([1, 2]), random.randrange(500), self.handles)
            self.maps.append(mapped)
            self.tell(pcpu, "grant_map", *mapped[1:], 2)
        else:
            ends = random.choice([(SELF, random.randrange(3)), (random.randrange(3), SELF), (1, 2)])
            self.tell(pcpu, "grant_copy", *ends, 7, 8, random.randrange(1, 4096), 3, random.choice([0, 0, 0, -1]))

    def spin_exit(self, pcpu):
        vcpu = self.runs[pcpu]
        if vcpu in self.exits:
            self.exits.remove(vcpu)
            self.tell(pcpu, "vm_entry")
        else:
            self.exits.add(vcpu)
            self.tell(pcpu, "vm_exit", random.choice([PAUSE, PAUSE, 12]), 0x1000)

    # What a kernel does on the vCPU that runs.
    def kernel(self, vcpu):
        kernel, cpu = self.kernels[vcpu[0]], vcpu[1]

        def tell(event, *values):
            self.pass_time()
            kernel.trace.add(cpu, self.ns, b"", event, *values)

        what = random.random()
        if kernel.in_handler[cpu] is not None:
            if random.random() < 0.3:
                tell("softirq_raise", 3)
                kernel.raised[cpu] = True
            tell("irq_handler_exit", kernel.in_handler[cpu], 1)
            kernel.in_handler[cpu] = None
        elif kernel.pending[cpu] and what < 0.6:
            port = kernel.pending[cpu].pop(0)
            kernel.pending[cpu] = [other for other in kernel.pending[cpu] if other != port]
            tell("xen_evtchn_upcall", port, port + 60)
            if random.random() < 0.9:
                tell("irq_handler_entry", port + 60, b"dev%d" % port)
                kernel.in_handler[cpu] = port + 60
        elif kernel.raised[cpu]:
            kernel.raised[cpu] = False
            tell("softirq_entry", 3)
            self.wake(kernel, tell)
            tell("softirq_exit", 3)
        elif what < 0.75:
            self.switch(kernel, cpu, tell)
        elif what < 0.9:
            self.wake(kernel, tell)
        else:
            self.spin(kernel, cpu, tell)

    def switch(self, kernel, cpu, tell):
        before = kernel.runs[cpu]
        state = random.choice([SLEEPS, PREEMPTED]) if before not in kernel.spins else PREEMPTED
        after = kernel.queues[cpu].pop(0) if kernel.queues[cpu] else 0
        if after == before:
            return
        kernel.runs[cpu] = after
        if before and state == PREEMPTED:
            kernel.queues[cpu].append(before)
        elif before:
            kernel.asleep.append(before)
        tell("sched_switch", comm(before), before, state if before else 0, comm(after), after)

    def wake(self, kernel, tell):
        if not kernel.asleep:
            return
        tid = kernel.asleep.pop(random.randrange(len(kernel.asleep)))
        target = random.randrange(len(kernel.queues))
        tell("sched_waking", comm(tid), tid, target)
        tell("sched_wakeup", comm(tid), tid, target)
        kernel.queues[target].append(tid)

    def spin(self, kernel, cpu, tell):
        tid = kernel.runs[cpu]
        if not tid:
            return
        if tid in kernel.spins:
            tell("contention_end", kernel.spins.pop(tid), 0)
        else:
            kernel.spins[tid] = 0xffff888000000000 + random.randrange(3) * 64
            tell("contention_begin", kernel.spins[tid], random.choice([1, 32]))

    def step(self):
        pcpu = random.randrange(2)
        what, vcpu = random.random(), self.runs[pcpu]
        if self.pauses and vcpu[0] != 1 and random.random() < 0.05:
            self.pause(pcpu)
            return
        if what < 0.15 or vcpu[0] == IDLE and what < 0.5:
            self.schedule(pcpu)
        elif what < 0.3 or vcpu[0] == IDLE:
            self.event_channel(pcpu)
        elif what < 0.36 and vcpu[0] != IDLE:
            self.grant(pcpu)
        elif what < 0.42 and vcpu[0] != IDLE:
            self.spin_exit(pcpu)
        elif vcpu[0] in self.kernels and vcpu not in self.exits:
            self.kernel(vcpu)

    def end(self):
        for trace in [self.xen] + [kernel.trace for kernel in self.kernels.values()]:
            trace.end()


def main():
    random.seed(7)
    host = Host(sys.argv[1], set(sys.argv[2:]))
    for _ in range(int(os.environ.get("STEPS", "20000"))):
        host.step()
    host.end()


main()
