#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_scheduled.py DIR [OPTION...] - writes traces in the manner of LTTng's, of a machine without a hypervisor: a
kernel of two CPUs with tasks that wake, run, migrate, make system calls and are interrupted (DIR/kernel), and an
application with requests (DIR/app).

  lossy      events are discarded at the end of each third packet
  silent     the kernel's trace has no scheduling events
  gaps       a fifth of the switches is missing, and nothing says so
  mortal     tasks end, in the middle of system calls and requests, and others get their numbers
  wakeless   it has no wake-ups
  empty      no events at all
  hostile    each number is another: tasks, interrupts, system calls, requests"""
import os
import random
import struct
import sys

import made_ctf

TYPES = ("uint8_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
KERNEL = [
    ("sched_switch", "text_t _prev_comm[16]; int32_t _prev_tid; int64_t _prev_state; text_t _next_comm[16]; int32_t _next_tid;"),
    ("sched_waking", "text_t _comm[16]; int32_t _tid; int32_t _target_cpu;"),
    ("sched_wakeup", "text_t _comm[16]; int32_t _tid; int32_t _target_cpu;"),
    ("sched_migrate_task", "text_t _comm[16]; int32_t _tid; int32_t _dest_cpu;"),
    ("syscall_entry_read", "int32_t _fd;"), ("syscall_exit_read", "int64_t _ret;"),
    ("syscall_entry_futex", "int32_t _op;"), ("syscall_exit_futex", "int64_t _ret;"),
    ("irq_handler_entry", "int32_t _irq; string _name;"), ("irq_handler_exit", "int32_t _irq; int32_t _ret;"),
    ("softirq_entry", "uint32_t _vec;"), ("softirq_exit", "uint32_t _vec;"),
    ("sys_enter", "int64_t _id;"), ("sys_exit", "int64_t _id; int64_t _ret;"),
    ("task_rename", "int32_t _tid; text_t _newcomm[16];"),
]
APP = [("server:work_begin", "uint64_t _id;"), ("server:work_end", "uint64_t _id;"),
       ("server:other_begin", "uint32_t _x;"), ("server:other_end", "uint32_t _x;"),
       ("server:ask", "uint64_t _number;"), ("server:answered", "uint64_t _number;")]
BEGIN = 1700000000 * 10**9
SLEEPS, ZOMBIE, PREEMPTED = 1, 32, 256


class Trace(made_ctf.Trace):
    def __init__(self, path, layer, classes, context, nr_streams, lossy):
        super().__init__(path, classes, nr_streams, 'domain = "%s"; hostname = "machine";' % layer,
                         "monotonic; freq = 1000000000", TYPES, context, 3 if lossy else 0)
        self.numbers = {name.split(":")[-1]: number for name, number in self.numbers.items()}

    def add(self, cpu, ns, name, form, *values):
        super().add(cpu, ns, name, struct.pack("<" + form, *values))


def comm(tid):
    return (b"swapper" if tid == 0 else b"task%d" % (tid % 1000 // 10)).ljust(16, b"\0")


class Machine:
    """Two CPUs and twelve tasks, as Linux would have them."""

    def __init__(self, where, options):
        self.options = options
        self.kernel = Trace(os.path.join(where, "kernel"), "kernel", KERNEL, "", 2, "lossy" in options)
        self.app = Trace(os.path.join(where, "app"), "ust", APP, "int32_t _vtid;", 2, "lossy" in options)
        self.ns, self.runs, self.queues = BEGIN, [0, 0], [[], []]
        self.asleep = list(range(10, 130, 10))
        self.calls, self.requests, self.irqs, self.count = {}, {}, [[], []], 0

    def number(self, small):
        self.count += 1
        return self.count * 7919 % (1 << 31) if "hostile" in self.options else small

    def switch(self, cpu, state):
        before = self.runs[cpu]
        after = self.queues[cpu].pop(0) if self.queues[cpu] else 0
        if after == before:
            return
        if "mortal" in self.options and random.random() < 0.2:
            state = ZOMBIE
        self.runs[cpu] = after
        if before and state == PREEMPTED:
            self.queues[cpu].append(before)
        elif before:
            self.asleep.append(before)
        if "silent" not in self.options and not ("gaps" in self.options and random.random() < 0.2):
            other = self.number(after)
            self.kernel.add(cpu, self.ns, "sched_switch", "16siq16si", comm(before), before, state if before else 0,
                            comm(other), other)

    def wake(self, cpu):
        tid = self.asleep.pop(random.randrange(len(self.asleep)))
        target = random.randrange(2)
        moves = random.random() < 0.2
        if not {"silent", "wakeless"} & self.options:
            self.kernel.add(cpu, self.ns, "sched_waking", "16sii", comm(tid), tid, 1 - target if moves else target)
            self.pass_time()
            if moves:
                self.kernel.add(cpu, self.ns, "sched_migrate_task", "16sii", comm(tid), tid, target)
            if random.random() < 0.8:
                self.kernel.add(cpu, self.ns, "sched_wakeup", "16sii", comm(tid), tid, target)
        self.queues[target].append(tid)

    def pass_time(self):
        self.ns += random.choice([0, 1, 30, 500, 20000, random.randrange(1, 3000000)])

    def call(self, cpu, tid):
        if tid in self.calls:
            name = self.calls.pop(tid)
            if name == "sys":
                self.kernel.add(cpu, self.ns, "sys_exit", "qq", random.choice([0, -1]), -4)
            else:
                self.kernel.add(cpu, self.ns, "syscall_exit_" + name, "q", 0)
        else:
            self.calls[tid] = name = random.choice(["read", "futex", "sys"])
            if name == "sys":
                self.kernel.add(cpu, self.ns, "sys_enter", "q", self.number(random.choice([1, 232])))
            else:
                self.kernel.add(cpu, self.ns, "syscall_entry_" + name, "i", 3)

    def interrupt(self, cpu):
        if self.irqs[cpu] and random.random() < 0.6:
            self.kernel.add(cpu, self.ns, "irq_handler_exit", "ii", self.irqs[cpu].pop(), 1)
        elif len(self.irqs[cpu]) < 6:
            irq = self.number(random.randrange(20))
            self.irqs[cpu].append(irq)
            name = b"dev%d\0" % irq
            self.kernel.add(cpu, self.ns, "irq_handler_entry", "i%ds" % len(name), irq, name)
        else:
            vector = self.number(random.randrange(10))
            self.kernel.add(cpu, self.ns, "softirq_entry", "I", vector)
            self.ns += 700
            self.kernel.add(cpu, self.ns, "softirq_exit", "I", vector)

    def request(self, cpu, tid):
        kind, (form, key) = random.choice([("work", ("Q", random.randrange(3))), ("other", ("I", 0))])
        key = self.number(key)
        begins = not self.requests.pop((kind, tid), False)
        if begins:
            self.requests[kind, tid] = True
        name = {True: kind + "_begin", False: kind + "_end"}[begins]
        self.app.add(cpu, self.ns, name, "i" + form, tid, key)
        if random.random() < 0.5:
            self.app.add(cpu, self.ns, "ask" if begins else "answered", "iQ", tid, tid)

    def step(self):
        cpu = random.randrange(2)
        tid = self.runs[cpu]
        what = random.random()
        self.pass_time()
        if what < 0.25:
            self.switch(cpu, random.choice([SLEEPS, SLEEPS, PREEMPTED, 2]))
        elif what < 0.5:
            if self.asleep:
                self.wake(cpu)
        elif what < 0.65:
            self.interrupt(cpu)
        elif tid and what < 0.9:
            self.call(cpu, tid)
        elif tid:
            self.request(cpu, tid)


def main():
    options = set(sys.argv[2:])
    random.seed(4)
    machine = Machine(sys.argv[1], options)
    for _ in range(0 if "empty" in options else int(os.environ.get("STEPS", "20000"))):
        machine.step()
    machine.kernel.end()
    machine.app.end()


main()
