#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_sparse_traces.py DIR STREAMS: foreign traces of a few KiB on the disk, whose files have holes, and honest ones to read beside them.

  many     honest: STREAMS streams of 4 events
  few      honest: 10 streams of 100 events
  slices   a stream of 1 TiB without a packet, for which readers with two threads or more cut as many slices as for 1 TiB
  hole     a packet of 1 TiB whose content is a hole: it was 2^36 events of zeroes
  windows  100 streams with an event of 15 MB each, whose zeroes are short holes: each reader kept a window of 16 MiB"""
import os
import struct
import sys

work, streams_of_many = sys.argv[1], int(sys.argv[2])
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


def sparse(path, size, head=b"", streams=1, step=0):
    """Streams that begin with these bytes; the rest is a hole, of which each step has a byte that is written."""
    begin(path, "sparse")
    for cpu in range(streams):
        with open(f"{path}/channel_{cpu}", "wb") as file:
            file.write(head)
            for at in range(step, size, step) if step else ():
                file.seek(at)
                file.write(b"x")
            file.truncate(size)
    return path


LARGE = 15000000
EVENT_AND_HEADER = HEADER.size + 16
honest(work + "/many", streams_of_many, 4)
honest(work + "/few", 10, 100)
sparse(work + "/slices", 1 << 40)
sparse(work + "/hole", 1 << 40, header(0, 1 << 60, 1 << 40, 0, 0))
sparse(work + "/windows", EVENT_AND_HEADER + LARGE,
       header(BEGIN, BEGIN + 1, EVENT_AND_HEADER + LARGE, 0, 0) + struct.pack("<IQI", 0, BEGIN, LARGE), 100, 1 << 19)
