# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a page of `strata timeline`, or what its server hands out, by docs/formats.md alone; and checks what must be
true of any."""
import base64
import collections
import html.parser
import json
import struct
import urllib.request
import zlib

Span = collections.namedtuple("Span", "track start length name category bound detail count")
Arrow = collections.namedtuple("Arrow", "kind start_track start end_track length bound")
UNKNOWN = 0x1fffffffffffff


class Scripts(html.parser.HTMLParser):
    """The scripts of a page by their ids, as a browser would find them."""

    def __init__(self):
        super().__init__()
        self.at, self.scripts, self.others = None, {}, []

    def handle_starttag(self, tag, attrs):
        names = dict(attrs)
        if tag == "script" and names.get("id", "").startswith("strata-"):
            self.at = names["id"]
            assert self.at not in self.scripts, self.at + " is there twice"
            self.scripts[self.at] = ""
        else:
            self.others.append(tag)

    def handle_endtag(self, tag):
        self.at = None

    def handle_data(self, data):
        if self.at:
            self.scripts[self.at] += data


class Numbers:
    """Varints from bytes."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def one(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def column(self, count):
        return [self.one() for _ in range(count)]


class Page:
    def __init__(self, where):
        """@where: a file, or an address"""
        self.address = where if where.startswith("http://") else None
        if self.address:
            with urllib.request.urlopen(where) as page:
                text = page.read().decode()
        else:
            with open(where, encoding="utf-8") as page:
                text = page.read()
        scripts = Scripts()
        scripts.feed(text)
        self.scripts, self.elements = scripts.scripts, scripts.others
        self.meta = json.loads(self.scripts["strata-meta"])
        self.strings = self.meta["strings"]
        self.tracks = {track["id"]: track for track in self.meta["tracks"]}

    def bytes_of(self, chunk):
        if self.address:
            with urllib.request.urlopen("%schunk/%d" % (self.address, chunk["id"])) as got:
                data = got.read()
        else:
            data = base64.b64decode(self.scripts["strata-chunk-%d" % chunk["id"]], validate=True)
        assert len(data) == chunk["bytes"]
        return zlib.decompress(data, -15)

    def spans_of(self, chunk):
        data = self.bytes_of(chunk)
        magic, count = struct.unpack_from("<II", data)
        assert magic == 0x53544331 and count == chunk["spans"]
        numbers = Numbers(data)
        numbers.at = 8
        track, start, length, name, category, bound, detail, merged = [numbers.column(count) for _ in range(8)]
        details = [""]
        for _ in range(numbers.one()):
            size = numbers.one()
            details.append(data[numbers.at:numbers.at + size].decode())
            numbers.at += size
        assert numbers.at == len(data)
        spans, at = [], chunk["from"]
        for i in range(count):
            at += start[i]
            spans.append(Span(track[i], at, length[i], name[i], category[i], bound[i], details[detail[i]], merged[i]))
        assert spans == sorted(spans, key=lambda span: (span.start, span.track))
        assert (chunk["from"], chunk["to"]) == (spans[0].start, spans[-1].start + 1)
        assert chunk["longest"] == max(span.length for span in spans)
        return spans

    def arrows_of(self, chunk):
        data = self.bytes_of(chunk)
        magic, count = struct.unpack_from("<II", data)
        assert magic == 0x53544131 and count == chunk["arrows"]
        numbers = Numbers(data)
        numbers.at = 8
        kind, start_track, start, end_track, length, bound = [numbers.column(count) for _ in range(6)]
        assert numbers.at == len(data)
        arrows, at = [], chunk["from"]
        for i in range(count):
            at += start[i]
            arrows.append(Arrow(kind[i], start_track[i], at, end_track[i], (length[i] >> 1) ^ -(length[i] & 1), bound[i]))
        assert arrows == sorted(arrows, key=lambda arrow: arrow.start)
        return arrows

    def spans(self, level=0):
        return [span for chunk in self.meta["levels"][level]["chunks"] for span in self.spans_of(chunk)]

    def arrows(self):
        return [arrow for chunk in self.meta["arrows"]["chunks"] for arrow in self.arrows_of(chunk)]

    def check(self):
        """Fails unless the page is what its format says."""
        meta = self.meta
        assert meta["version"] == 1 and int(meta["begin_ns"]) >= 0
        seen = set()
        for track in meta["tracks"]:
            assert track["parent"] == -1 or track["parent"] in seen, "a child comes before its parent"
            assert track["id"] not in seen and 0 <= track["id"] < len(meta["tracks"])
            seen.add(track["id"])
        for index, category in enumerate(meta["categories"]):
            assert category["id"] == index and category["name"] < len(self.strings)
        spans = self.spans()
        assert len(spans) == meta["facts"]["spans"]
        by_track = collections.defaultdict(list)
        for span in spans:
            assert self.tracks[span.track]["kind"] != "group" and span.name < len(self.strings)
            assert span.category < len(meta["categories"]) and span.count == 1
            assert span.start + span.length <= meta["length_ns"]
            by_track[span.track].append(span)
        for track, on_it in by_track.items():
            on_it.sort(key=lambda span: (span.start, span.length))
            for before, after in zip(on_it, on_it[1:]):
                assert before.start + before.length <= after.start, "slices of %s overlap" % self.tracks[track]["name"]
        for number in range(1, len(meta["levels"])):
            self.check_level(number, by_track)
        arrows = self.arrows()
        assert len(arrows) == meta["facts"]["arrows"]
        for arrow in arrows:
            assert arrow.start_track in self.tracks and arrow.end_track in self.tracks and arrow.kind < 4
        for track, start, end, _ in meta["losses"]:
            assert track in self.tracks and 0 <= start <= end
        for clock in meta["clock"]:
            times = [time for time, _ in clock["points"]]
            assert times == sorted(set(times)) and 0 < len(times) <= 1000
        self.check_histograms(set((span.track, span.start, span.length) for span in spans))
        return by_track

    def check_level(self, number, by_track):
        """Each level shows every span: by itself, or within a block of spans that are shorter than its resolution."""
        level = self.meta["levels"][number]
        resolution = level["resolution_ns"]
        shown = collections.defaultdict(list)
        for span in self.spans(number):
            shown[span.track].append(span)
        assert set(shown) == set(by_track)
        for track, spans in by_track.items():
            blocks = sorted(shown[track], key=lambda span: (span.start, span.length, span.count))
            assert sum(block.count for block in blocks) == len(spans)
            at = 0
            for block in blocks:
                inside = spans[at:at + block.count]
                at += block.count
                assert inside[0].start == block.start
                assert max(span.start + span.length for span in inside) == block.start + block.length
                if block.count > 1:
                    assert all(span.length < resolution for span in inside)
                    assert block.length < 2 * resolution
                time = collections.Counter()
                for span in inside:
                    time[span.category] += span.length or 1
                if len(time) <= 4:
                    assert time[block.category] == max(time.values())
                longest = max(span.length for span in inside)
                assert any(span.name == block.name and span.length == longest for span in inside)

    def check_histograms(self, spans):
        for histogram in self.meta["histograms"]:
            end = 0
            for bar in histogram["bars"]:
                assert end <= bar["from"] < bar["to"], "bars overlap"
                end = bar["to"]
                assert len(bar["instances"]) == min(bar["count"], 50)
                for track, start, length in bar["instances"]:
                    assert (track, start, length) in spans and bar["from"] <= length < bar["to"]
