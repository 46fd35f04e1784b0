#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares reports of a recording with what the guest measured itself (workloads/measured.c).

    guests_figures.py RECORDING GUEST-LOG

Each counter was read between two marked calls.  What a report says of the time between the inner marks is
no more than what the counters say, and of the time between the outer marks no less.
"""
import json
import re
import subprocess
import sys

STRATA = "out/bin/strata"
# Xen stamps a change of runstate and records it one after the other.
CHANGE_NS = 2000
# /proc/stat counts hundredths of a second; steal is accounted at the next tick.
STAT_NS = 10_000_000
TICK_NS = 4_000_000
NANOSLEEPS = (35, 230)


def strata(*arguments):
    return subprocess.run([STRATA, *arguments], check=True, capture_output=True, text=True).stdout


def report(recording, begin, end):
    times = ["--from", f"{begin // 10**9}.{begin % 10**9:09}", "--to", f"{end // 10**9}.{end % 10**9:09}"]
    return json.loads(strata("report", "steal,wakeups", "--json", *times, recording))


class Trace:
    """What the trace has of the marked calls, and of the thread that is woken again and again."""

    def __init__(self, recording):
        self.marks = {}
        # For each turn: when the waker's sleep ended, the wake-up, the switch, and the woken thread's next call.  There is no
        # wake-up if the other thread had not gone to sleep again.
        self.turns = []
        waker = None
        events = strata("view", "--json", "--source", "g1", "--event", "sys_enter,sys_exit,sched_waking,sched_switch",
                        recording)
        for line in events.splitlines():
            event = json.loads(line)
            fields, name, ns = event["fields"], event["event"], int(event["ns"])
            last, tid = self.turns[-1] if self.turns else {}, event["stream_context"]["tid"]
            if name == "sys_enter":
                args = [int(value) for value in fields["args"]]
                if args[:2] == [0x5354, 0x52415441]:
                    self.marks[args[2]] = ns
                    waker = tid
                elif "switch" in last and tid == last["tid"]:
                    last.setdefault("next", ns)
            elif name == "sys_exit" and tid == waker and int(fields["id"]) in NANOSLEEPS:
                self.turns.append({"slept": ns})
            elif name == "sched_waking" and fields["comm"] == "woken" and tid == waker and last:
                last.setdefault("waking", ns)
                last.setdefault("tid", int(fields["pid"]))
            elif name == "sched_switch" and "waking" in last and int(fields["next_pid"]) == last["tid"]:
                last.setdefault("switch", ns)


def lag(recording, begin, end):
    """By how much the counters of g1's vCPU may differ from the records of its changes: where the scheduler changes a
    runstate, it stamps it with the time at which it began to choose (credit2_schedule), and records it when it has chosen."""
    events = strata("view", "--json", "--layer", "xen", "--event", "credit2_schedule,runstate_*", recording)
    began, total = {}, 0
    for line in events.splitlines():
        event = json.loads(line)
        ns, pcpu, fields = int(event["ns"]), event["pcpu"], event["fields"]
        if event["event"] == "credit2_schedule":
            began[pcpu] = ns
        elif begin <= ns <= end and fields.get("of_domain_name") == "g1":
            by_scheduler = "running" in event["event"] and pcpu in began
            total += CHANGE_NS + (ns - began[pcpu] if by_scheduler else 0)
    return total


def clock_error(recording, begin, end):
    """By how much Xen's system time, in which it counts, went differently from the time stamp counter, in which the trace
    does: Xen sets it right each second, and each time is recorded.  On a busy emulated host it goes 1 % wrong.  g1 is on pCPU 1."""
    second = 10**9
    last, total = None, 0
    for line in strata("view", "--json", "--event", "strata_pcpu_clock", "--filter", "pcpu == 1", recording).splitlines():
        event = json.loads(line)
        fields, ns = event["fields"], int(event["ns"])
        now = int(fields["local_tsc"]) * 10**6 // int(fields["tsc_khz"]), int(fields["local_stime_ns"])
        if last and begin < ns < end + second:
            total += abs((now[1] - last[1]) - (now[0] - last[0]))
        last = now
    return total


def of_guest(path):
    """What the guest said: runstates of both readings, stolen hundredths, its latencies in ticks."""
    text = open(path, errors="replace").read().replace("\r", "")
    runstates = [[int(n) for n in line.split()] for line in re.findall(r"measured: runstates ([\d ]+)", text)]
    stolen = [int(line.split()[7]) for line in re.findall(r"measured: cpu +([\d ]+)", text)]
    latencies = [int(n) for n in re.search(r"latencies([\d ]+)", text).group(1).split()]
    return runstates, stolen, latencies


failures = 0


def expect(what, low, value, high):
    global failures
    fits = low <= value <= high
    failures += not fits
    print(f"{'ok  ' if fits else 'WRONG'} {what}: {low} <= {value} <= {high}")


def main():
    recording, log = sys.argv[1:]
    trace = Trace(recording)
    at = trace.marks
    runstates, stolen, ticks = of_guest(log)
    latencies = [n * 10**6 // json.load(open(f"{recording}/recording.json"))["tsc_khz"] for n in ticks]

    def vcpu(first, last):
        return next(row for row in report(recording, at[first], at[last])["vcpus"] if row["vcpu"] == "g1/0")

    def slack(first, last):
        return lag(recording, at[first], at[last]) + clock_error(recording, at[first], at[last])

    inner, outer, unsure = vcpu(2, 3), vcpu(1, 4), slack(1, 4)
    for index, name in enumerate(["running_ns", "runnable_ns", "blocked_ns", "offline_ns"]):
        expect(f"Xen's counter, {name}", inner[name] - unsure, runstates[1][index] - runstates[0][index], outer[name] + unsure)

    # The kernel takes steal from Xen's counters.  What has been stolen since the last tick is not accounted yet, at either end.
    inner, outer = vcpu(1, 4), vcpu(0, 5)
    unsure = STAT_NS + TICK_NS + outer["wait_greatest_ns"] + slack(0, 5)
    expect("/proc/stat's steal, ns", inner["runnable_ns"] - unsure, (stolen[1] - stolen[0]) * STAT_NS,
           outer["runnable_ns"] + unsure)

    # The thread's latency is from after the waker's sleep to before its own next call; from wake-up to switch is a part of it.
    turns = [turn for turn in trace.turns if at[2] < turn["slept"] < at[3]]
    expect("number of latencies", len(latencies), len(turns), len(latencies))
    pairs = [(turn, mine) for turn, mine in zip(turns, latencies) if "waking" in turn]
    wakeups, latencies = [turn for turn, _ in pairs], [mine for _, mine in pairs]
    expect("number of wake-ups", len(turns) // 2, len(wakeups), len(turns))
    wrong = sum(not wake["switch"] - wake["waking"] <= mine <= wake["next"] - wake["slept"] for wake, mine in pairs)
    expect("latencies that do not fit", 0, wrong, 0)
    woken = next(row for row in report(recording, at[2], at[3])["wakeups"]
                 if row["of"] == "g1" and re.fullmatch(r"woken-\d+", row["what"]))
    around = sum(wake["next"] - wake["slept"] - wake["switch"] + wake["waking"] for wake in wakeups)
    expect("sum of latencies, ns", sum(latencies) - around, woken["total_ns"], sum(latencies))
    latencies.sort()
    for name, mine in (("p50", latencies[len(latencies) // 2]), ("p99", latencies[len(latencies) * 99 // 100]),
                       ("greatest", latencies[-1])):
        expect(f"{name} of latencies, ns", 0, woken[name + "_ns"], mine * 1.016)
    sys.exit(1 if failures else 0)


main()
