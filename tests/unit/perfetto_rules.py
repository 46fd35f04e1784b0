#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perfetto_rules.py TRACE [PAGE [CHROME]] - holds a trace for Perfetto to the rules that its .proto files and its reference
on synthetic track events state: texts are interned before numbers stand for them, tracks are described before events are on
them, sequences say what they need, slices nest, flows have two ends, counters are on tracks of their own.  With PAGE, the
slices are those of that page of `strata timeline`; and with CHROME, that file in Chrome's form has them, too."""
import collections
import json
import struct
import sys

from timeline_page import Page

VARINT, FIXED64, BYTES = 0, 1, 2
CLEARED, NEEDS = 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        assert shift <= 70
        if byte < 0x80:
            return value, at


def message(data, known):
    """Fields as lists by name. @known: number -> (name, wire type)"""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        assert number in known, "field %d is none of %s" % (number, sorted(known))
        name, expected = known[number]
        assert wire == expected, "%s has wire type %d" % (name, wire)
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == FIXED64:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            length, at = varint(data, at)
            assert at + length <= len(data), "a message is longer than what it is in"
            value, at = data[at:at + length], at + length
        found[name].append(value)
    return found


def one(fields, name, otherwise=None):
    assert len(fields[name]) <= 1, name + " is there twice"
    return fields[name][0] if fields[name] else otherwise


TRACE = {1: ("packet", BYTES)}
PACKET = {8: ("timestamp", VARINT), 10: ("sequence", VARINT), 11: ("event", BYTES), 12: ("interned", BYTES),
          13: ("flags", VARINT), 60: ("track", BYTES)}
TRACK = {1: ("uuid", VARINT), 2: ("name", BYTES), 3: ("process", BYTES), 5: ("parent", VARINT), 8: ("counter", BYTES),
         11: ("ordering", VARINT), 12: ("rank", VARINT), 19: ("process_ordering", VARINT)}
ROOT, EXPLICIT = 0, 1
PROCESS = {1: ("pid", VARINT), 6: ("name", BYTES)}
COUNTER_FIELDS = {3: ("unit", VARINT)}
EVENT = {3: ("category_iid", VARINT), 4: ("annotation", BYTES), 9: ("type", VARINT), 10: ("name_iid", VARINT),
         11: ("track", VARINT), 30: ("value", VARINT), 47: ("flow", FIXED64), 48: ("flow_end", FIXED64)}
INTERNED = {1: ("categories", BYTES), 2: ("names", BYTES), 3: ("annotations", BYTES)}
TEXT = {1: ("iid", VARINT), 2: ("text", BYTES)}
ANNOTATION = {1: ("name_iid", VARINT), 3: ("uint", VARINT), 6: ("string", BYTES)}


class Sequence:
    def __init__(self):
        self.texts = {"categories": {}, "names": {}, "annotations": {}}
        self.is_cleared = False

    def intern(self, data):
        for kind, entries in message(data, INTERNED).items():
            for entry in entries:
                fields = message(entry, TEXT)
                iid, text = one(fields, "iid"), one(fields, "text", b"").decode()
                assert iid, "a text's number is 0"
                assert iid not in self.texts[kind], "%s has a text twice" % iid
                self.texts[kind][iid] = text


