#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lttnganalyses.py REPORT ANALYSES - compares what `strata report schedule,wakeups,syscalls,irqs --json` says of a kernel's
trace (the file REPORT) with what lttng-schedstats-mi, lttng-cputop-mi, lttng-syscallstats-mi and lttng-irqstats-mi say of
it (ANALYSES/schedstats.json ...).  It prints each difference, and ends with 1 if there is one.

Four differences are known from real traces; a made one (make_host.c) has none of them.
- A task that is woken while it is about to leave its CPU: Strata counts from when it left, lttnganalyses from the
  sched_wakeup that follows.
- A preempted task is woken: it waited already, and is no wake-up to Strata.
- The CPU at the beginning: lttnganalyses takes the task that leaves it first to have run since the trace's first event;
  to Strata that time is unknown.
- System calls of task 0, which lttnganalyses leaves out."""
import json
import os
import re
import sys

SOFTIRQS = ["hi", "timer", "net_tx", "net_rx", "block", "irq_poll", "tasklet", "sched", "hrtimer", "rcu"]


def rows_of(directory, name, table=None):
    with open(os.path.join(directory, name + ".json"), encoding="utf-8") as file:
        return [row for result in json.load(file)["results"]
                if table is None or result["class"] == table for row in result["data"]]


def merged(figures, key, count, least, mean, greatest):
    """Adds figures of one thing to those of the same thing in another task."""
    before = figures.get(key, (0, least, 0, greatest))
    figures[key] = (before[0] + count, min(before[1], least), before[2] + count * mean, max(before[3], greatest))


def theirs(directory):
    found = {}
    for call, count, least, mean, greatest, *_ in (
            row for row in rows_of(directory, "syscallstats") if row[0]["class"] == "syscall"):
        merged(found, "system call " + call["name"], *(cell["value"] for cell in (count, least, mean, greatest)))
    for table in ("hard-stats", "soft-stats"):
        for irq, count, *rest in rows_of(directory, "irqstats", table):
            if not count["value"]:
                continue
            what = "irq %d %s" % (irq["nr"], irq["name"]) if irq["hard"] else "softirq " + SOFTIRQS[irq["nr"]]
            merged(found, what, count["value"], *(cell["value"] for cell in rest[:3]))
    for task, count, least, mean, greatest, *_ in rows_of(directory, "schedstats", "per_tid_stats"):
        merged(found, "wake-ups of %d" % task["tid"], *(cell["value"] for cell in (count, least, mean, greatest)))
    return found


def ours(report):
    found = {}
    for table, prefix in (("syscalls", "system call "), ("irqs", "")):
        for row in report[table]:
            merged(found, prefix + row["what"], row["count"], row["least_ns"], row["total_ns"] / row["count"],
                   row["greatest_ns"])
    for row in report["wakeups"]:
        if not row["what"].endswith(" preempted"):
            tid = int(re.search(r"-(\d+)$", row["what"]).group(1))
            merged(found, "wake-ups of %d" % tid, row["count"], row["least_ns"], row["total_ns"] / row["count"],
                   row["greatest_ns"])
    return found


def shares(directory, report):
    """How much of the time each task ran: theirs and ours."""
    length = report["facts"]["last_ns"] - report["facts"]["first_ns"]
    run = {int(row["task"].rsplit("-", 1)[1]): row["runs_ns"] + row["in_xen_ns"] + row["unknown_ns"]
           for row in report["tasks"]}
    for task, *_, ratio in rows_of(directory, "cputop", "per-process"):
        yield task["tid"], ratio["value"], run.get(task["tid"], 0) / length


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    a, b = ours(report), theirs(sys.argv[2])
    different = 0
    for key in sorted(a.keys() | b.keys()):
        one, other = a.get(key), b.get(key)
        # Their means are rounded to what a double holds.
        if not one or not other or one[:2] + one[3:] != other[:2] + other[3:] or abs(one[2] - other[2]) > 1e-9 * one[2] + 1:
            print("%s: count, least, total, greatest are %s ns, of lttnganalyses %s" % (key, one, other))
            different += 1
    compared = len(a.keys() | b.keys())
    for tid, other, one in shares(sys.argv[2], report):
        compared += 1
        if abs(one - other) > 1e-6:
            print("task %d ran %.6f of the time, of lttnganalyses %.6f" % (tid, one, other))
            different += 1
    print("%d figures compared, %d differ" % (compared, different))
    sys.exit(1 if different else 0)


main()
