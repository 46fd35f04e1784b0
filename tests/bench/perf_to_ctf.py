# SPDX-License-Identifier: GPL-2.0-or-later
"""perf_to_ctf.py - writes what `perf sched record` recorded as a kernel's trace in CTF, event by event, in the names and fields that
LTTng gives them: PYTHONPATH=tests/unit PERF_TO_CTF=DIR perf script -s perf_to_ctf.py -i FILE.  perf calls a function for each event, in
order of time.

DIR.unclear gets the numbers of tasks of which perf tells less, for perf_sched.py.  In a container perf is not shown what tasks outside it
do: one of them is switched to, and the switch from it is missing; these are the tasks around such a gap.  And a task that has exited has
no number any more when it leaves its CPU for the last time."""
import os
import struct
import sys

import made_ctf

TASK = "text_t _comm[16]; int32_t _tid; int32_t _prio;"
CLASSES = [
    ("sched_switch", "text_t _prev_comm[16]; int32_t _prev_tid; int32_t _prev_prio; int64_t _prev_state;"
                     " text_t _next_comm[16]; int32_t _next_tid; int32_t _next_prio;"),
    ("sched_waking", TASK + " int32_t _target_cpu;"),
    ("sched_wakeup_new", TASK + " int32_t _target_cpu;"),
    ("sched_migrate_task", TASK + " int32_t _orig_cpu; int32_t _dest_cpu;"),
    ("sched_process_fork", "text_t _parent_comm[16]; int32_t _parent_tid; text_t _child_comm[16]; int32_t _child_tid;"),
    ("sched_stat_runtime", "text_t _comm[16]; int32_t _tid; uint64_t _runtime;"),
]
NO_TASK = ":-1"  # perf's name of a task without a number
BEGIN_S = 1700000000  # perf's times are since the machine's start
made_ctf.PACKET_BYTES = 32768

trace = made_ctf.Trace(os.environ["PERF_TO_CTF"], CLASSES, os.cpu_count(), 'domain = "kernel"; hostname = "machine";',
                       "monotonic; freq = 1000000000", ("uint32_t", "int32_t", "uint64_t", "int64_t", "text_t"))
runs = {}  # on each CPU
unclear = set()


def add(cpu, secs, nsecs, name, form, *values):
    trace.add(cpu, (BEGIN_S + secs) * 10**9 + nsecs, name, struct.pack("<" + form, *values))


def comm(name):
    return name.encode()[:15]


def sched__sched_switch(_, __, cpu, secs, nsecs, pid, name, chain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid,
                        next_prio, *rest):
    if name == NO_TASK:
        unclear.add(prev_pid)
    if runs.get(cpu, prev_pid) != prev_pid:
        unclear.update((runs[cpu], prev_pid))
    runs[cpu] = next_pid
    add(cpu, secs, nsecs, "sched_switch", "16siiq16sii", comm(prev_comm), prev_pid, prev_prio, prev_state, comm(next_comm), next_pid,
        next_prio)


def sched__sched_waking(_, __, cpu, secs, nsecs, pid, name, chain, of_comm, of_pid, prio, target_cpu, *rest):
    add(cpu, secs, nsecs, "sched_waking", "16siii", comm(of_comm), of_pid, prio, target_cpu)


def sched__sched_wakeup_new(_, __, cpu, secs, nsecs, pid, name, chain, of_comm, of_pid, prio, target_cpu, *rest):
    add(cpu, secs, nsecs, "sched_wakeup_new", "16siii", comm(of_comm), of_pid, prio, target_cpu)


def sched__sched_migrate_task(_, __, cpu, secs, nsecs, pid, name, chain, of_comm, of_pid, prio, orig_cpu, dest_cpu, *rest):
    add(cpu, secs, nsecs, "sched_migrate_task", "16siiii", comm(of_comm), of_pid, prio, orig_cpu, dest_cpu)


def sched__sched_process_fork(_, __, cpu, secs, nsecs, pid, name, chain, parent_comm, parent_pid, child_comm, child_pid, *rest):
    add(cpu, secs, nsecs, "sched_process_fork", "16si16si", comm(parent_comm), parent_pid, comm(child_comm), child_pid)


def sched__sched_stat_runtime(_, __, cpu, secs, nsecs, pid, name, chain, of_comm, of_pid, runtime, *rest):
    add(cpu, secs, nsecs, "sched_stat_runtime", "16siQ", comm(of_comm), of_pid, runtime)


def trace_unhandled(event_name, *rest):
    sys.exit("perf_to_ctf.py: an event that `perf sched record` did not record before: " + event_name)


def trace_end():
    trace.end()
    with open(os.environ["PERF_TO_CTF"] + ".unclear", "w", encoding="utf-8") as file:
        file.writelines("%d\n" % tid for tid in sorted(unclear))