class Trace:
    def __init__(self, path):
        self.sequences, self.tracks, self.events, self.pids, self.counts = {}, {}, [], set(), []
        self.processes_are_ordered = False
        with open(path, "rb") as file:
            packets = message(file.read(), TRACE)["packet"]
        for packet in packets:
            self.take(message(packet, PACKET))

    def take(self, packet):
        number = one(packet, "sequence", 0)
        assert number, "a packet is of no sequence"
        sequence = self.sequences.setdefault(number, Sequence())
        flags = one(packet, "flags", 0)
        if flags & CLEARED:
            sequence.__init__()
            sequence.is_cleared = True
        assert sequence.is_cleared, "a sequence does not begin with SEQ_INCREMENTAL_STATE_CLEARED"
        if packet["interned"]:
            sequence.intern(one(packet, "interned"))
        if packet["track"]:
            self.describe(message(one(packet, "track"), TRACK))
        if packet["event"]:
            self.add(sequence, flags, one(packet, "timestamp"), message(one(packet, "event"), EVENT))

    def describe(self, track):
        uuid, parent = one(track, "uuid"), one(track, "parent")
        if uuid == ROOT:
            assert one(track, "process_ordering") == EXPLICIT and not one(track, "name")
            self.processes_are_ordered = True
            return
        assert uuid and not track["process_ordering"], "a track has no number, or what only the root has"
        assert not (track["process"] and track["rank"]) or self.processes_are_ordered, "ranks of processes are ignored"
        assert parent is None or parent in self.tracks, "a parent is described after its child"
        described = {"name": one(track, "name").decode(), "parent": parent, "is_counter": bool(track["counter"]),
                     "rank": one(track, "rank")}
        assert described["rank"] is None or described["rank"] < 1 << 31, "a rank is no int32"
        assert self.tracks.get(uuid, described) == described, "a track is described in two ways"
        if track["process"] and uuid not in self.tracks:
            process = message(one(track, "process"), PROCESS)
            assert one(process, "pid") and one(process, "pid") not in self.pids, "two processes have one number"
            self.pids.add(one(process, "pid"))
            one(process, "name").decode()
        if track["counter"]:
            message(one(track, "counter"), COUNTER_FIELDS)
        self.tracks[uuid] = described

    def add(self, sequence, flags, ns, event):
        kind, uuid = one(event, "type"), one(event, "track")
        assert ns, "an event has no time"
        assert uuid in self.tracks, "an event is on a track that is not described"
        names = []
        for field, texts in (("name_iid", "names"), ("category_iid", "categories")):
            for iid in event[field]:
                assert flags & NEEDS, "SEQ_NEEDS_INCREMENTAL_STATE is missing"
                assert iid in sequence.texts[texts], "number %d is used before its text" % iid
                names.append(sequence.texts[texts][iid])
        annotations = {}
        for data in event["annotation"]:
            fields = message(data, ANNOTATION)
            iid = one(fields, "name_iid")
            assert flags & NEEDS and iid in sequence.texts["annotations"]
            values = fields["uint"] + [text.decode() for text in fields["string"]]
            assert len(values) == 1
            annotations[sequence.texts["annotations"][iid]] = values[0]
        assert (kind == COUNTER) == self.tracks[uuid]["is_counter"] == bool(event["value"])
        assert kind in (COUNTER, END) or names, "an event has no name"
        assert kind != END or not names
        if kind == COUNTER and not self.tracks[uuid]["name"].startswith("lost: "):
            self.counts.append((uuid, self.tracks[uuid]["name"], ns, one(event, "value")))
        self.events.append((ns, kind, uuid, names, annotations, event["flow"], event["flow_end"]))

    def slices(self):
        """(track, name, from, length) of all, in the order of a reader: by time, and as they stand where that is equal."""
        open_on, slices = collections.defaultdict(list), []
        flows, ended = {}, set()
        for ns, kind, uuid, names, annotations, starts, ends in sorted(self.events, key=lambda event: event[0]):
            if kind == BEGIN:
                open_on[uuid].append((names[0], ns, annotations))
            elif kind == END:
                assert open_on[uuid], "a slice ends that did not begin"
                name, since, notes = open_on[uuid].pop()
                slices.append((uuid, name, since, ns - since, notes))
            for flow in starts:
                assert flow and flow not in flows, "a flow begins twice"
                flows[flow] = ns
            for flow in ends:
                assert flow in flows and flow not in ended, "a flow ends that did not begin"
                ended.add(flow)
        assert not any(open_on.values()), "a slice does not end"
        assert set(flows) == ended, "a flow does not end"
        return slices, len(flows)


def of_page(page):
    begin = int(page.meta["begin_ns"])
    return collections.Counter((page.tracks[span.track]["name"], page.strings[span.name], span.start + begin, span.length)
                               for span in page.spans())


def check_chrome(path, expected, flows, counts):
    with open(path, encoding="utf-8") as text:
        chrome = json.load(text)
    origin = int(chrome["otherData"]["origin_ns"])
    threads, found, ends, last, queues = {}, collections.Counter(), collections.Counter(), {}, []
    for event in chrome["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            threads.setdefault(track, event["args"].get("name"))
        elif event["ph"] == "X":
            start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
            assert last.get(track, 0) <= start, "slices of a thread overlap"
            last[track] = start + length
            found[event["name"], start + origin, length] += 1
        elif event["ph"] == "C":
            queues.append((event["name"], round(event["ts"] * 1000) + origin, event["args"]["waiting"]))
        elif event["ph"] in "sf":
            ends[event["id"], event["ph"]] += 1
        assert track in threads
    wanted = collections.Counter()
    for (_, name, start, length), count in expected.items():
        wanted[name, start, length] += count
    assert found == wanted, "Chrome's form has other slices"
    assert queues == [(name, ns, waiting) for _, name, ns, waiting in counts], "Chrome's form has other queues"
    assert all(count == 1 for count in ends.values()) and len(ends) == 2 * flows


def main():
    trace = Trace(sys.argv[1])
    slices, flows = trace.slices()
    if len(sys.argv) > 2:
        page = Page(sys.argv[2])
        expected = of_page(page)
        # A task's last name is known in the end.
        found = collections.Counter((name, since, length) for _, name, since, length, _ in slices)
        wanted = collections.Counter()
        for (_, name, since, length), count in expected.items():
            wanted[name, since, length] += count
        assert found == wanted, "the page has other slices: %s" % ((found - wanted) + (wanted - found)).most_common(3)
        assert flows == sum(arrow.kind < 3 for arrow in page.arrows())
        if len(sys.argv) > 3:
            check_chrome(sys.argv[3], expected, flows, trace.counts)
    last = {}
    for uuid, _, ns, waiting in trace.counts:
        assert last.get(uuid, -1) < ns and waiting < 1 << 20, "a counter goes back in time"
        last[uuid] = ns
    counters = sum(track["is_counter"] for track in trace.tracks.values())
    print("%d slices, %d flows, %d tracks, %d counters" % (len(slices), flows, len(trace.tracks), counters))


main()
