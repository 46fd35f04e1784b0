#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_claimed_user.py DIR - writes traces of two programs of one host, which claim the same user: one with 500 requests (DIR/honest),
and one that opens 200,000 requests before these, and ends none (DIR/evil)."""
import os
import struct
import sys

import made_ctf

ENVIRONMENT = 'tracer_name = "strata"; domain = "%s"; hostname = "host"; domain_id = 0; layer = "app"; strata_source = "%s"; uid = 61002;'
CLOCK = 'host; uuid = "432e3636-82c9-0cb6-aa77-aa1337413ba4"; freq = 1000000000; absolute = true'
TYPES = ("uint8_t", "uint16_t", "uint32_t", "int32_t", "uint64_t", "int64_t", "text_t")
WORK = [("work_begin", "int32_t tid; uint64_t id;"), ("work_end", "int32_t tid; uint64_t id;")]
BEGIN = 1700000000 * 10**9


def trace(where, name):
    return made_ctf.Trace(os.path.join(where, name), WORK, 1, ENVIRONMENT % (name, name), CLOCK, TYPES)


def main():
    evil, honest = (trace(sys.argv[1], name) for name in ("evil", "honest"))
    for i in range(200000):
        evil.add(0, BEGIN + i, "work_begin", struct.pack("<iQ", i, i))
    for i in range(500):
        honest.add(0, BEGIN + 10**9 + 1000 * i, "work_begin", struct.pack("<iQ", 7, i))
        honest.add(0, BEGIN + 10**9 + 1000 * i + 500, "work_end", struct.pack("<iQ", 7, i))
    for written in (evil, honest):
        written.end()


main()
