#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""timed_table.py FILE - prints what was timed on this machine, from lines "BENCH VARIANT ns VALUE": the tables of Desnoyers 2010,
section 6, and threads that trace at once (Goulet 2012, section 4.3).  Medians."""
import statistics
import sys

# Rows of the paper's table I, and the names that primitives.c has for them.
PRIMITIVES = (("baseline (no locking)", "empty_loop"), ("local CAS", "cmpxchg"), ("synchronized CAS", "cmpxchg_lock"),
              ("interrupts, without cli", "pushf_popf"), ("spin lock and unlock", "spin_lock_plain"),
              ("sequence lock, read", "seqlock_read"), ("preemption off and on", "preempt_count"))


def read_medians(path):
    values = {}
    with open(path, encoding="utf-8") as file:
        for bench, variant, _, value in map(str.split, file):
            values.setdefault((bench, variant), []).append(float(value))
    return {key: statistics.median(of_key) for key, of_key in values.items()}


def print_primitives(medians):
    def alone(name):
        return medians["primitive", name] - medians["primitive", "empty_loop"]

    print("table I: synchronization in ns, alone and around ten reads and a write, an empty loop included")
    for row, name in PRIMITIVES:
        print(f"{row:28s} {medians['primitive', name]:7.2f} {medians['primitive', name + '_operations']:7.2f}")
    cas, lock, flags = alone("cmpxchg"), alone("spin_lock_plain"), alone("pushf_popf")
    seqlock, preempt, sync = alone("seqlock_read"), alone("preempt_count"), alone("cmpxchg_lock")
    print("\ntables II to VI: in ns, without the loop")
    print(f"II   interrupts, without cli / local CAS        {flags:6.2f} / {cas:.2f} = {flags / cas:.2f}")
    print(f"III  spin lock + interrupts, without cli        {lock:6.2f} + {flags:.2f} = {lock + flags:.2f}")
    print(f"IV   sequence lock + synchronized CAS           {seqlock:6.2f} + {sync:.2f} = {seqlock + sync:.2f}")
    print(f"V    preemption off and on + local CAS          {preempt:6.2f} + {cas:.2f} = {preempt + cas:.2f}")
    print(f"VI   speed-up over III: IV {(lock + flags) / (seqlock + sync):.2f}, V {(lock + flags) / (preempt + cas):.2f}")


def print_threads(medians):
    print("\nan event of an application in ns of its thread's time, flight recorder")
    for variant in ("strata_single_store", "strata_reserve_commit", "lttng_ust_overwrite"):
        row = [medians.get((f"app_threads_{nr}", variant)) for nr in (1, 2, 8)]
        print(f"{variant:28s}" + "".join(f" {'void':>12s}" if ns is None else f" {ns:8.2f} ({nr} t)" for nr, ns in zip((1, 2, 8), row)))
    print(f"an addition of eight threads: {medians['false_sharing', 'one_line']:.2f} to words in one cache line, "
          f"{medians['false_sharing', 'own_lines']:.2f} to words in lines of their own")


def main():
    medians = read_medians(sys.argv[1])
    print_primitives(medians)
    print_threads(medians)


if __name__ == "__main__":
    main()
