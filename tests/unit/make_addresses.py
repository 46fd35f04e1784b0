#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_addresses.py DIR - writes traces of a hypervisor and of two guests' kernels with addresses
of code in events, as tests/unit/test_symbols.sh wants them: DIR/xen, DIR/g1, DIR/g2."""

import os
import struct
import sys

METADATA = """/* CTF 1.8 */
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 64; align = 8; signed = false; base = 16; } := address_t;
trace { major = 1; minor = 8; byte_order = le;
	packet.header := struct { uint32_t magic; uint32_t stream_id; }; };
env { strata_merge = "one"; strata_machine = 0; domain = "%s"; domain_id = %u; layer = "%s"; };
clock { name = c; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := time_t;
stream { id = 0;
	packet.context := struct { uint64_t content_size; uint64_t packet_size; uint32_t cpu_id; };
	event.header := struct { uint32_t id; time_t timestamp; };
	%s };
"""
CONTEXT = "event.context := struct { uint16_t _domain; uint16_t _vcpu; };"
EVENT = 'event {{ name = "{}"; id = {}; stream_id = 0; fields := struct {{ {} }}; }};\n'
BEGIN = 1700000000 * 10**9


def write(directory, name, domain, layer, events, records):
    os.makedirs(f"{directory}/{name}")
    with open(f"{directory}/{name}/metadata", "w", encoding="ascii") as metadata:
        metadata.write(METADATA % (name, domain, layer, CONTEXT if layer == "xen" else ""))
        for i, (event, fields) in enumerate(events):
            metadata.write(EVENT.format(event, i, fields))
    body = b"".join(struct.pack("<IQ", kind, BEGIN + ns) + fields for ns, kind, fields in records)
    bits = (8 + 20 + len(body)) * 8
    with open(f"{directory}/{name}/cpu_0", "wb") as stream:
        stream.write(struct.pack("<IIQQI", 0xC1FC1FC1, 0, bits, bits, 0) + body)


def main():
    directory = sys.argv[1]
    records = []
    for ns, (domain, kind, address) in enumerate(
        [(1, 0, 0x81000010), (2, 0, 0x81000010), (7, 0, 0x81000010), (1, 0, 0x400000), (1, 1, 0xD0400123)]
    ):
        records.append((ns, kind, struct.pack("<HHIQ", domain, 0, 7, 0xFFFFFFFF00000000 + address)))
    # A length in front of the address has a slot, too.
    records.append((9, 2, struct.pack("<HHBHQ", 1, 0, 1, 2, 0xFFFFFFFF81000010)))
    write(directory, "xen", 32754, "xen",
          [("vm_exit", "uint32_t _reason; address_t _ip;"), ("vcpu_pause", "uint32_t _count; address_t _by;"),
           ("pv_trap", "integer { size = 8; align = 8; } _n; uint16_t _words[_n]; address_t _ip;")],
          records)
    for i, name in enumerate(("g1", "g2")):
        write(directory, name, i + 1, "kernel", [("hrtimer_expire_entry", "address_t _function;")],
              [(100 + i, 0, struct.pack("<Q", 0xFFFFFFFF81000000))])


main()
