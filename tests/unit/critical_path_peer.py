#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""critical_path_peer.py VIEW REPORT - a second evaluation of what `strata report critical-path --json` says, from what
`strata view --json` shows of the same traces (why_peer.py has the states of tasks, vCPUs and interrupts as lists over the time).

Segments must be the whole time without a gap, and the sums those of the segments. While the task ran or wanted to run, a segment
must be of the task, and say what the second evaluation says of that moment; while it was blocked, no segment may say that it ran.
Where a segment is of another task, that task must have been in the state that the segment says.

It prints each difference and ends with 1, or a line with what it compared."""
import json
import re
import sys
from collections import defaultdict

from report_peer import BLOCKED, RUNS, UNKNOWN, Comparison, host_of
from why_peer import World, is_true

# What a segment says of the task that it is of, as World.piece() says it.
CAUSES = {"ran": (RUNS, "ran"), "xen": "xen", "exit": "xen", "hypercall": "xen", "vcpu_asleep": "asleep", "vcpu_halted": "asleep",
          "lock_holder": "asleep", "vcpu_paused": "paused", "unknown_task": UNKNOWN, "unknown_vcpu": UNKNOWN, "unknown": UNKNOWN,
          "vcpu_preempted": "waits", "vcpu_wakes": "waits", "queued": "queued", "switching": "queued", "irq": "irq",
          "softirq": "softirq"}


def agrees(check, label, segment, piece):
    """Whether a segment of a task says what is so."""
    cause = segment["cause"]
    if piece[0] == BLOCKED:
        is_true(check, "%s is blocked, and not %s" % (label, cause), cause not in CAUSES)
        return
    wanted = CAUSES.get(cause, cause)
    is_true(check, "%s: %s is %s" % (label, cause, piece), piece[0] in (wanted if isinstance(wanted, tuple) else (wanted,)))
    if piece[0] == "waits" and piece[1]:
        is_true(check, "%s waited behind %s" % (label, piece[1]), (segment["behind"] or "").split(" on pCPU ")[0] == piece[1])
    elif piece[0] in ("irq", "softirq"):
        is_true(check, "%s: %s had the CPU" % (label, piece[1]), piece[1] in segment["words"])
    elif piece[0] == "queued" and piece[1]:
        is_true(check, "%s waited behind task %d" % (label, piece[1]), (segment["behind"] or "").endswith("-%d" % piece[1]))


def task_named(host, who):
    """The kernel and task of "server-12 on g1/0" or "server-12"; None: it is none, or not known which."""
    match = re.fullmatch(r".*-([0-9]+)(?: on (.*/)?([^/]*)/[0-9]+)?", who or "")
    if not match:
        return None
    found = [(kernel, kernel.tasks[int(match[1])]) for kernel in host.kernels.values() if int(match[1]) in kernel.tasks and
             (not match[3] or host.names.get(kernel.domain, "d%s" % kernel.domain) == match[3])]
    return found[0] if len(found) == 1 else None


def check_segments(check, world, head, segments):
    kernel = world.host.kernels[head["kernel"]]
    task = kernel.tasks[int(head["task"].rsplit("-", 1)[1])]
    now, followed = head["from_ns"], 0
    for segment in segments:
        label = "%s at %d" % (segment["who"], segment["from_ns"])
        check.same(label + ", where it begins", segment["from_ns"], now)
        is_true(check, label + ", its length", segment["ns"] > 0)
        now += segment["ns"]
        piece = world.piece(kernel, task, segment["from_ns"])
        if segment["who"] == head["task"] and not segment["wake_ups"]:
            agrees(check, label, segment, piece)
            continue
        is_true(check, label + ", instead of the task, which is blocked", piece[0] == BLOCKED)
        other = task_named(world.host, segment["who"]) if segment["wake_ups"] else None
        if other:
            followed += 1
            agrees(check, label, segment, world.piece(*other, segment["from_ns"]))
    check.same("the end", now, head["from_ns"] + head["ns"])
    return followed


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        host = host_of([json.loads(line) for line in file])
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    check, world = Comparison(), World(host)
    (head,), segments = report["critical_path_of"], report["critical_path"]
    check.same("segments", head["segments"], len(segments))
    followed = check_segments(check, world, head, segments)
    sums = defaultdict(int)
    for segment in segments:
        sums[segment["who"], segment["words"], segment["behind"]] += segment["ns"]
    got = {(row["who"], row["words"], row["behind"]): row["ns"] for row in report["critical_path_sums"]}
    if any(row["cause"] == "others" for row in report["critical_path_sums"]):
        check.same("sum", sum(got.values()), head["ns"])
    else:
        is_true(check, "the sums are those of the segments", got == dict(sums))
    if check.differences:
        print("%d differences in %d figures" % (check.differences, check.figures))
        sys.exit(1)
    print("%d segments, %d of them of another task, are the same" % (len(segments), followed))


main()
