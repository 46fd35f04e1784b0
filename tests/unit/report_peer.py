#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report_peer.py VIEW REPORT - a second evaluation of what `strata report all --json` says, from what
`strata view --json` shows of the same traces: who ran, waited and slept, and how often and how long everything took.
The states are lists over the whole time here, and parts of times are intersections of them.

It prints each difference and ends with 1, or a line with what it compared."""
import bisect
import json
import os
import re
import sys
from collections import defaultdict

RUNS, XEN, WAITS, BLOCKED, OFFLINE, UNKNOWN = "running", "xen", "runnable", "blocked", "offline", "unknown"
RUNSTATES = [RUNS, WAITS, BLOCKED, OFFLINE]
REMEMBERED = 256  # stretches of a pCPU that `behind` goes back
FOLLOWED = 4      # interrupts within interrupts
IDLE = 32767
REQUEST_KEYS = ("id", "request_id", "request", "key")


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
    def __init__(self, now, tid):
        self.tid, self.names = tid, {"?"}
        self.states = States(now, (UNKNOWN, None))
        self.wait = self.call = None
        self.locks = {}
        self.queued = None  # the CPU for which it waits
        self.waking = None  # the CPU for which it is woken while it still runs


class Kernel:
    def __init__(self, source, domain, machine):
        self.source, self.domain, self.machine = source, domain, machine
        self.tasks, self.current, self.losses, self.wakeups = {}, {}, 0, False
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
            self.tasks[key] = Task(now, tid)
        return self.tasks[key]


class Host:
    """All that is known of all machines."""

    def __init__(self, machines, hypervisors, returning, ends):
        self.machines, self.hypervisors, self.returning = machines, hypervisors, returning
        self.ends = ends  # (ns, source, layer), in order
        self.vcpus, self.pcpus, self.kernels = {}, {}, {}
        self.names = {IDLE: "idle", 0: "d0"}
        self.behind = defaultdict(list)
        self.spans = defaultdict(list)  # by report, source and name: (from, to, bound, parts)
        self.ended = {}   # by source
        self.mapped = {}  # by machine, domain and handle
        self.grants = defaultdict(lambda: {"maps": [], "copies": 0, "failed": 0, "bytes": 0})
        self.open, self.sends, self.pending, self.xen_sources = {}, {}, {}, {}
        # By machine, domain, port and the sender's domain (None: Xen).
        self.ports = defaultdict(lambda: {"signals": 0, "spans": [], "delay": 0, "handlers": []})
        self.now = self.first = self.last = None

    # The hypervisor.
    def vcpu(self, machine, domain, nr):
        return self.vcpus.setdefault((machine, domain, nr), Vcpu(self.now))

    def occupy(self, pcpu, key):
        stretches = self.pcpus.setdefault(pcpu, [])
        if stretches and stretches[-1][1] is None:
            if stretches[-1][2] == key:
                return
            stretches[-1][1] = self.now
        if key:
            stretches.append([self.now, None, key])

    def change(self, machine, key, before, after, pcpu):
        vcpu = self.vcpus[key]
        state = vcpu.sched.now()
        if UNKNOWN not in (state, before) and state != before:
            vcpu.exit = vcpu.call = None
        if after == RUNS:
            if vcpu.runs() and vcpu.pcpu == pcpu:
                vcpu.place(self.now)
                return
            self.occupy((machine, pcpu), key)
            if state == WAITS:
                self.waited(key, vcpu, (machine, pcpu))
            vcpu.pcpu = pcpu
        else:
            stretches = self.pcpus.get((machine, pcpu))
            if stretches and stretches[-1][1] is None and stretches[-1][2] == key:
                stretches[-1][1] = self.now
        vcpu.run_since = self.now
        vcpu.ends.append(self.now)
        vcpu.sched.change(self.now, after)
        vcpu.place(self.now)

    def waited(self, key, vcpu, pcpu):
        past = [s for s in self.pcpus[pcpu] if s[1] is not None][-REMEMBERED:]
        for start, stop, other in reversed(past):
            if stop <= vcpu.run_since:
                break
            start = max(start, vcpu.run_since)
            if start < stop:
                self.behind[key, other].append(stop - start)

    def xen(self, event, machine):
        name, pcpu = event["event"], event.get("cpu")
        transition = re.fullmatch("runstate_(%s)_to_(%s)" % (("|".join(RUNSTATES),) * 2), name)
        domain, nr = field(event, "of_domain"), field(event, "of_vcpu")
        if domain is not None and event["fields"].get("of_domain_name"):
            self.names[domain] = event["fields"]["of_domain_name"]
        if transition and None not in (domain, nr):
            self.vcpu(machine, domain, nr)
            self.change(machine, (machine, domain, nr), transition[1], transition[2], pcpu)
        elif name == "strata_vcpu_state" and None not in (domain, nr):
            vcpu, runstate = self.vcpu(machine, domain, nr), field(event, "runstate")
            if vcpu.sched.now() == UNKNOWN and runstate is not None:
                self.change(machine, (machine, domain, nr), UNKNOWN, RUNSTATES[runstate] if runstate < 4 else UNKNOWN,
                            field(event, "on_pcpu"))
        elif name in ("evtchn_send", "evtchn_pending"):
            self.event_channel(event, name, machine, pcpu)
        elif name in ("grant_map", "grant_unmap", "grant_copy"):
            self.grant(event, name, machine)
        elif name in ("vm_exit", "vm_entry") or re.fullmatch("(pv|hvm)_hypercall(_return)?", name):
            domain, nr = event.get("domain"), event.get("vcpu")
            if None not in (domain, nr):
                self.work(event, name, machine, (machine, domain, nr), pcpu)

    def work(self, event, name, machine, key, pcpu):
        vcpu = self.vcpu(*key)
        if vcpu.sched.now() == UNKNOWN and machine in self.hypervisors:
            self.change(machine, key, UNKNOWN, RUNS, pcpu)
        what = event["fields"].get("op_name", str(field(event, "op")))
        if name == "vm_exit":
            vcpu.exit = (self.now, event["bound_ns"], event["fields"].get("reason_name", str(field(event, "reason"))))
        elif name == "vm_entry":
            if not vcpu.preempted:
                vcpu.call = None
            vcpu.in_guest = vcpu.call is not None
            if vcpu.exit:
                self.span("exits", event, key, vcpu.exit)
                if vcpu.exit[2] == "pause":
                    self.span("locks", event, key, vcpu.exit)
                vcpu.exit = None
        elif name.endswith("hypercall"):
            if machine not in self.returning:
                return
            if not vcpu.call or vcpu.call[2] != what or not vcpu.preempted:
                vcpu.call = (self.now, event["bound_ns"], what)
            vcpu.preempted = vcpu.in_guest = False
        elif field(event, "preempted"):
            vcpu.preempted = vcpu.call is not None and vcpu.call[2] == what
        elif vcpu.call:
            if vcpu.call[2] == what:
                self.span("hypercalls", event, key, vcpu.call)
            vcpu.call = None
        vcpu.place(self.now)

    # Grants.
    def grant(self, event, name, machine):
        domain = event["domain"]
        self.vcpu(machine, domain, event["vcpu"])
        own = lambda number: domain if number == 0x7ff0 else number
        if name == "grant_map":
            self.mapped[machine, domain, field(event, "handle")] = (self.now, own(field(event, "granter")))
        elif name == "grant_unmap":
            since = self.mapped.pop((machine, domain, field(event, "handle")), None)
            if since:
                self.grants[machine, domain, since[1]]["maps"].append(self.now - since[0])
        else:
            ends = own(field(event, "from_domain")), own(field(event, "to_domain"))
            row = self.grants[machine, domain, ends[1] if ends[0] == domain else ends[0]]
            row["copies"] += 1
            row["failed"] += field(event, "status") != 0
            row["bytes"] += field(event, "bytes") if field(event, "status") == 0 else 0

    # Locks.
    def lock(self, kernel, event, name, cpu):
        task, lock = self.doer(kernel, event, cpu), field(event, "lock_addr")
        if not task:
            return
        if name == "contention_begin" and lock not in task.locks:
            flags = field(event, "flags")
            kind = "mutex" if flags & 32 else "spinlock"
            if len(task.locks) < 2:
                task.locks[lock] = (self.now, event["bound_ns"], "%s 0x%x" % (kind, lock))
        elif name == "contention_end" and lock in task.locks:
            self.span("locks", event, kernel.source, task.locks.pop(lock), task)

    # Event channels.
    def event_channel(self, event, name, machine, pcpu):
        by = (event.get("domain"), event.get("vcpu"))
        if None not in by:
            self.vcpu(machine, *by)
        if name == "evtchn_send":
            self.sends[machine, pcpu] = (field(event, "to_domain"), field(event, "to_port"), by[0])
            return
        domain, nr, port = field(event, "of_domain"), field(event, "of_vcpu"), field(event, "port")
        self.vcpu(machine, domain, nr)
        sent = self.sends.pop((machine, pcpu), None)
        sender = sent[2] if sent and sent[:2] == (domain, port) else None
        row = (machine, domain, port, sender)
        self.ports[row]["signals"] += 1
        self.pending.setdefault((machine, domain, port), (self.now, event["bound_ns"], row, nr))

    def upcall(self, kernel, event, cpu):
        port = field(event, "port")
        since = self.pending.pop((kernel.machine, kernel.domain, port), None)
        kernel.upcalls[cpu] = (field(event, "irq"), self.now, since and since[2])
        if since:
            self.ports[since[2]]["spans"].append((since[0], self.now, since[3]))

    def handler(self, kernel, event, cpu):
        upcall = kernel.upcalls.pop(cpu, None)
        if not upcall or upcall[0] != field(event, "irq") or not upcall[2]:
            return None
        if len(kernel.irqs[cpu]) < FOLLOWED:
            self.ports[upcall[2]]["delay"] += self.now - upcall[1]
        return upcall[2]

    # Whatever has a begin and an end. @of: a vCPU's key or a source; parts are found at the end
    def span(self, report, event, of, begun, task=None, cpu=None):
        bound = None
        if begun[1] is not None and event["bound_ns"] is not None:
            bound = begun[1] + event["bound_ns"]
        self.spans[report, of, begun[2]].append((begun[0], self.now, bound, task, cpu))

    # Kernels.
    def kernel(self, event, machine):
        if event["source"] not in self.kernels:
            domain = event.get("domain")
            self.kernels[event["source"]] = Kernel(event["source"], domain, machine)
        return self.kernels[event["source"]]

    def doer(self, kernel, event, cpu):
        context = {**event.get("stream_context", {}), **event.get("event_context", {}), **event.get("context", {})}
        tid = number(context.get("tid"))
        # A number of a namespace says less than the scheduler.
        if tid is None and cpu not in kernel.current:
            tid = number(context.get("vtid"))
        if tid is not None and 0 <= tid < 1 << 31:
            return kernel.task(tid, cpu, self.now)
        return kernel.current.get(cpu)

    def named(self, kernel, event, tid, name, cpu):
        if tid is None or not 0 <= tid < (1 << 32) - 1:
            return None
        task = kernel.task(tid, cpu, self.now)
        if isinstance(name, str):
            task.names.add(name)
        return task

    def of_kernel(self, event, machine):
        kernel, name, cpu = self.kernel(event, machine), event["event"].split(":")[-1], event.get("cpu")
        values = event.get("fields", {})
        call = re.fullmatch("(?:compat_)?syscall_(entry|exit)_(.*)", name)
        if name == "sched_switch":
            self.switch(kernel, event, cpu)
        elif name in ("sched_waking", "sched_wakeup", "sched_wakeup_new", "sched_migrate_task"):
            target = field(event, "target_cpu" if name != "sched_migrate_task" else "dest_cpu")
            task = self.named(kernel, event, field(event, "pid", "tid"), values.get("comm"), target)
            if task and name == "sched_migrate_task":
                self.migrate(kernel, task, target)
            elif task:
                kernel.wakeups |= name == "sched_wakeup"
                if name != "sched_wakeup" or cpu != target:
                    self.doer(kernel, event, cpu)  # who wakes is known to be there
                self.wake(kernel, task, target, event)
        elif name in ("sched_process_exec", "task_rename"):
            text = values.get("filename" if name == "sched_process_exec" else "newcomm")
            self.named(kernel, event, field(event, "pid", "tid"), os.path.basename(text)[:16] if text else None, cpu)
        elif name == "sys_enter" or (call and call[1] == "entry"):
            task = self.doer(kernel, event, cpu)
            if task:
                what = call[2] if call else values.get("id_name", str(field(event, "id") % (1 << 64)))
                task.call = (self.now, event["bound_ns"], what)
        elif name == "sys_exit" or call:
            task = self.doer(kernel, event, cpu)
            if task and task.call:
                self.span("syscalls", event, kernel.source, task.call, task)
                task.call = None
        elif name == "irq_handler_entry":
            label = "irq %d" % (field(event, "irq") % (1 << 64)) + (" " + values["name"][:31] if values.get("name") else "")
            kernel.irqs[cpu].append((self.now, event["bound_ns"], label, field(event, "irq"), self.handler(kernel, event, cpu)))
        elif name in ("contention_begin", "contention_end"):
            self.lock(kernel, event, name, cpu)
        elif name == "xen_evtchn_upcall":
            self.upcall(kernel, event, cpu)
        elif name == "irq_handler_exit":
            self.irq_end(kernel, event, cpu)
        elif name == "softirq_entry":
            label = "softirq " + values.get("vec_name", str(field(event, "vec")))
            kernel.softirq[cpu] = (self.now, event["bound_ns"], label)
        elif name == "softirq_exit":
            begun = kernel.softirq.pop(cpu, None)
            if begun and begun[2] == "softirq " + values.get("vec_name", str(field(event, "vec"))):
                self.span("irqs", event, kernel.source, begun, None, cpu)
        else:
            return

    def irq_end(self, kernel, event, cpu):
        irqs = kernel.irqs[cpu]
        if len(irqs) > FOLLOWED:
            irqs.pop()
            return
        at = [i for i, irq in enumerate(irqs) if irq[3] == field(event, "irq")]
        if at:
            self.span("irqs", event, kernel.source, irqs[at[-1]][:3], None, cpu)
            if irqs[at[-1]][4]:
                self.ports[irqs[at[-1]][4]]["handlers"].append(self.now - irqs[at[-1]][0])
            del irqs[at[-1]:]

    def switch(self, kernel, event, cpu):
        values = event["fields"]
        after = self.named(kernel, event, field(event, "next_pid", "next_tid"), values.get("next_comm"), cpu)
        before = self.named(kernel, event, field(event, "prev_pid", "prev_tid"), values.get("prev_comm"), cpu)
        if not before or not after:
            return
        sleeps = (field(event, "prev_state") or 0) & 0xff
        kernel.enter(before, self.now, BLOCKED if sleeps else WAITS, cpu)
        if not sleeps and before.tid:
            before.wait = (self.now, event["bound_ns"], (before.tid, True))
        elif sleeps and before.waking is not None:
            kernel.enter(before, self.now, WAITS, before.waking)
            before.wait = (self.now, event["bound_ns"], (before.tid, False))
        before.waking = after.waking = None
        if after.wait:
            self.span("wakeups", event, kernel.source, after.wait, after)
            after.wait = None
        kernel.enter(after, self.now, RUNS, cpu)
        kernel.current[cpu] = after

    def wake(self, kernel, task, cpu, event):
        state = task.states.now()[0]
        if state == RUNS:
            # It has decided to sleep, and its switch follows; but not if a sched_wakeup comes first.
            early = event["event"].split(":")[-1] != "sched_wakeup" and kernel.wakeups
            task.waking = cpu if early else None
        if state == WAITS:
            self.migrate(kernel, task, cpu)
        elif state != RUNS:
            kernel.enter(task, self.now, WAITS, cpu)
            task.wait = (self.now, event["bound_ns"], (task.tid, False))

    def migrate(self, kernel, task, cpu):
        if task.states.now()[0] == WAITS and task.states.now()[1] != cpu:
            kernel.enter(task, self.now, WAITS, cpu)

    # Applications.
    def request(self, event, machine):
        pair = re.fullmatch("(.+)_(begin|end)", event["event"].split(":")[-1])
        if not pair:
            return
        kernel = next((k for k in self.kernels.values() if k.machine == machine and
                       (k.domain is None or event.get("domain") is None or k.domain == event["domain"])), None)
        task = self.doer(kernel, event, event.get("cpu")) if kernel else None
        key = field(event, *REQUEST_KEYS)
        if key is None:
            context = event.get("stream_context", {})
            key = number(context.get("tid", context.get("vtid", 0)))
        key = (event["source"], pair[1], key)
        if pair[2] == "begin":
            self.open[key] = (self.now, event["bound_ns"], pair[1], task, kernel.losses if kernel else 0)
        elif key in self.open:
            begun = self.open.pop(key)
            same = task and task is begun[3] and kernel.losses == begun[4]
            self.span("requests", event, event["source"], begun[:3], task if same else None)

    # Losses.
    def forget(self, vcpu):
        vcpu.exit = vcpu.call = None
        vcpu.run_since = self.now
        vcpu.ends.append(self.now)
        vcpu.sched.change(self.now, UNKNOWN)
        vcpu.fine.change(self.now, UNKNOWN)

    def end(self, source, layer):
        """The last event of a source was here."""
        self.ended[source] = self.now
        if layer == "xen":
            machine = machine_of(self.machines, source)
            for pcpu in [pcpu for pcpu in self.pcpus if pcpu[0] == machine]:
                self.occupy(pcpu, None)
            for vcpu in [vcpu for key, vcpu in self.vcpus.items() if key[0] == machine]:
                self.forget(vcpu)
        elif source in self.kernels:
            kernel = self.kernels[source]
            for task in kernel.tasks.values():
                task.wait = task.call = task.waking = None
                task.locks.clear()
                task.states.change(self.now, (UNKNOWN, task.states.now()[1]))
            kernel.current.clear()
            kernel.irqs.clear()
            kernel.softirq.clear()
            kernel.upcalls.clear()

    def lose(self, loss, machine):
        self.now = max(self.now or 0, int(loss["from_ns"]))
        if loss["layer"] == "xen":
            pcpu = loss.get("cpu")
            self.occupy((machine, pcpu), None)
            for key, vcpu in self.vcpus.items():
                if key[0] == machine and vcpu.sched.now() != UNKNOWN and not (vcpu.runs() and vcpu.pcpu != pcpu):
                    self.forget(vcpu)
        elif loss["source"] in self.kernels:
            kernel = self.kernels[loss["source"]]
            running = list(kernel.current.values())
            for task in kernel.tasks.values():
                task.wait = task.call = task.waking = task.queued = None
                task.locks.clear()
                cpu = task.states.now()[1]
                if task in running:
                    task.states.change(self.now, (UNKNOWN, cpu))
                else:
                    task.states.states[-1] = (UNKNOWN, cpu)
            kernel.current.clear()
            kernel.irqs.clear()
            kernel.softirq.clear()
            kernel.upcalls.clear()
            for changes in kernel.queues.values():
                changes.append((self.now, None))
            kernel.losses += 1
        self.pending.clear()
        self.mapped.clear()
        for key in [k for k in self.open if k[0] == loss["source"]]:
            del self.open[key]

    def take(self, line):
        machine = machine_of(self.machines, line["source"])
        if "discarded" in line:
            self.lose(line, machine)
            return
        while self.ends and self.ends[0][0] < int(line["ns"]):
            self.now, source, layer = self.ends.pop(0)
            self.end(source, layer)
        self.now = int(line["ns"])
        if self.first is None:
            self.first = self.now
        self.last = self.now
        if line["layer"] == "xen":
            self.xen_sources[line["source"]] = machine
            self.xen(line, machine)
        elif line["layer"] == "kernel":
            self.of_kernel(line, machine)
        elif line["layer"] == "app":
            self.request(line, machine)

    # Answers.
    def vcpu_name(self, key):
        machine, domain, nr = key
        prefix = machine + "/" if machine else ""
        return "%s%s/%d" % (prefix, self.names.get(domain, "d%d" % domain), nr)

    def vcpu_parts(self, kernel, cpu, start, end):
        parts = defaultdict(int)
        if kernel.domain is None:
            parts[RUNS] = end - start
            return parts
        vcpu = self.vcpus.get((kernel.machine, kernel.domain, cpu))
        known = 0
        for begin, stop, state in vcpu.fine.spans(start, end) if vcpu else ():
            parts[state] += stop - begin
            known += stop - begin
        parts[UNKNOWN] += end - start - known
        return parts

    def task_parts(self, kernel, task, start, end):
        """By column of the report."""
        columns = {XEN: "in_xen_ns", WAITS: "stolen_ns", BLOCKED: "vcpu_asleep_ns", OFFLINE: "vcpu_paused_ns",
                   UNKNOWN: "unknown_ns"}
        parts = defaultdict(int)
        known = 0
        for begin, stop, (state, cpu) in task.states.spans(start, end):
            known += stop - begin
            if state in (BLOCKED, UNKNOWN):
                parts["blocked_ns" if state == BLOCKED else "unknown_ns"] += stop - begin
                continue
            for where, ns in self.vcpu_parts(kernel, cpu, begin, stop).items():
                parts["runs_ns" if (where, state) == (RUNS, RUNS) else
                      "queued_ns" if where == RUNS else columns[where]] += ns
        parts["unknown_ns"] += end - start - known
        return parts


class Comparison:
    def __init__(self):
        self.differences, self.figures = 0, 0

    def same(self, what, got, want, share=0.0):
        self.figures += 1
        if got is None or want is None:
            wrong = got != want
        else:
            wrong = abs(got - want) > share * want
        if wrong:
            self.differences += 1
            if self.differences <= 30:
                print("%s: the report says %s, and it is %s" % (what, got, want))

    def rows(self, what, got, want):
        self.same(what + ": rows that are missing: %s; that are too much: %s" %
                  (sorted(map(str, want - got))[:5], sorted(map(str, got - want))[:5]), len(got ^ want), 0)


def percentile(values, of_a_million):
    return sorted(values)[max(-(-len(values) * of_a_million // 1000000), 1) - 1]


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
                any_time = True
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
    kernel = next(k for k in host.kernels.values() if task in k.tasks.values())
    return host.task_parts(kernel, task, start, stop)


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


def host_of(lines):
    """What the lines of a view tell."""
    machines = {os.path.dirname(line["source"]) for line in lines}
    hypervisors = {machine_of(machines, line["source"]) for line in lines
                   if line["layer"] == "xen" and line.get("event", "").startswith("runstate_")}
    returning = {machine_of(machines, line["source"]) for line in lines if line.get("event", "").endswith("hypercall_return")}
    last = {(line["source"], line["layer"]): int(line["ns"]) for line in lines if "event" in line}
    host = Host(machines, hypervisors, returning, sorted((ns, *source) for source, ns in last.items()))
    for line in lines:
        host.take(line)
    return host


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
