#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""sparse_traces.py STRATA WORK: foreign traces of a few KiB on the disk, whose files have holes, beside another trace.

Each line: the attack, the bytes on the disk, seconds with it and without it, lines of the other's events with it and without it.
  slices   a stream of 1 TiB without a packet: all readers with two threads or more cut as many slices as for 1 TiB
  hole     a packet of 1 TiB whose content is a hole: it is 2^36 events of zeros
  windows  600 streams with an event of 15 MB each, a hole: each reader keeps a window of 16 MiB (here with 4 GB of address space)"""
import os
import struct
import subprocess
import sys
import time

strata, work = sys.argv[1:3]
UUID = bytes.fromhex("5e7a110c667e43109a513d0e42771829")
BEGIN = 1700000000000000000
METADATA = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; byte_order = le; uuid = "5e7a110c-667e-4310-9a51-3d0e42771829";
	packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
clock { name = monotonic; freq = 1000000000; offset_s = 0; offset = 0; absolute = TRUE; };
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := time;
stream { id = 0;
	packet.context := struct { time timestamp_begin; time timestamp_end; u64 content_size; u64 packet_size; u64 packet_seq_num;
		u64 events_discarded; u32 cpu_id; };
	event.header := struct { u32 id; time timestamp; }; };
event { name = "%s"; id = 0; stream_id = 0; fields := struct { u32 n; u8 data[n]; }; };
"""
HEADER = struct.Struct("<I16sIQQQQQQI")


def begin(path, name):
    os.makedirs(path, exist_ok=True)
    with open(path + "/metadata", "w") as file:
        file.write(METADATA % name)
    return path


def header(first, last, size, sequence, cpu):
    return HEADER.pack(0xC1FC1FC1, UUID, 0, first, last, size * 8, size * 8, sequence, 0, cpu)


def honest(path, streams, packets):
    begin(path, "honest")
    for cpu in range(streams):
        with open(f"{path}/channel_{cpu}", "wb") as file:
            for i in range(packets):
                ns = BEGIN + (i * streams + cpu) * 100
                file.write(header(ns, ns, HEADER.size + 16, i, cpu) + struct.pack("<IQI", 0, ns, 0))
    return path


def sparse(path, size, head=b"", streams=1):
    begin(path, "sparse")
    for cpu in range(streams):
        with open(f"{path}/channel_{cpu}", "wb") as file:
            file.write(head)
            file.truncate(size)
    return path


def read(limit_kb, *paths):
    """Seconds, status and lines of the honest trace."""
    begun = time.time()
    result = subprocess.run(
        ["sh", "-c", f'ulimit -v {limit_kb}; exec timeout 120 "$@"', "sh", strata, "view", "--threads", "2", "--event", "honest", *paths],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return round(time.time() - begun, 1), result.returncode, result.stdout.count(b"honest")


many, few = honest(work + "/many", 4000, 4), honest(work + "/few", 10, 100)
event = HEADER.size + 16
attacks = {
    "slices": (many, sparse(work + "/slices", 1 << 40)),
    "hole": (few, sparse(work + "/hole", 1 << 40, header(0, 1 << 60, 1 << 40, 0, 0))),
    "windows": (few, sparse(work + "/windows", event + 15000000,
                            header(BEGIN, BEGIN + 1, event + 15000000, 0, 0) + struct.pack("<IQI", 0, BEGIN, 15000000), 600)),
}
for name, (other, attacker) in attacks.items():
    disk = sum(os.stat(f"{attacker}/{f}").st_blocks * 512 for f in os.listdir(attacker))
    print(name, f"{disk >> 10} KiB", "with (s, status, lines):", read(4000000, other, attacker), "without:", read(4000000, other), flush=True)
