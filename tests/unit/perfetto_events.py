#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# perfetto_events.py FILE: the events of a Perfetto trace, as JSON, one a line.
# Knows of protocol buffers, and of Perfetto's messages what their .proto files say.
import json
import struct
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """A message's fields, as (number, value)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack("<d", data[at : at + 8])[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            if at + length > len(data):
                sys.exit("a message is longer than what it is in")
            value, at = data[at : at + length], at + length
        else:
            sys.exit(f"wire type {kind}")
        yield key >> 3, value


def annotation(data):
    name, value = None, None
    for number, content in fields(data):
        if number == 10:
            name = content.decode()
        elif number in (3, 7, 2):
            value = content
        elif number == 4:
            value = content - (1 << 64) if content >> 63 else content
        elif number == 5:
            value = repr(content)
        elif number == 6:
            value = content.decode()
        elif number == 11:
            value = value or {}
            value.update([annotation(content)])
        elif number == 12:
            value = value or []
            value.append(annotation(content)[1])
        else:
            sys.exit(f"field {number} of an annotation")
    return name, value


tracks = {}
with open(sys.argv[1], "rb") as file:
    trace = file.read()
for number, packet in fields(trace):
    assert number == 1
    packet = dict(fields(packet))
    if 60 in packet:
        track = dict(fields(packet[60]))
        tracks[track[1]] = (tracks[track[5]] + "/" if 5 in track else "") + track[2].decode()
        if 3 in track:
            process = dict(fields(track[3]))
            assert process[1] > 0 and process[6] == track[2]
        continue
    event = {"ns": str(packet[8]), "annotations": {}}
    assert packet[10] == 1
    for number, value in fields(packet[11]):
        if number == 4:
            event["annotations"].update([annotation(value)])
        elif number == 9:
            assert value == 3
        elif number == 11:
            event["track"] = tracks[value]
        elif number == 22:
            event["category"] = value.decode()
        elif number == 23:
            event["event"] = value.decode()
        else:
            sys.exit(f"field {number} of an event")
    print(json.dumps(event))
