#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_kernel.py DIR - writes a kernel's trace of two CPUs, and prints of each event its time and
the name of the task that ran, as tests/unit/test_process.sh wants to find it; "?" where it is
unknown: before the first switch, and from a loss to the next switch."""

import os
import random
import struct
import sys

METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = UTF8; } := text_t;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { domain = "kernel"; hostname = "machine"; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := time_t;
stream { id = 0;
	packet.context := struct { time_t timestamp_begin; time_t timestamp_end; uint64_t content_size;
		uint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
	event.header := struct { uint32_t id; time_t timestamp; }; };
event { name = "sched_switch"; id = 0; stream_id = 0; fields := struct {
	text_t _prev_comm[16]; int32_t _prev_tid; text_t _next_comm[16]; int32_t _next_tid; }; };
event { name = "sched_process_exec"; id = 1; stream_id = 0; fields := struct {
	string _filename; int32_t _tid; }; };
event { name = "task_rename"; id = 2; stream_id = 0; fields := struct {
	int32_t _tid; text_t _newcomm[16]; }; };
event { name = "sys_enter"; id = 3; stream_id = 0; fields := struct { int32_t _id; }; };
"""

# By tid; others come by exec and renaming.
NAMES = {0: "swapper/0", 10: "bash", 11: "make", 12: "cc1", 13: "cat"}
BEGIN = 1700000000 * 10**9


def comm(name):
    return name.encode().ljust(16, b"\0")


def write_stream(path, cpu, chance):
    names = dict(NAMES)
    now, current, running = BEGIN + cpu, 0, None
    sequence = discarded = 0
    expected = []
    with open(path, "wb") as stream:
        for _ in range(60):
            body, first = b"", now
            # Between packets events may be lost, a switch among them.
            if sequence and chance.random() < 0.3:
                discarded += 3
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
                body += struct.pack("<IQ", kind, now) + fields
            bits = (8 + 52 + len(body)) * 8
            stream.write(struct.pack("<II", 0xC1FC1FC1, 0))
            stream.write(struct.pack("<QQQQQQI", first, now, bits, bits, sequence, discarded, cpu))
            stream.write(body)
            sequence += 1
    return expected


def main():
    directory = sys.argv[1]
    os.makedirs(directory)
    with open(directory + "/metadata", "w", encoding="ascii") as metadata:
        metadata.write(METADATA)
    chance = random.Random(8)
    expected = []
    for cpu in range(2):
        expected += write_stream(f"{directory}/cpu_{cpu}", cpu, chance)
    for when, name in sorted(expected):
        print(when, name)


main()
