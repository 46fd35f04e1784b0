#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_many_sources.py DIR RECORDINGS SOURCES [PACKETS] - writes what a rotating recording leaves: RECORDINGS recordings below DIR, in
each of which a user has SOURCES programs with one event each; or PACKETS packets of one event, 1 us apart, from 1700000000 s on."""
import json
import os
import struct
import sys
import uuid

KHZ, ANCHOR_TICKS, ANCHOR_NS = 1000000, 10**12, 1700000000 * 10**9
METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 32; signed = false; } := u32;
typealias integer { size = 64; align = 32; signed = false; } := u64;
trace { major = 1; minor = 8; uuid = "%(uuid)s"; byte_order = le;
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
env { domain = "served"; hostname = "%(name)s"; pid = %(pid)d; uid = 1000; domain_id = 0; layer = "app"; tracer_name = "strata"; };
clock { name = ticks; uuid = "%(uuid)s"; freq = 1000000000; offset_s = 1699999000; offset = 0; absolute = TRUE; };
typealias integer { size = 64; align = 32; signed = false; map = clock.ticks.value; } := time;
stream { id = 0;
	packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size; u64 packet_size; u64 packet_seq_num;
		u64 events_discarded; u64 lost[3]; u32 cpu_id; u32 pid; } align(32);
	event.header := struct { u32 id; time timestamp; } align(32); };
event { id = 0; name = "served"; stream_id = 0; fields := struct { u32 number; } align(32); };
"""
PACKET_BYTES = 24 + 80 + 16


def packet(trace, sequence, number, ticks):
    bits = PACKET_BYTES * 8
    return (struct.pack("<I16sI", 0xc1fc1fc1, uuid.UUID(trace).bytes, 0) +
            struct.pack("<9Q2I", ticks, ticks, bits, bits, sequence, 0, 0, 0, 0, 0, 1000 + number) + struct.pack("<IQI", 0, ticks, number))


def write_source(where, name, number, ticks, packets):
    trace = str(uuid.uuid5(uuid.NAMESPACE_OID, os.path.join(where, name)))
    os.mkdir(os.path.join(where, name))
    with open(os.path.join(where, name, "metadata"), "w", encoding="utf-8") as file:
        file.write(METADATA % {"uuid": trace, "name": name, "pid": 1000 + number})
    with open(os.path.join(where, name, "cpu_0"), "wb") as file:
        for sequence in range(packets):
            file.write(packet(trace, sequence, number, ticks + 1000 * sequence))
    return {"name": name, "layer": "app", "domain": 0, "domain_name": "served", "uuid": trace, "pid": 1000 + number, "uid": 1000,
            "since_ticks": ANCHOR_TICKS, "came_ticks": ANCHOR_TICKS, "went_ticks": ANCHOR_TICKS + 10**9, "ended": "process ended",
            "streams": [{"cpu": 0, "packets": packets, "events": packets, "lost": 0, "bad_packets": 0}]}


def main():
    packets = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    for recording in range(int(sys.argv[2])):
        where = os.path.join(sys.argv[1], f"recording-{recording:03}")
        os.makedirs(where)
        sources = [
            write_source(where, f"app-served-{number}", number, ANCHOR_TICKS + 1000 * number, packets)
            for number in range(int(sys.argv[3]))
        ]
        with open(os.path.join(where, "recording.json"), "w", encoding="utf-8") as file:
            json.dump({"format": "strata recording", "version": 2, "tsc_khz": KHZ, "anchor_ticks": ANCHOR_TICKS,
                       "anchor_realtime_ns": ANCHOR_NS, "boot": str(uuid.UUID(int=1)), "sources": sources,
                       "ended_ticks": ANCHOR_TICKS + 10**9}, file)


main()
