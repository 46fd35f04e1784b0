#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""kernel_table.py DIR - prints what a kernel's workloads took while it was traced, from what papers.sh left in DIR.  A figure of a
recorder that lost events, or recorded others than its peer, is void; the reason is printed instead."""
import os
import re
import statistics
import sys

from recordings import Recording

OF_KERNEL = ("strata_flight", "lttng_flight", "strata_disk", "lttng_disk")
OF_XEN = ("strata_xen", "xentrace_xen")
# What each recorder's recording is compared with: its peer's, and, where it was overwritten in part, one that went to disk.
PEERS = {"strata_flight": "lttng_flight", "lttng_flight": "strata_flight", "strata_disk": "lttng_disk", "lttng_disk": "strata_disk",
         "strata_irqs_off": "lttng_disk", "strata_locked": "lttng_disk", "strata_xen": "xentrace_xen",
         "xentrace_xen": "strata_xen"}
# LTTng has none of it.
ONLY_STRATA = "xen_evtchn_upcall"
# How many events of a kind may differ: a share of their number, and of all, or so many. What recorders do themselves is recorded, too,
# and a slower one is met by more ticks of the clock.
TOLERANCE, TOLERATED_OF_ALL, TOLERATED_EVENTS = 0.05, 0.03, 1000
TOLERATED_BYTES = 1 << 20
# What a recording shows from its execution to its exit; of a probe's there is only one kind of event.
PROGRAMS = {"calls": "calls", "ping": "calls", "probe": None}
# As calls.c makes them, to warm up and to be counted.
PINGS = 3300


def read_figures(directory):
    """took[workload, part][variant] is a list of instructions, one for each turn."""
    took = {}
    with open(os.path.join(directory, "lab.log"), encoding="utf-8") as log:
        for variant, workload, part, figure in re.findall(r"\] +took (\S+) (\S+) (\S+) (\S+)", log.read()):
            took.setdefault((workload, part), {}).setdefault(variant, []).append(float(figure))
    return took


def differ(one, other, tolerated):
    return abs(one - other) > max(TOLERANCE * max(one, other), tolerated)


def faults_of(recordings, recorder, workload):
    """Why a recording says nothing about what its recorder costs; empty if it does."""
    recording, peer, to_disk = recordings[recorder, workload], PEERS[recorder], recorder.replace("_flight", "_disk")
    faults = [f"{recording.packets.lost} events were lost"] if recording.packets.lost else []
    if (peer, workload) not in recordings or (to_disk, workload) not in recordings:
        faults.append("there is nothing to compare it with")
    elif recording.packets.whole and recordings[peer, workload].packets.whole:
        kinds, others = recording.kinds, recordings[peer, workload].kinds
        tolerated = max(TOLERATED_EVENTS, TOLERATED_OF_ALL * recording.events())
        faults += [f"{kinds.get(kind, 0)} events {kind}, but {peer} has {others.get(kind, 0)}"
                   for kind in sorted((kinds.keys() | others.keys()) - {ONLY_STRATA})
                   if differ(kinds.get(kind, 0), others.get(kind, 0), tolerated)]
    elif to_disk == recorder:
        faults.append("its beginning is missing")
    elif differ(recording.packets.written, recordings[to_disk, workload].packets.written, TOLERATED_BYTES):
        faults.append(f"{recording.packets.written >> 10} KiB, but {recordings[to_disk, workload].packets.written >> 10} KiB to disk")
    return faults


class Tables:
    def __init__(self, directory):
        self.took = read_figures(directory)
        self.recordings, self.faults = {}, {}
        for (workload, _), figures in self.took.items():
            for recorder in (recorder for recorder in PEERS if recorder in figures):
                if (recorder, workload) not in self.recordings:
                    self.recordings[recorder, workload] = Recording(
                        os.path.join(directory, recorder, workload), recorder.split("_")[0],
                        None if recorder in OF_XEN else PROGRAMS.get(workload, "counted"))
        for recorder, workload in self.recordings:
            self.faults[recorder, workload] = faults_of(self.recordings, recorder, workload)

    def added(self, workload, part, recorder):
        """The instructions that a recorder adds, or None: not measured, or void."""
        figures = self.took.get((workload, part), {})
        if recorder not in figures or self.faults[recorder, workload]:
            return None
        return statistics.median(figures[recorder]) - statistics.median(figures["off"])

    def share(self, workload, part, recorder):
        """The same as a share of what it takes without a recorder, or why there is none.  In parentheses where that differs by more
        from one time to the other."""
        figures, added = self.took[workload, part], self.added(workload, part, recorder)
        if added is None:
            return "void" if recorder in figures else ""
        share = f"{100 * added / statistics.median(figures['off']):+.2f} %"
        return f"({share})" if abs(added) <= max(figures["off"]) - min(figures["off"]) else share

    def print_workloads(self, title, recorders):
        print(f"\n{title:20s} {'off':>13s} {'again':>7s}" + "".join(f" {recorder:>14s}" for recorder in recorders))
        for (workload, part), figures in self.took.items():
            if workload in ("primitives", "probe") or not figures.keys() & set(recorders):
                continue
            off = statistics.median(figures["off"])
            again = 100 * (max(figures["off"]) / min(figures["off"]) - 1)
            row = f"{workload if part == 'counted' else part:20s} {off:13.1f} {again:5.2f} %"
            print(row + "".join(f" {self.share(workload, part, recorder):>14s}" for recorder in recorders))

    def print_probe(self):
        print("\ninstructions of a probe of 8 bytes")
        for recorder in PEERS:
            added = self.added("probe", "probe", recorder)
            if added is not None:
                print(f"{recorder:20s} {added:13.1f}")

    def print_ping(self):
        print("\na ping's round trip: events, and instructions that each adds")
        for recorder in ("strata_flight", "lttng_flight"):
            added = self.added("ping", "ping", recorder)
            if added is not None:
                events = self.recordings[recorder.replace("_flight", "_disk"), "ping"].events() / PINGS
                print(f"{recorder:20s} {events:13.1f} {added / events:13.1f}")

    def print_primitives(self):
        print("\ninstructions of a kernel's synchronization, alone and around ten reads and a write")
        for (workload, part), figures in self.took.items():
            if workload == "primitives" and not part.endswith("_operations"):
                around = self.took[workload, part + "_operations"]["off"][0]
                print(f"{part:20s} {figures['off'][0]:13.1f} {around:13.1f}")

    def print_recordings(self):
        print("\nwhat was recorded")
        for (recorder, workload), recording in self.recordings.items():
            events = recording.events() if recording.packets.whole else "overwritten in part"
            print(f"{recorder} {workload}: events {events}, lost {recording.packets.lost}, {recording.packets.written >> 10} KiB")
            for fault in self.faults[recorder, workload]:
                print(f"  void: {fault}")


def main():
    tables = Tables(sys.argv[1])
    tables.print_workloads("instructions", OF_KERNEL)
    tables.print_workloads("Xen's, for PV guests", OF_XEN)
    tables.print_probe()
    tables.print_ping()
    tables.print_primitives()
    tables.print_recordings()


if __name__ == "__main__":
    main()
