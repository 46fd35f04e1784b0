#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""timeline_peer.py PAGE REPORT - checks a page of `strata timeline`, or its server's, and compares its slices with what
`strata report all --json` counts of the same traces."""
import collections
import json
import sys

from timeline_page import Page


def from_page(page):
    """(what, name) -> (count, nanoseconds) of slices."""
    found = collections.defaultdict(lambda: [0, 0])
    for span in page.spans():
        track = page.tracks[span.track]
        name = page.strings[span.name]
        if track["kind"] == "task":
            key = ("task", track["name"], name)
        elif track["kind"] == "vcpu":
            key = ("vcpu", "%s/%s" % (track["domain"], track["name"].split()[-1]), name)
        elif track["kind"] == "pcpu":
            key = ("pcpu", track["name"].split()[-1], name)
        else:
            key = ({"softirqs": "irqs"}.get(track["kind"], track["kind"]), name)
        found[key][0] += 1
        found[key][1] += span.length
    return found


def from_report(report):
    found = collections.defaultdict(lambda: [0, 0])
    for kind in "exits", "hypercalls", "syscalls", "irqs", "requests":
        for row in report.get(kind, []):
            found[kind, row["what"]][0] += row["count"]
            found[kind, row["what"]][1] += row["total_ns"]
    for row in report.get("pcpus", []):
        vcpu = "idle" if row["vcpu"].startswith("idle/") else row["vcpu"]
        found["pcpu", str(row["pcpu"]), vcpu][0] += row["times"]
        found["pcpu", str(row["pcpu"]), vcpu][1] += row["ns"]
    return found


def compare_states(page, found, report):
    """States of vCPUs and tasks, of which reports have times only."""
    for row in report.get("vcpus", []):
        for state, key in (("running", "running_ns"), ("waiting", "runnable_ns"), ("blocked", "blocked_ns"),
                           ("paused", "offline_ns"), ("unknown", "unknown_ns")):
            assert found["vcpu", row["vcpu"], state][1] == row[key], (row, state)
    running = collections.Counter()
    for row in report.get("tasks", []):
        running[row["task"]] += sum(row[part + "_ns"] for part in ("runs", "in_xen", "stolen", "vcpu_asleep", "vcpu_paused"))
    for task, ns in running.items():
        mine = found["task", task, "running"][1] + found["task", task, "unknown"][1]
        unknown = sum(row["unknown_ns"] for row in report["tasks"] if row["task"] == task)
        assert mine == ns + unknown, (task, mine, ns, unknown)
    return len(running)


def main():
    page = Page(sys.argv[1])
    page.check()
    with open(sys.argv[2], encoding="utf-8") as text:
        report = json.load(text)
    found, counted = from_page(page), from_report(report)
    for key, value in counted.items():
        assert found[key] == value, "%s: the page has %s, the report %s" % (key, found[key], value)
    for key, value in found.items():
        assert key[0] in ("task", "vcpu") or key in counted, "%s is in the page alone: %s" % (key, value)
    tasks = compare_states(page, found, report)
    assert page.meta["facts"]["events"] == report["facts"]["events"]
    print("%d spans, %d levels, %d names, %d tasks, %d arrows" % (
        page.meta["facts"]["spans"], len(page.meta["levels"]), len(counted), tasks, page.meta["facts"]["arrows"]))


main()
