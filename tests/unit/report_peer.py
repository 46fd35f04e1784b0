#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report_peer.py VIEW REPORT - a second evaluation of what `strata report all --json` says, from what
`strata view --json` shows of the same traces (host_peer.py): who ran, waited and slept, and how often and how long everything took.

It prints each difference and ends with 1, or a line with what it compared."""
import json
import sys
from collections import defaultdict

from host_peer import IDLE, host_of
from peer_comparison import Comparison, percentile
from peer_states import BLOCKED, ENDED, OFFLINE, RUNS, UNKNOWN, WAITS, XEN


def compare_vcpus(host, report, check):
    rows = {row["vcpu"]: row for row in report["vcpus"]}
    want = {host.vcpu_name(key): (key, vcpu) for key, vcpu in host.vcpus.items() if key[1] != IDLE}
    # One that had no time has no row.
    want = {name: both for name, both in want.items() if both[1].sched.times[0] < host.last}
    check.rows("vcpus", set(rows), set(want))
    for name in set(rows) & set(want):
        vcpu, row = want[name][1], rows[name]
        sums = defaultdict(int)
        for start, stop, state in vcpu.sched.spans(vcpu.sched.times[0], host.last):
            sums[state] += stop - start
        for state in (RUNS, WAITS, BLOCKED, OFFLINE, UNKNOWN):
            check.same("%s %s" % (name, state), row[state + "_ns"], sums[state])
        waits = [s[1] - s[0] for s in vcpu.sched.spans(vcpu.sched.times[0], host.last) if s[2] == WAITS]
        check.same(name + " waits", row["waits"], len(waits))
        check.same(name + " greatest", row["wait_greatest_ns"], max(waits) if waits else None)
        check.same(name + " p50", row["wait_p50_ns"], percentile(waits, 500000) if waits else None, 0.016)
        check.same(name + " p99", row["wait_p99_ns"], percentile(waits, 990000) if waits else None, 0.016)
        wanted = sums[RUNS] + sums[WAITS]
        check.same(name + " share", round(row["runnable_share"] * 1e6), sums[WAITS] * 1000000 // wanted if wanted else 0)


def compare_behind(host, report, check):
    rows = {(row["waiter"], row["ran"]): row for row in report["behind"]}
    want = {tuple(map(host.vcpu_name, pair)): ns for pair, ns in host.behind.items() if pair[0][1] != IDLE}
    check.rows("behind", set(rows), set(want))
    for pair in set(rows) & set(want):
        check.same("%s behind %s" % pair, rows[pair]["ns"], sum(want[pair]))
        check.same("%s behind %s, times" % pair, rows[pair]["times"], len(want[pair]))


def compare_pcpus(host, report, check):
    rows, want = defaultdict(list), defaultdict(list)
    for row in report["pcpus"]:
        rows[row["pcpu"], row["vcpu"]] = [row["ns"], row["times"]]
    for (_, pcpu), stretches in host.pcpus.items():
        for start, stop, key in stretches:
            ns = (host.last if stop is None else stop) - start
            if ns:
                want[pcpu, host.vcpu_name(key)].append(ns)
    check.rows("pcpus", set(rows), set(want))
    for key in set(rows) & set(want):
        check.same("pCPU %s runs %s" % key, rows[key][0], sum(want[key]))
        check.same("pCPU %s runs %s, times" % key, rows[key][1], len(want[key]))


def compare_tasks(host, report, check):
    rows = {(row["source"], int(row["task"].rsplit("-", 1)[1])): row for row in report["tasks"]}
    want = {}
    for source, kernel in host.kernels.items():
        for task in kernel.tasks.values():
            sums, times, any_time = defaultdict(int), 0, False
            for start, stop, (state, cpu) in task.states.spans(task.states.times[0], host.last):
                any_time |= state != ENDED
                if state == RUNS:
                    times += 1
                    for where, ns in host.vcpu_parts(kernel, cpu, start, stop).items():
                        sums[where] += ns
                elif state == WAITS:
                    sums["queued"] += stop - start
                elif state == UNKNOWN:
                    sums[UNKNOWN] += stop - start
            if any_time and task.tid:
                want[source, task.tid] = (sums, times, task)
    check.rows("tasks", set(rows), set(want))
    for key in set(rows) & set(want):
        row, (sums, times, task) = rows[key], want[key]
        check.same("%s-%d is called %s" % (*key, row["task"]), row["task"].rsplit("-", 1)[0] in task.names, True)
        for column, state in (("runs", RUNS), ("in_xen", XEN), ("stolen", WAITS), ("vcpu_asleep", BLOCKED),
                              ("vcpu_paused", OFFLINE), ("queued", "queued"), ("unknown", UNKNOWN)):
            check.same("%s-%d %s" % (*key, column), row[column + "_ns"], sums[state])
        check.same("%s-%d times" % key, row["times"], times)


def key_of(report, row):
    """What a row is, as the spans here are called."""
    if report != "wakeups":
        return row["of"], row["what"]
    preempted = row["what"].endswith(" preempted")
    name = row["what"][:-len(" preempted")] if preempted else row["what"]
    return row["of"], (int(name.rsplit("-", 1)[1]), preempted)


def parts_of(host, report, of, span):
    """None: nobody knows."""
    start, stop, _, task, cpu = span
    if report in ("exits", "hypercalls") or isinstance(of, tuple):
        parts = defaultdict(int)
        names = {RUNS: "runs_ns", XEN: "in_xen_ns", WAITS: "stolen_ns", BLOCKED: "vcpu_asleep_ns",
                 OFFLINE: "vcpu_paused_ns", UNKNOWN: "unknown_ns"}
        for begin, end, state in host.vcpus[of].fine.spans(start, stop):
            parts[names[state]] += end - begin
        return parts
    if report == "irqs":
        parts = defaultdict(int)
        columns = {RUNS: "runs_ns", XEN: "in_xen_ns", WAITS: "stolen_ns", BLOCKED: "vcpu_asleep_ns",
                   OFFLINE: "vcpu_paused_ns", UNKNOWN: "unknown_ns"}
        for state, ns in host.vcpu_parts(host.kernels[of], cpu, start, stop).items():
            parts[columns[state]] += ns
        return parts
    if not task:
        return None
    return host.task_parts(task.kernel, task, start, stop)


def compare_spans(host, name, rows, check):
    got = {key_of(name, row): row for row in rows}
    want = {}
    for (report, of, what), spans in host.spans.items():
        if report == name:
            want[host.vcpu_name(of) if isinstance(of, tuple) else of, what] = (of, spans)
    check.rows(name, set(got), set(want))
    check.same(name + ": rows", len(rows), len(want))
    for key in set(got) & set(want):
        row, (of, spans) = got[key], want[key]
        lengths = [span[1] - span[0] for span in spans]
        label = "%s: %s, %s" % (name, *key)
        check.same(label + ", count", row["count"], len(lengths))
        check.same(label + ", total", row["total_ns"], sum(lengths))
        check.same(label + ", least", row["least_ns"], min(lengths))
        check.same(label + ", greatest", row["greatest_ns"], max(lengths))
        check.same(label + ", mean", row["mean_ns"], sum(lengths) // len(lengths))
        check.same(label + ", p50", row["p50_ns"], percentile(lengths, 500000), 0.016)
        check.same(label + ", p99", row["p99_ns"], percentile(lengths, 990000), 0.016)
        bounds = [span[2] for span in spans]
        check.same(label + ", bound", row["bound_ns"], None if None in bounds else max(bounds))
        parts, any_known = defaultdict(int), False
        for span in spans:
            one = parts_of(host, name, of, span)
            any_known |= one is not None
            for column, ns in (one or {"unknown_ns": span[1] - span[0]}).items():
                parts[column] += ns
        for column in ("runs_ns", "queued_ns", "in_xen_ns", "stolen_ns", "vcpu_asleep_ns", "vcpu_paused_ns", "blocked_ns",
                       "unknown_ns"):
            check.same(label + ", " + column, row[column], parts[column] if any_known else None)


def compare_ports(host, report, check):
    def domain(nr):
        return "Xen" if nr is None else host.names.get(nr, "d%d" % nr)
    got = {(row["of"], row["port"], row["by"]): row for row in report["evtchn"]}
    want = {(domain(key[1]), key[2], domain(key[3])): (key, port) for key, port in host.ports.items()}
    check.rows("evtchn", set(got), set(want))
    for name in set(got) & set(want):
        row, (key, port) = got[name], want[name]
        label = "port %s %d by %s" % name
        lengths = [span[1] - span[0] for span in port["spans"]]
        check.same(label + ", signals", row["signals"], port["signals"])
        check.same(label + ", upcalls", row["upcalls"], len(lengths))
        check.same(label + ", pending", row["pending_ns"], sum(lengths) if lengths else None)
        check.same(label + ", p99", row["pending_p99_ns"], percentile(lengths, 990000) if lengths else None, 0.016)
        check.same(label + ", to handler", row["to_handler_ns"] or 0, port["delay"])
        check.same(label + ", handlers", row["handler_ns"] or 0, sum(port["handlers"]))
        parts = defaultdict(int)
        for start, stop, nr in port["spans"]:
            for begin, end, state in host.vcpus[key[0], key[1], nr].fine.spans(start, stop):
                parts[state] += end - begin
        for column, state in (("running", RUNS), ("in_xen", XEN), ("stolen", WAITS), ("vcpu_asleep", BLOCKED),
                              ("vcpu_paused", OFFLINE), ("unknown", UNKNOWN)):
            check.same("%s, %s" % (label, column), row[column + "_ns"], parts[state] if lengths else None)


def compare_grants(host, report, check):
    def domain(nr):
        return host.names.get(nr, "d%d" % nr)
    got = {(row["of"], row["granter"]): row for row in report["grants"]}
    want = {(domain(key[1]), domain(key[2])): grants for key, grants in host.grants.items()}
    check.rows("grants", set(got), set(want))
    for key in set(got) & set(want):
        row, grants = got[key], want[key]
        label = "grants %s with %s" % key
        check.same(label + ", mapped", row["mapped"], len(grants["maps"]))
        check.same(label + ", for", row["mapped_ns"], sum(grants["maps"]) if grants["maps"] else None)
        check.same(label + ", p99", row["mapped_p99_ns"], percentile(grants["maps"], 990000) if grants["maps"] else None, 0.016)
        for column, count in (("copies", "copies"), ("failed_copies", "failed"), ("copied_bytes", "bytes")):
            check.same("%s, %s" % (label, column), row[column], grants[count])


def queue_lengths(changes, end):
    """Time by length, from (time, more or fewer; None: none is known to wait)."""
    lengths, waiting, since, waited, most = defaultdict(int), 0, changes[0][0], 0, 0
    for when, more in changes + [(end, 0)]:
        if when > since:
            lengths[min(waiting, 3)] += when - since
            waited += waiting * (when - since)
            most = max(most, waiting)
        since, waiting = when, 0 if more is None else waiting + more
    return lengths, waited, most


def compare_queues(host, report, check):
    got = {(row["of"], row["cpu"]): row for row in report["runqueues"]}
    want = {}
    for source, kernel in host.kernels.items():
        for cpu, changes in kernel.queues.items():
            want[source, "CPU %d" % cpu] = queue_lengths(changes, host.ended.get(source, host.last))
    for source, machine in host.xen_sources.items():
        changes = []
        for key, vcpu in host.vcpus.items():
            if key[0] != machine or key[1] == IDLE:
                continue
            waits = [state == WAITS for state in vcpu.sched.states]
            changes += [(when, now - before) for when, before, now in zip(vcpu.sched.times[1:], waits, waits[1:]) if now != before]
        if changes:
            want[source, "physical CPUs"] = queue_lengths(sorted(changes), host.ended.get(source, host.last))
    want = {key: queue for key, queue in want.items() if sum(queue[0].values())}
    check.rows("runqueues", set(got), set(want))
    for key in set(got) & set(want):
        row, (lengths, waited, most) = got[key], want[key]
        for column, length in (("none_ns", 0), ("one_ns", 1), ("two_ns", 2), ("more_ns", 3)):
            check.same("%s %s, %s" % (*key, column), row[column], lengths[length])
        check.same("%s %s, waited" % key, row["waited_ns"], waited)
        check.same("%s %s, most" % key, row["greatest"], most)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    host = host_of(lines)
    check = Comparison()
    check.same("events", report["facts"]["events"], sum("event" in line for line in lines))
    if lines:
        check.same("first", report["facts"]["first_ns"], host.first)
        check.same("last", report["facts"]["last_ns"], host.last)
    check.same("switches that are missing", report["facts"]["switches_missing"], host.switches_missing)
    compare_vcpus(host, report, check)
    compare_behind(host, report, check)
    compare_pcpus(host, report, check)
    compare_tasks(host, report, check)
    for name in ("exits", "hypercalls", "syscalls", "irqs", "wakeups", "requests", "locks"):
        compare_spans(host, name, report[name], check)
    compare_ports(host, report, check)
    compare_queues(host, report, check)
    compare_grants(host, report, check)
    if check.differences:
        print("%d differences in %d figures" % (check.differences, check.figures))
        sys.exit(1)
    print("%d events, %d figures are the same" % (report["facts"]["events"], check.figures))


if __name__ == "__main__":
    main()
