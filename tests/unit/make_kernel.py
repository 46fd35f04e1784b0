#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_kernel.py DIR - writes a kernel's trace of two CPUs, and prints of each event its time and
the name of the task that ran, as tests/unit/test_process.sh wants to find it; "?" where it is
unknown: before the first switch, and from a loss to the next switch."""

import random
import struct
import sys

import made_ctf

TYPES = ("uint8_t", "uint32_t", "int32_t", "uint64_t", "text_t")
CLASSES = [
    ("sched_switch", "text_t _prev_comm[16]; int32_t _prev_tid; text_t _next_comm[16]; int32_t _next_tid;"),
    ("sched_process_exec", "string _filename; int32_t _tid;"),
    ("task_rename", "int32_t _tid; text_t _newcomm[16];"),
    ("sys_enter", "int32_t _id;"),
]

# By tid; others come by exec and renaming.
NAMES = {0: "swapper/0", 10: "bash", 11: "make", 12: "cc1", 13: "cat"}
BEGIN = 1700000000 * 10**9


def comm(name):
    return name.encode().ljust(16, b"\0")


def fill_stream(stream, cpu, chance):
    names = dict(NAMES)
    now, current, running = BEGIN + cpu, 0, None
    expected = []
    for _ in range(60):
        stream.begin(now)
        # Between packets events may be lost, a switch among them.
        if stream.packets and chance.random() < 0.3:
            stream.lost += 3
            current, running = chance.choice(list(names)), None
        for _ in range(chance.randrange(20, 60)):
            now += chance.randrange(2, 2000)
            kind = chance.choice([0, 1, 2, 3, 3, 3, 3, 3])
            if kind == 0:
                following = chance.choice(list(names))
                fields = comm(names[current]) + struct.pack("<i", current)
                fields += comm(names[following]) + struct.pack("<i", following)
                expected.append((now, names[current]))
                current, running = following, names[following]
            else:
                expected.append((now, running or "?"))
            if kind == 1:
                # Of another task, too.
                tid = chance.choice([current, 12])
                names[tid] = chance.choice(["sh", "perl", "program-of-a-name"])
                fields = b"/usr/bin/" + names[tid].encode() + b"\0" + struct.pack("<i", tid)
                names[tid] = names[tid][:15]
            elif kind == 2:
                tid = chance.choice([current, 13])
                names[tid] = chance.choice(["worker", "sh"])
                fields = struct.pack("<i", tid) + comm(names[tid])
            elif kind == 3:
                fields = struct.pack("<i", chance.randrange(300))
            if kind in (1, 2) and running:
                running = names[current]
            stream.add(now, kind, fields)
        stream.close(False)
    return expected


def main():
    directory = sys.argv[1]
    trace = made_ctf.Trace(directory, CLASSES, 2, 'domain = "kernel"; hostname = "machine";', "c; freq = 1000000000", TYPES,
                           prefix="cpu_")
    chance = random.Random(8)
    expected = []
    for cpu, stream in enumerate(trace.streams):
        expected += fill_stream(stream, cpu, chance)
    trace.end()
    for when, name in sorted(expected):
        print(when, name)


main()
