#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""perf_sched.py REPORT TIMEHIST UNCLEAR COMM - compares what `strata report schedule,wakeups --json` says of a recording (the file
REPORT) with what `perf sched timehist` says of it, for the tasks that had the name COMM all the time: how long each ran, how often it
was woken and had to wait for a CPU, and how long it waited then.  It prints each difference, and ends with 1 if there is one or nothing
was compared.

perf leaves out what is less than a microsecond, in each figure.  Tasks of the file UNCLEAR are left out (perf_to_ctf.py)."""
import json
import re
import sys

ROW = re.compile(r"\s*\d+\.\d+ \[\d+\]  (.*?)\s+\d+\.\d{3}\s+(\d+\.\d{3})\s+(\d+\.\d{3})\s*$")
TASK = re.compile(r"(.*)\[(\d+)(?:/\d+)?\]")
PRECISION_NS = 1000


class Figures:
    def __init__(self):
        self.runs_ns, self.delays_ns, self.runs, self.delays, self.names = 0, 0, 0, 0, set()


def nanoseconds(milliseconds):
    return round(float(milliseconds) * 1000) * 1000


def theirs(path):
    """The figures of each task, by its number."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for row in filter(None, map(ROW.match, file)):
            task = TASK.fullmatch(row.group(1))
            if not task:
                continue
            figures = found.setdefault(int(task.group(2)), Figures())
            figures.names.add(task.group(1))
            figures.runs += 1
            figures.runs_ns += nanoseconds(row.group(3))
            figures.delays_ns += nanoseconds(row.group(2))
            figures.delays += float(row.group(2)) > 0
    return found


def ours(path):
    found = {}
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for row in report["tasks"]:
        found.setdefault(int(row["task"].rsplit("-", 1)[1]), Figures()).runs_ns += row["runs_ns"]
    for row in report["wakeups"]:
        if row["what"].endswith(" preempted"):
            continue
        figures = found.setdefault(int(row["what"].rsplit("-", 1)[1]), Figures())
        figures.delays_ns += row["total_ns"]
        figures.delays += row["count"]
    return found


def is_cut(whole, cut, figures):
    return 0 <= whole - cut < PRECISION_NS * figures


def main():
    with open(sys.argv[3], encoding="utf-8") as file:
        unclear = {int(line) for line in file}
    a, b = ours(sys.argv[1]), theirs(sys.argv[2])
    compared = [tid for tid in sorted(b) if b[tid].names == {sys.argv[4]} and tid not in unclear]
    different = 0
    for tid in compared:
        one, other = a.get(tid, Figures()), b[tid]
        if not is_cut(one.runs_ns, other.runs_ns, other.runs) or one.delays != other.delays or \
                not is_cut(one.delays_ns, other.delays_ns, max(other.delays, 1)):
            print("task %d ran %d ns in %d runs, waited %d ns after %d wake-ups; to perf %d ns, %d ns, %d" %
                  (tid, one.runs_ns, other.runs, one.delays_ns, one.delays, other.runs_ns, other.delays_ns, other.delays))
            different += 1
    print("%d tasks compared, %d differ, %d left out" % (len(compared), different, len(unclear & b.keys())))
    sys.exit(0 if compared and not different else 1)


main()
