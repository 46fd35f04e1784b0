#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Answers the demo's question: why were g1's requests slow?  Called by demo.sh.

    answer.py DIRECTORY

The directory holds the recording (raw) and what the merge said of it (summary.json).  All numbers come from the trace.
"""
import json
import subprocess
import sys

STRATA = "out/bin/strata"
# From the application's notification to its acknowledgement of the answer, in g1's kernel.
REQUEST = ["--request", "ask=probe_evtchn_ioctl,return_evtchn_write,tid"]


def strata(*arguments):
    return subprocess.run([STRATA, *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def times_of(raw, event):
    """When Xen recorded that g2 was paused, or went on."""
    lines = strata("view", "--json", "--event", event, "--about", "g2", raw).splitlines()
    return [int(json.loads(line)["ns"]) for line in lines]


def report(raw, kinds, begin, end):
    span = ([] if begin is None else ["--from", seconds(begin)]) + ([] if end is None else ["--to", seconds(end)])
    return json.loads(strata("report", kinds, "--json", *REQUEST, *span, raw))


def requests_of(made):
    return next(row for row in made["requests"] if row["of"] == "g1")


def ms(ns):
    return f"{ns / 1e6:.1f} ms"


def main():
    out, = sys.argv[1:]
    raw = f"{out}/raw"
    summary = json.load(open(f"{out}/summary.json"))
    paused, goes_on = times_of(raw, "domain_pause")[0], times_of(raw, "domain_unpause")[-1]
    beside = report(raw, "requests,steal", None, paused)
    alone = report(raw, "requests,steal", paused, goes_on)
    slow, fast = requests_of(beside), requests_of(alone)
    vcpu = next(row for row in beside["vcpus"] if row["vcpu"] == "g1/0")
    behind = next(row for row in beside["behind"] if row["waiter"] == "g1/0")

    print(f"Why were g1's requests slow?  It asked a service in dom0 {slow['count'] + fast['count']} times:\n")
    print("                         requests     median        p99    slowest")
    for name, row in (("beside g2, which computes", slow), ("while g2 was paused", fast)):
        print(f"  {name:25} {row['count']:5} {ms(row['p50_ns']):>10} {ms(row['p99_ns']):>10} {ms(row['greatest_ns']):>10}")
    print(f"\nBeside g2, g1's vCPU waited {vcpu['runnable_ns'] / 1e9:.1f} s for a physical CPU, {behind['share'] * 100:.1f} % of it behind "
          f"{behind['ran'].split('/')[0]}.  Without g2, the median\nwas {100 - 100 * fast['p50_ns'] / slow['p50_ns']:.0f} % shorter.\n")
    print(strata("why", *REQUEST, "--worst", "1", "--to", seconds(paused), raw))
    checks = summary["clock"]["checks"] + summary["clock"]["guest_mode"]["checks"]
    violations = summary["clock"]["violations"] + summary["clock"]["guest_mode"]["violations"]
    print(f"Clocks:  {checks} events checked against when Xen ran their vCPUs, {violations} violations; times are accurate to "
          f"{summary['clock']['bound_ns']} ns")
    print(f"Losses:  {summary['lost']} of {summary['events']} events")


main()
