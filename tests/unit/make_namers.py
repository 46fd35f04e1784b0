#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_namers.py DIR - writes traces of dom0's kernel, which has two tasks (DIR/dom0), and of an application there whose events say
that a thousand others do its work (DIR/app)."""
import os
import struct
import sys

import made_ctf

ENVIRONMENT = """tracer_name = "strata"; domain = "%s"; hostname = "host"; domain_id = 0; layer = "%s"; strata_source = "%s";
	strata_timeline = "deccd272-a142-8f7d-bd29-8c451bbc1dfc"; strata_merge = "deccd272-a142-8f7d-bd29-8c451bbc1dfc";
	strata_place = %d; strata_machine = 0; strata_clock = %d;"""
CLOCK = 'host; uuid = "432e3636-82c9-0cb6-aa77-aa1337413ba4"; freq = 1000000000; absolute = true'
TYPES = ("uint8_t", "uint16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
SWITCH = "text_t prev_comm[16]; int32_t prev_pid; int64_t prev_state; text_t next_comm[16]; int32_t next_pid;"
BEGIN = 1700000000 * 10**9


def trace(where, name, layer, place, classes):
    return made_ctf.Trace(os.path.join(where, name), classes, 1, ENVIRONMENT % (name, layer, name, place, place), CLOCK, TYPES)


def main():
    kernel = trace(sys.argv[1], "dom0", "kernel", 0, [("sched_switch", SWITCH)])
    app = trace(sys.argv[1], "app", "app", 1, [("work_begin", "int32_t tid; uint64_t id;")])
    kernel.add(0, BEGIN, "sched_switch", struct.pack("<16siq16si", b"one", 5, 1, b"two", 6))
    for i in range(1000):
        app.add(0, BEGIN + 1000 + i, "work_begin", struct.pack("<iQ", 1000000 + i, i))
    kernel.add(0, BEGIN + 9000, "sched_switch", struct.pack("<16siq16si", b"two", 6, 1, b"one", 5))
    kernel.end()
    app.end()


main()
