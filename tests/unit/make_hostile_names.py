#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""make_hostile_names.py DIR [NUMBER | shared] - writes a CTF 2 trace whose events and fields have names that SQL does not expect: quotes, reserved
words, tables of SQLite, names that differ by case only, more columns than SQLite has; and numbers beyond 63 bits.

  NUMBER  instead, so many events of one field each, whose names are the same until far behind where SQL's names are cut
  shared  instead, programs of several users that want the same names for their tables and columns"""
import json
import os
import struct
import sys

BEGIN = 1700000000 * 10**9
WIDE = [0, 1, 2**53, 2**63 - 1, 2**63, 2**63 + 1, 10**19, 2**64 - 1, 7]
FIELDS = ["select", "Select", "SELECT", 'a"b', "x'); DROP TABLE events;--", "time_ns", "TIME_NS", "", "größe", "a b", "\x1b[31m", "*", "rowid",
          "ctx_id", "a_name", "A_NAME"]
EVENTS = ["order", "Order", "ORDER", 'quo"te', "events", "Slices", "sqlite_master", "pragma_table_info", "json_each", "select", "", "a.b:c",
          "\x1b]0;title\x07", "x'; DROP TABLE events;--", "two words", "größe", "GRÖSSE", "event[1]*?\\"]


def integer(length, roles=None):
    kind = {"type": "fixed-length-unsigned-integer", "length": length, "byte-order": "little-endian", "alignment": 8}
    if roles:
        kind["roles"] = roles
    return kind


def structure(members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": kind} for name, kind in members]}


def frame(**formats):
    yield {"type": "preamble", "version": 2}
    yield {"type": "trace-class", "environment": {"hostname": "hostile", **formats}}
    yield {"type": "clock-class", "id": "c", "frequency": 10**9, "origin": "unix-epoch"}
    yield {"type": "data-stream-class", "default-clock-class-id": "c",
           "packet-context-field-class": structure([
               ("total", integer(64, ["packet-total-length"])), ("content", integer(64, ["packet-content-length"])),
               ("begin", integer(64, ["default-clock-timestamp"]))]),
           "event-record-header-field-class": structure([
               ("class", integer(32, ["event-record-class-id"])), ("time", integer(64, ["default-clock-timestamp"]))])}


def fragments():
    yield from frame()
    payload = structure([(name, integer(8)) for name in FIELDS])
    for i, name in enumerate(EVENTS):
        yield {"type": "event-record-class", "id": i, "name": name, "payload-field-class": payload}
    yield {"type": "event-record-class", "id": 100, "name": "wide", "payload-field-class": structure([("x", integer(64))])}
    yield {"type": "event-record-class", "id": 101, "name": "broad",
           "payload-field-class": structure([(f"f{i}", integer(8)) for i in range(2500)])}
    yield {"type": "event-record-class", "id": 102, "name": "mixed", "payload-field-class": structure([
        ("real", {"type": "fixed-length-floating-point-number", "length": 64, "byte-order": "little-endian", "alignment": 8}),
        ("text", {"type": "null-terminated-string"}), ("blob", {"type": "static-length-blob", "length": 3})])}


def event(number, ns, payload):
    return struct.pack("<IQ", number, ns) + payload


def crowd(number):
    yield from frame()
    payload = structure([("x", integer(8))])
    for i in range(number):
        yield {"type": "event-record-class", "id": i, "name": "crowd" * 50 + str(i), "payload-field-class": payload}


def labelled():
    return {**integer(8), "type": "fixed-length-unsigned-integer", "mappings": {"five": [[5, 5]]}}


SHARED = [("step", [("number", labelled()), ("state", integer(8)), ("mode", labelled()), ("MODE", integer(8)), ("MODE_1_name", integer(8))]),
          ("STEP", [("number", integer(8))]), ("step_1", [("number", integer(8)), ("number_name", integer(8))]),
          ("step", [("NUMBER_name", integer(8)), ("STATE", integer(8))]),
          ("said", [("message", labelled())]), ("said", [("Message", integer(8))]), ("told", [("message", integer(8))])]


def shared():
    yield from frame(message_format_0_4="says %d \x1b")
    for i, (name, members) in enumerate(SHARED):
        yield {"type": "event-record-class", "id": i, "name": name, "payload-field-class": structure(members)}


def write(path, metadata, events):
    os.makedirs(path)
    with open(os.path.join(path, "metadata"), "wb") as file:
        for fragment in metadata:
            file.write(b"\x1e" + json.dumps(fragment).encode() + b"\n")
    bits = 8 * (24 + len(events))
    with open(os.path.join(path, "stream"), "wb") as stream:
        stream.write(struct.pack("<QQQ", bits, bits, BEGIN) + events)


def hostile_events():
    body, ns = b"", BEGIN
    for i in range(3 * len(EVENTS)):
        ns += 1000
        body += event(i % len(EVENTS), ns, bytes((i + j) % 251 for j in range(len(FIELDS))))
    for value in WIDE:
        ns += 1000
        body += event(100, ns, struct.pack("<Q", value))
    body += event(101, ns + 1000, bytes(i % 251 for i in range(2500)))
    body += event(102, ns + 2000, struct.pack("<d", float("nan")) + b"\xffbad\x1b\0" + b"\1\2\3")
    return body + event(102, ns + 3000, struct.pack("<d", 1.5) + "grün \"quoted\"\0".encode() + b"\4\5\6")


def main():
    if len(sys.argv) == 2:
        write(sys.argv[1], fragments(), hostile_events())
    elif sys.argv[2] == "shared":
        write(sys.argv[1], shared(), b"".join(event(i, BEGIN + i, bytes([5 + i] * len(members))) for i, (_, members) in enumerate(SHARED)))
    else:
        number = int(sys.argv[2])
        write(sys.argv[1], crowd(number), b"".join(event(i, BEGIN + i, bytes([i % 256])) for i in range(number)))


main()
