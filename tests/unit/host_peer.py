# SPDX-License-Identifier: GPL-2.0-or-later
"""host_peer.py - a second evaluation of what happened on a host, from what `strata view --json` shows: who ran, waited and slept.
The states are lists over the whole time here, and parts of times are intersections of them. report_peer.py, why_peer.py and
critical_path_peer.py compare it with what Strata says."""
import copy
import os
import re
from collections import defaultdict

from peer_hypervisor import Hypervisor
from peer_states import BLOCKED, ENDED, OFFLINE, RUNS, UNKNOWN, WAITS, XEN, Kernel, field, machine_of, number

FOLLOWED = 4      # interrupts within interrupts
IDLE = 32767
REQUEST_KEYS = ("id", "request_id", "request", "key")


class Host(Hypervisor):
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
        self.switches_missing = 0

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

    # Upcalls of event channels.
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
        # As it is known now: a switch that turns out to be missing changes what ends later.
        task = copy.copy(task)
        self.spans[report, of, begun[2]].append((begun[0], self.now, bound, task, cpu))

    # Kernels.
    def kernel(self, event, machine):
        if event["source"] not in self.kernels:
            domain = event.get("domain")
            self.kernels[event["source"]] = Kernel(event["source"], domain, machine)
        return self.kernels[event["source"]]

    def doer(self, kernel, event, cpu, only_known=False):
        context = {**event.get("stream_context", {}), **event.get("event_context", {}), **event.get("context", {})}
        tid = number(context.get("tid"))
        # A number of a namespace says less than the scheduler.
        if tid is None and cpu not in kernel.current:
            tid = number(context.get("vtid"))
        if tid is not None and 0 <= tid < 1 << 31:
            return kernel.known_task(tid, cpu) if only_known else kernel.task(tid, cpu, self.now)
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
        self.find_missing_switch(kernel, before, after, cpu)
        sleeps = (field(event, "prev_state") or 0) & 0xff
        kernel.enter(before, self.now, BLOCKED if sleeps else WAITS, cpu)
        # It has ended, and the next one with its number begins anew.
        if sleeps & 0x30 and before.tid and before.waking is None and all(begun[3] is not before for begun in self.open.values()):
            before.call = None
            before.locks.clear()
            before.states.change(self.now, (ENDED, cpu))
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

    def find_missing_switch(self, kernel, before, after, cpu):
        ran = kernel.current.get(cpu)
        self.switches_missing += (ran not in (None, before)) or after.states.now()[0] == RUNS
        wrong = [ran, before] if ran is not before else []
        if after is not before and after.states.now()[0] == RUNS:
            wrong.append(after)
        for task in wrong:
            if task and task.states.now()[0] != UNKNOWN:
                self.mistrust(kernel, task)

    def mistrust(self, kernel, task):
        """What it has done since its last change is unknown."""
        kernel.current = {cpu: ran for cpu, ran in kernel.current.items() if ran is not task}
        if task.queued is not None:
            kernel.queues[task.queued].append((self.now, -1))
        task.wait = task.waking = task.queued = None
        since = task.states.times[-1]
        task.call = task.call if task.call and task.call[0] <= since else None
        task.locks = {lock: begun for lock, begun in task.locks.items() if begun[0] <= since}
        task.states = copy.deepcopy(task.states)
        task.states.states[-1] = (UNKNOWN, task.states.now()[1])

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
        # An application may name tasks that there are not.
        task = self.doer(kernel, event, event.get("cpu"), True) if kernel else None
        key = field(event, *REQUEST_KEYS)
        if key is None:
            context = event.get("stream_context", {})
            key = number(context.get("tid", context.get("vtid", 0)))
        key = (event["source"], pair[1], key)
        if pair[2] == "begin":
            self.open[key] = (self.now, event["bound_ns"], pair[1], task)
        elif key in self.open:
            begun = self.open.pop(key)
            same = task and task is begun[3]
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
            for task in kernel.living():
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
            self.mapped.clear()
            self.pending.clear()
            for key, vcpu in self.vcpus.items():
                if key[0] == machine and vcpu.sched.now() != UNKNOWN and not (vcpu.runs() and vcpu.pcpu != pcpu):
                    self.forget(vcpu)
        elif loss["source"] in self.kernels:
            kernel = self.kernels[loss["source"]]
            running = list(kernel.current.values())
            for task in kernel.living():
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
            for key in [k for k in self.pending if k[:2] == (kernel.machine, kernel.domain)]:
                del self.pending[key]
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
            if state in (BLOCKED, UNKNOWN, ENDED):
                parts["blocked_ns" if state == BLOCKED else "unknown_ns"] += stop - begin
                continue
            for where, ns in self.vcpu_parts(kernel, cpu, begin, stop).items():
                parts["runs_ns" if (where, state) == (RUNS, RUNS) else
                      "queued_ns" if where == RUNS else columns[where]] += ns
        parts["unknown_ns"] += end - start - known
        return parts


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
