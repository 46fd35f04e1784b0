# SPDX-License-Identifier: GPL-2.0-or-later
"""made_ctf.py - writes CTF 1.8 traces for tests: a metadata file, and a stream for each CPU whose packets have times, a sequence
number, a count of discarded events and the CPU.  What happens in them is up to those who add events."""
import os
import struct

TYPES = {
    "uint8_t": "size = 8; align = 8; signed = false;",
    "uint16_t": "size = 16; align = 8; signed = false;",
    "uint32_t": "size = 32; align = 8; signed = false;",
    "int32_t": "size = 32; align = 8; signed = true;",
    "uint64_t": "size = 64; align = 8; signed = false;",
    "int64_t": "size = 64; align = 8; signed = true;",
    "text_t": "size = 8; align = 8; signed = false; encoding = UTF8;",
}
LOST_AT_ONCE = 5
PACKET_BYTES = 3000  # a packet with more is closed


def typealias(name, what):
    return "typealias integer { %s } := %s;\n" % (what, name)


def metadata(classes, environment, clock, types, context):
    """The text: classes are pairs of a name and the fields' declarations.  The clock's name is its first word."""
    name = clock.split(";")[0]
    text = "/* CTF 1.8 */\n" + "".join(typealias(kind, what) for kind, what in TYPES.items() if kind in types)
    text += "trace { major = 1; minor = 8; byte_order = le;\n\tpacket.header := struct { uint32_t magic; uint32_t stream_id; }; };\n"
    text += "env { %s };\nclock { name = %s; };\n" % (environment, clock)
    text += typealias("time_t", "size = 64; align = 8; signed = false; map = clock.%s.value;" % name)
    text += ("stream { id = 0;\n\tpacket.context := struct { time_t timestamp_begin; time_t timestamp_end; uint64_t content_size;\n"
             "\t\tuint64_t packet_size; uint64_t packet_seq_num; uint64_t events_discarded; uint32_t cpu_id; };\n"
             "\tevent.header := struct { uint32_t id; time_t timestamp; };")
    text += "\n\tevent.context := struct { %s };" % context if context else ""
    text += " };\n"
    for number, (event, fields) in enumerate(classes):
        text += 'event { name = "%s"; id = %d; stream_id = 0; fields := struct { %s }; };\n' % (event, number, fields)
    return text


class Stream:
    """A stream file.  lost_each: at the end of each packet of that number, events are discarded; 0: none are."""

    def __init__(self, path, cpu, lost_each=0):
        self.file, self.cpu, self.lost_each = open(path, "wb"), cpu, lost_each
        self.events, self.first, self.last, self.packets, self.lost = b"", None, None, 0, 0

    def begin(self, ns):
        """Lets the packet begin before its first event."""
        self.first = ns

    def add(self, ns, number, payload):
        self.first = ns if self.first is None else self.first
        self.last = ns
        self.events += struct.pack("<IQ", number, ns) + payload

    def close(self, discards):
        """Ends the packet, if there is one."""
        if self.first is None:
            return
        self.packets += 1
        if discards and self.lost_each and self.packets % self.lost_each == 0:
            self.lost += LOST_AT_ONCE
        size = (8 + 52 + len(self.events)) * 8
        self.file.write(struct.pack("<II", 0xc1fc1fc1, 0) +
                        struct.pack("<QQQQQQI", self.first, self.last, size, size, self.packets - 1, self.lost, self.cpu) +
                        self.events)
        self.events, self.first = b"", None

    def end(self):
        self.close(False)
        self.file.close()


class Trace:
    """A trace of nr_streams streams, called PREFIX0 and so on."""

    def __init__(self, path, classes, nr_streams, environment, clock, types, context="", lost_each=0, prefix="channel_"):
        os.makedirs(path)
        with open(os.path.join(path, "metadata"), "w", encoding="utf-8") as file:
            file.write(metadata(classes, environment, clock, types, context))
        self.numbers = {name: number for number, (name, _) in enumerate(classes)}
        self.streams = [Stream(os.path.join(path, prefix + str(cpu)), cpu, lost_each) for cpu in range(nr_streams)]

    def add(self, cpu, ns, event, payload):
        stream = self.streams[cpu]
        stream.add(ns, self.numbers[event], payload)
        if len(stream.events) > PACKET_BYTES:
            stream.close(True)

    def end(self):
        for stream in self.streams:
            stream.end()
