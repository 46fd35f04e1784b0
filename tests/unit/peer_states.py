# SPDX-License-Identifier: GPL-2.0-or-later
"""peer_states.py - states over time, of a second evaluation of what happened on a host (host_peer.py): of vCPUs, tasks and kernels,
as lists over the whole time."""
import bisect
import os
from collections import defaultdict

RUNS, XEN, WAITS, BLOCKED, OFFLINE, UNKNOWN = "running", "xen", "runnable", "blocked", "offline", "unknown"
ENDED = "ended"  # of a task: it is in no state, until another has its number
RUNSTATES = [RUNS, WAITS, BLOCKED, OFFLINE]


def number(value):
    """Numbers of 64 bits are strings in JSON; None: it is none."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return None


def field(event, *names):
    for name in names:
        if name in event.get("fields", {}):
            return number(event["fields"][name])
    return None


def machine_of(machines, source):
    """Sources of several machines are called MACHINE/SOURCE, and a machine's applications as itself."""
    return source if source in machines else os.path.dirname(source)


class States:
    """States over time; a change at the time of the one before replaces nothing, it lasts 0 ns."""

    def __init__(self, now, state):
        self.times, self.states = [now], [state]

    def change(self, now, state):
        self.times.append(max(now, self.times[-1]))
        self.states.append(state)

    def now(self):
        return self.states[-1]

    def spans(self, start, end):
        """(from, to, state), of what is known from @start to @end."""
        at = max(bisect.bisect_right(self.times, start) - 1, 0)
        while at < len(self.times) and self.times[at] < end:
            until = self.times[at + 1] if at + 1 < len(self.times) else end
            if max(start, self.times[at]) < min(until, end):
                yield max(start, self.times[at]), min(until, end), self.states[at]
            at += 1

    def runs(self, end):
        """Neighbours of one state are one span."""
        whole = []
        for start, stop, state in self.spans(self.times[0], end):
            if whole and whole[-1][2] == state and whole[-1][1] == start:
                whole[-1][1] = stop
            else:
                whole.append([start, stop, state])
        return whole


class Vcpu:
    def __init__(self, now):
        self.sched = States(now, UNKNOWN)  # as the scheduler sees it
        self.fine = States(now, UNKNOWN)   # and where XEN is another state
        self.run_since, self.pcpu = now, None
        self.exit = self.call = None
        self.preempted = self.in_guest = False
        self.ends = [now]                  # of spans, also between equal states

    def runs(self):
        return self.sched.now() == RUNS

    def place(self, now):
        busy = self.exit or (self.call and not self.in_guest)
        self.fine.change(now, XEN if self.runs() and busy else self.sched.now())


class Task:
    def __init__(self, now, tid, kernel):
        self.tid, self.names, self.kernel = tid, {"?"}, kernel
        self.states = States(now, (UNKNOWN, None))
        self.wait = self.call = None
        self.locks = {}
        self.queued = None  # the CPU for which it waits
        self.waking = None  # the CPU for which it is woken while it still runs


class Kernel:
    def __init__(self, source, domain, machine):
        self.source, self.domain, self.machine = source, domain, machine
        self.tasks, self.current, self.wakeups = {}, {}, False
        self.irqs, self.softirq, self.upcalls = defaultdict(list), {}, {}
        self.queues = defaultdict(list)  # by CPU: when one more waits, or one fewer

    def enter(self, task, now, state, cpu):
        task.states.change(now, (state, cpu))
        queue = cpu if state == WAITS and task.tid else None
        if task.queued != queue:
            for where, more in ((task.queued, -1), (queue, 1)):
                if where is not None:
                    self.queues[where].append((now, more))
            task.queued = queue

    def task(self, tid, cpu, now):
        key = ("idle", cpu) if tid == 0 else tid
        if key not in self.tasks:
            self.tasks[key] = Task(now, tid, self)
        elif self.tasks[key].states.now()[0] == ENDED:
            self.tasks[key].states.change(now, (UNKNOWN, cpu))
        return self.tasks[key]

    def known_task(self, tid, cpu):
        task = self.tasks.get(("idle", cpu) if tid == 0 else tid)
        return task if task and task.states.now()[0] != ENDED else None

    def living(self):
        return [task for task in self.tasks.values() if task.states.now()[0] != ENDED]
