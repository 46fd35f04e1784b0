# SPDX-License-Identifier: GPL-2.0-or-later
"""make_machines.py - writes traces of machines that exchange TCP segments, and tells which segments their merged times reverse.

    make_machines.py make DIR NAME=OFFSET... FIRST-SECOND[:LIE[:FAST]]...

DIR/NAME is the trace of a machine whose clock is OFFSET ns ahead.  Two machines exchange 400 segments in 4 s, each of which takes
80 to 200 us; FIRST notes them with times that are LIE ns late.  FAST: FIRST claims that they took no more than 20 us.

A word @NAME=UUID gives the clock of that machine a UUID; @NAME+NS makes its last time NS late.

    make_machines.py flood DIR NAME SEGMENTS

A machine that says that it sent as many segments, none of which anybody received.

    make_machines.py claim DIR NAME LIAR OFFSET

A machine whose clock is OFFSET ns ahead, that claims to have sent all segments of the trace DIR/NAME.

    make_machines.py slow DIR NAME OFFSET

Adds a stream to the trace DIR/NAME whose clock has 1 MHz: three events, `slowtick`, a second apart.

    strata view --json TRACE... | make_machines.py reversed FIRST SECOND SLACK_NS

Prints how many segments between the two were exchanged, and how many were received before they were sent: by more than both bounds
and SLACK_NS.  A bound that is unknown counts as 0."""
import json
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import made_ctf  # noqa: E402

FIELDS = "uint32_t saddr; uint32_t daddr; uint16_t source_port; uint16_t dest_port; uint32_t seq; uint32_t ack_seq; uint16_t flags;"
CLASSES = [("net_dev_queue", FIELDS), ("net_if_receive_skb", FIELDS), ("tick", "uint32_t n;")]
SENT, RECEIVED, TICK = range(3)
BEGIN_NS = 1767600000000000000
SEGMENTS, BETWEEN_NS = 400, 10_000_000


def segment(source, destination, number):
    return struct.pack("<IIHHIIH", source, destination, 1000, 2000, number & 0xffffffff, number >> 32, 0x10)


def address(name):
    return 0x0a000000 + sum(byte << 8 * i for i, byte in enumerate(name.encode()[:3]))


def trace(directory, name, uuid=""):
    return made_ctf.Trace(os.path.join(directory, name), CLASSES, 1, 'domain = "kernel"; hostname = "%s";' % name,
                          "monotonic; %sfreq = 1000000000;" % ('uuid = "%s"; ' % uuid if uuid else ""), ["uint8_t", "uint16_t", "uint32_t", "uint64_t"])


def converse(events, offsets, conversation, at):
    """Adds the events of two machines' conversation."""
    names, *options = conversation.split(":")
    first, second = names.split("-")
    lie = int(float(options[0])) if options else 0
    for number in range(SEGMENTS):
        ns, way = BEGIN_NS + at + number * BETWEEN_NS, random.randrange(80_000, 200_000)
        sender, receiver = (first, second) if number % 2 else (second, first)
        payload = segment(address(sender), address(receiver), number * 1000 + (77 << 32))
        claimed = {first: lie, second: 0}
        if len(options) > 1:
            claimed[first] += way - 20_000 if sender == first else 20_000 - way
        events[sender].append((ns + offsets[sender] + claimed[sender], SENT, payload))
        events[receiver].append((ns + way + offsets[receiver] + claimed[receiver], RECEIVED, payload))


def make(directory, words):
    random.seed(1)
    uuids = dict(word[1:].split("=") for word in words if word[0] == "@" and "=" in word)
    late = dict(word[1:].split("+") for word in words if word[0] == "@" and "+" in word)
    words = [word for word in words if word[0] != "@"]
    offsets = {name: int(float(offset)) for name, offset in (word.split("=") for word in words if "=" in word)}
    events = {name: [(BEGIN_NS + offset, TICK, struct.pack("<I", 0))] for name, offset in offsets.items()}
    for number, conversation in enumerate(word for word in words if "=" not in word):
        converse(events, offsets, conversation, (number + 1) * 500_000)
    for name, by in late.items():
        events[name].sort()
        last = events[name].pop()
        events[name].append((last[0] + int(float(by)), *last[1:]))
    for name, of_machine in events.items():
        made = trace(directory, name, uuids.get(name))
        for ns, kind, payload in sorted(of_machine):
            made.add(0, ns, CLASSES[kind][0], payload)
        made.end()


def flood(directory, name, segments):
    made = trace(directory, name)
    for number in range(segments):
        made.add(0, BEGIN_NS + number * 1000, CLASSES[SENT][0], segment(address(name), 0x0b000001, number * 0x10001))
    made.end()


def claim(directory, name, liar, offset):
    """Reads the events back: packets of a head of 60 bytes, and events of 12 bytes and the fields."""
    made = trace(directory, liar)
    with open(os.path.join(directory, name, "channel_0"), "rb") as file:
        stream = file.read()
    at = 0
    while at < len(stream):
        end = at + struct.unpack_from("<Q", stream, at + 24)[0] // 8
        at += 60
        while at < end:
            kind, ns = struct.unpack_from("<IQ", stream, at)
            size = 4 if kind == TICK else len(segment(0, 0, 0))
            if kind != TICK:
                made.add(0, ns + offset, CLASSES[SENT][0], stream[at + 12:at + 12 + size])
            at += 12 + size
    made.end()


SLOW = """clock { name = slow; freq = 1000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.slow.value; } := slow_t;
stream { id = 1;
	packet.context := struct { slow_t timestamp_begin; slow_t timestamp_end; uint64_t content_size; uint64_t packet_size;
		uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };
	event.header := struct { uint32_t id; slow_t timestamp; }; };
event { name = "slowtick"; id = 0; stream_id = 1; fields := struct { uint32_t n; }; };
"""


def slow(directory, name, offset):
    begin = (BEGIN_NS + offset) // 1000
    times = [begin + second * 1_000_000 for second in range(3)]
    events = b"".join(struct.pack("<IQI", 0, time, number) for number, time in enumerate(times))
    bits = (8 + 52 + len(events)) * 8
    with open(os.path.join(directory, name, "metadata"), "a", encoding="utf-8") as file:
        file.write(SLOW)
    with open(os.path.join(directory, name, "slow_0"), "wb") as file:
        file.write(struct.pack("<IIQQQQQQI", 0xc1fc1fc1, 1, times[0], times[-1], bits, bits, 0, 0, 0) + events)


def tell_reversed(first, second, slack):
    pair, seen = {address(first), address(second)}, {}
    for line in sys.stdin:
        event = json.loads(line)
        fields = event["fields"]
        if {fields.get("saddr"), fields.get("daddr")} == pair:
            role = event["event"] == CLASSES[RECEIVED][0]
            seen.setdefault((fields["saddr"], fields["seq"]), {})[role] = (int(event["ns"]), event.get("bound_ns") or 0)
    both = [roles for roles in seen.values() if len(roles) == 2]
    wrong = [1 for roles in both if roles[True][0] + roles[True][1] + roles[False][1] + slack < roles[False][0]]
    print(len(both), len(wrong))


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3:])
elif sys.argv[1] == "flood":
    flood(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "claim":
    claim(sys.argv[2], sys.argv[3], sys.argv[4], int(float(sys.argv[5])))
elif sys.argv[1] == "slow":
    slow(sys.argv[2], sys.argv[3], int(float(sys.argv[4])))
else:
    tell_reversed(sys.argv[2], sys.argv[3], int(sys.argv[4]))
