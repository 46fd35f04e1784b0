#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_namers.py DIR - writes traces of a host of whose sources two name what there is not: dom0's kernel, which has two tasks and an
interrupt (DIR/dom0); an application there whose events say that a thousand other tasks do its work (DIR/app); and before all that
a guest's kernel with an interrupt of another number each time (DIR/g1)."""
import os
import struct
import sys

import made_ctf

ENVIRONMENT = """tracer_name = "strata"; domain = "%s"; hostname = "host"; domain_id = %d; layer = "%s"; strata_source = "%s";
	strata_timeline = "deccd272-a142-8f7d-bd29-8c451bbc1dfc"; strata_merge = "deccd272-a142-8f7d-bd29-8c451bbc1dfc";
	strata_place = %d; strata_machine = 0; strata_clock = %d;"""
CLOCK = 'host; uuid = "432e3636-82c9-0cb6-aa77-aa1337413ba4"; freq = 1000000000; absolute = true'
TYPES = ("uint8_t", "uint16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
KERNEL = [
    ("sched_switch", "text_t prev_comm[16]; int32_t prev_pid; int64_t prev_state; text_t next_comm[16]; int32_t next_pid;"),
    ("irq_handler_entry", "int32_t irq; text_t name[8];"), ("irq_handler_exit", "int32_t irq; int32_t ret;"),
]
BEGIN = 1700000000 * 10**9
NUMBERS = 40000


def trace(where, name, domain, layer, place, classes):
    return made_ctf.Trace(os.path.join(where, name), classes, 1, ENVIRONMENT % (name, domain, layer, name, place, place), CLOCK, TYPES)


def interrupt(kernel, ns, number):
    kernel.add(0, ns, "irq_handler_entry", struct.pack("<i8s", number, b"dev"))
    kernel.add(0, ns + 10, "irq_handler_exit", struct.pack("<ii", number, 1))


def main():
    kernel = trace(sys.argv[1], "dom0", 0, "kernel", 0, KERNEL)
    app = trace(sys.argv[1], "app", 0, "app", 1, [("work_begin", "int32_t tid; uint64_t id;")])
    guest = trace(sys.argv[1], "g1", 1, "kernel", 2, KERNEL)
    for i in range(NUMBERS):
        interrupt(guest, BEGIN + 100 * i, i)
    now = BEGIN + 100 * NUMBERS
    kernel.add(0, now, "sched_switch", struct.pack("<16siq16si", b"one", 5, 1, b"two", 6))
    interrupt(kernel, now + 100, 7)
    for i in range(1000):
        app.add(0, now + 1000 + i, "work_begin", struct.pack("<iQ", 1000000 + i, i))
    kernel.add(0, now + 9000, "sched_switch", struct.pack("<16siq16si", b"two", 6, 1, b"one", 5))
    for written in (kernel, app, guest):
        written.end()


main()
