#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_short_lived.py DIR TASKS - writes a trace in the manner of LTTng's, of a kernel without a hypervisor: TASKS tasks, each of
which is woken, runs for a microsecond and exits."""
import struct
import sys

import made_ctf

TYPES = ("uint8_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
KERNEL = [
    ("sched_switch", "text_t _prev_comm[16]; int32_t _prev_tid; int64_t _prev_state; text_t _next_comm[16]; int32_t _next_tid;"),
    ("sched_waking", "text_t _comm[16]; int32_t _tid; int32_t _target_cpu;"),
]
BEGIN, ZOMBIE = 1700000000 * 10**9, 32
IDLE, SHELL = b"swapper".ljust(16, b"\0"), b"sh".ljust(16, b"\0")


def main():
    trace = made_ctf.Trace(sys.argv[1], KERNEL, 1, 'domain = "kernel"; hostname = "machine";', "monotonic; freq = 1000000000", TYPES, "", 0)
    switch, waking = struct.Struct("<16siq16si"), struct.Struct("<16sii")
    for number in range(int(sys.argv[2])):
        tid, now = 10 + number, BEGIN + 3000 * number
        trace.add(0, now, "sched_waking", waking.pack(SHELL, tid, 0))
        trace.add(0, now + 1000, "sched_switch", switch.pack(IDLE, 0, 0, SHELL, tid))
        trace.add(0, now + 2000, "sched_switch", switch.pack(SHELL, tid, ZOMBIE, IDLE, 0))
    trace.end()


main()
