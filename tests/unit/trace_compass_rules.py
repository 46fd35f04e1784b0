#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Checks an experiment for Trace Compass's virtual machine analysis: DIR, with a trace in each
directory, one of them the host's.  Shares nothing with the writer: metadata is read as text,
events as babeltrace2 prints them.

First the rules that the analysis' source demands, then what it does itself: its model of which
thread of the host is which vCPU of which guest (QemuKvmVmModel), step by step, on the events as
an experiment has them, in both orders of events of one time.  Prints what the model concludes.

    trace_compass_rules.py DIR [--slack NS]

--slack: by how much a guest's event may lie outside of when its vCPU's thread runs; without it,
by the clocks' precision."""
import bisect
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict

INT, TEXT = "integer", "string"
SWITCH = {"prev_comm": TEXT, "prev_tid": INT, "prev_prio": INT, "prev_state": INT,
          "next_comm": TEXT, "next_tid": INT, "next_prio": INT}
WAKEUP = {"comm": TEXT, "tid": INT, "prio": INT, "target_cpu": INT}
PAIR = {"cnt": INT, "vm_uid": INT}
# What the analyses read without asking whether it is there, and cast to Long or String.
HOST_FIELDS = {
    "sched_switch": SWITCH, "sched_wakeup": WAKEUP, "kvm_entry": {"vcpu_id": INT},
    "kvm_exit": {"exit_reason": INT}, "vmsync_gh_host": PAIR, "vmsync_hg_host": PAIR,
    "lttng_statedump_process_state": {"tid": INT, "pid": INT, "ppid": INT, "status": INT,
                                      "name": TEXT},
}
GUEST_FIELDS = {
    "sched_switch": SWITCH, "sched_wakeup": WAKEUP, "sched_waking": WAKEUP,
    "sched_process_fork": {"child_comm": TEXT, "parent_tid": INT, "child_tid": INT},
    "sched_process_exit": {"tid": INT}, "sched_process_free": {"tid": INT},
    "irq_handler_entry": {"irq": INT}, "irq_handler_exit": {"irq": INT},
    "softirq_entry": {"vec": INT}, "softirq_exit": {"vec": INT}, "softirq_raise": {"vec": INT},
    "exit_syscall": {"ret": INT}, "vmsync_gh_guest": PAIR, "vmsync_hg_guest": PAIR,
}
LINE = re.compile(r"^\[(\d+)\.(\d+)\] \(\S+\) (\S+) (\S+): \{ cpu_id = (\d+) \}, "
                  r"\{ (.*?) \}(?:, \{ (.*) \})?$")
FIELD = re.compile(r'(\w+) = (?:"((?:[^"\\]|\\.)*)"|(-?(?:0x[0-9A-Fa-f]+|\d+)))')
failures = Counter()


def fail(rule, what):
    failures[rule] += 1
    if failures[rule] <= 3:
        print(f"BROKEN {rule}: {what}")


def expect(truth, rule, what):
    if not truth:
        fail(rule, what)


def parse_fields(text):
    return {name: string if number == "" else int(number, 0)
            for name, string, number in FIELD.findall(text or "")}


class Trace:
    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)
        with open(os.path.join(path, "metadata"), encoding="utf-8") as file:
            self.metadata = file.read()
        self.env = dict(re.findall(r'^\t(\w+) = "?(.*?)"?;$',
                                   re.search(r"env \{(.*?)\};", self.metadata, re.S)[1], re.M))
        self.clocks = re.findall(r"^clock \{(.*?)^\};", self.metadata, re.S | re.M)
        self.types, self.ids = {}, []
        for body in re.findall(r"^event \{(.*?)^\};", self.metadata, re.S | re.M):
            name = re.search(r'name = "(.*?)";', body)[1]
            self.ids.append(int(re.search(r"\bid = (\d+);", body)[1]))
            self.types[name] = {}
            for kind, rest, field, array in re.findall(
                    r"^\t\t(\w+) \{(.*?)\} _(\w+)(\[\w+\])?;$", body, re.M):
                text = kind == "string" or (array and "encoding = UTF8" in rest)
                self.types[name][field] = TEXT if text else kind + (array or "")
        self.events, self.lost = [], False

    def clock(self, name):
        return re.search(name + r" = \"?(.*?)\"?;", self.clocks[0])[1]


def read_events(directory, traces):
    """All traces in one run, which tells them apart by their host's name."""
    by_name = {trace.env["hostname"]: trace for trace in traces}
    done = subprocess.run(["babeltrace2", "--clock-seconds", "--fields=trace:hostname", directory],
                          capture_output=True, text=True, errors="replace")
    expect(done.returncode == 0, "babeltrace2 reads it", done.stderr[-300:])
    for name, trace in by_name.items():
        trace.lost = "discarded" in done.stderr and f'in trace "{name}"' in done.stderr
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if not match or match[3] not in by_name:
            fail("babeltrace2's lines are understood", line)
            continue
        seconds, ns, trace, name, cpu, context, fields = match.groups()
        trace = by_name[trace]
        trace.events.append((int(seconds) * 10**9 + int(ns), trace, name, int(cpu),
                             parse_fields(context), fields))


def check_metadata(traces, host):
    for trace in traces:
        rule = "the trace's type and clock"
        # Else it is not taken for a kernel's, or its events are looked for by other names.
        expect(trace.env.get("domain") == "kernel", rule, f"{trace.name}: domain")
        expect(trace.env.get("tracer_name") not in (None, "lttng-modules", "perf"), rule,
               f"{trace.name}: tracer_name")
        # With a second clock, or none, it has no offset and no machine.
        expect(len(trace.clocks) == 1, rule, f"{trace.name}: clocks")
        expect(trace.clock("freq") == "1000000000", rule, f"{trace.name}: frequency")
        expect("synthetic_vmsync" in trace.env, rule, f"{trace.name}: what is synthetic")
        expect(sorted(trace.ids) == list(range(len(trace.ids))), rule, f"{trace.name}: ids")
        wanted = HOST_FIELDS if trace is host else GUEST_FIELDS
        for event, fields in trace.types.items():
            for field, kind in wanted.get(event, {}).items():
                expect(fields.get(field) == kind, "fields have the types demanded",
                       f"{trace.name}: {event}: {field} is {fields.get(field)}")
        for event in trace.types:
            alien = event.startswith(("kvm_", "lttng_")) or event in ("sys_enter", "sys_exit")
            expect(trace is host or not alien, "no guest's event is taken for another",
                   f"{trace.name}: {event}")
        context = re.search(r"event\.context := struct \{(.*?)\}\s*align", trace.metadata, re.S)[1]
        expect(" _tid;" in context and (trace is not host or " _pid;" in context), rule,
               f"{trace.name}: context")
    uuids = {trace.clock("uuid") for trace in traces}
    expect(len(uuids) == len(traces), "a machine for each trace", f"clock UUIDs {uuids}")


class Host:
    """Who is who and where, by the host's events alone."""

    def __init__(self, trace):
        self.trace = trace
        self.switches = defaultdict(lambda: ([], []))  # by CPU: times, next tids
        self.parents, self.processes, self.names = {}, {}, {}
        self.runs = defaultdict(list)  # by tid: [from, to]
        self.entries = Counter()
        last = {}
        inside = {}
        for ns, _, event, cpu, context, text in trace.events:
            fields = parse_fields(text)
            if event == "lttng_statedump_process_state":
                self.parents[fields["tid"]] = fields["ppid"]
                self.processes[fields["tid"]] = fields["pid"]
                self.names[fields["tid"]] = fields["name"]
            elif event == "sched_switch":
                self.switch(ns, cpu, last, fields)
            elif event in ("kvm_entry", "kvm_exit"):
                self.guest_mode(cpu, last, inside, event, context["tid"], fields)
            if event != "sched_switch" and cpu in last:
                expect(context["tid"] == last[cpu], "the context is who runs", f"{ns} {event}")
        for _, tids in self.switches.values():
            self.runs[tids[-1]][-1][1] = 1 << 63  # to the end

    def switch(self, ns, cpu, last, fields):
        prev, tid = fields["prev_tid"], fields["next_tid"]
        expect(prev == last.get(cpu, tid), "a switch comes from whom the last one went to",
               f"CPU {cpu}, {ns}: from {prev}, not {last.get(cpu)}")
        if tid:
            rule = "each thread is in the statedump, with its parent"
            expect(tid in self.parents, rule, f"{tid}")
            parent = self.parents.get(tid)
            expect(tid == 1 or (parent in self.parents and self.processes[tid] == parent), rule,
                   f"{tid}: parent {parent}")
        if prev and self.runs[prev]:
            self.runs[prev][-1][1] = ns
        last[cpu] = tid
        expect(tid < 2 or sum(on == tid for on in last.values()) == 1,
               "a vCPU runs on one CPU at a time", f"{tid} at {ns}")
        self.runs[tid].append([ns, None])
        self.switches[cpu][0].append(ns)
        self.switches[cpu][1].append(tid)

    def guest_mode(self, cpu, last, inside, event, tid, fields):
        expect(last.get(cpu) == tid and tid > 1, "a kvm event is of the thread on its CPU",
               f"{event} of {tid} on CPU {cpu}")
        entry = event == "kvm_entry"
        self.entries[tid] += entry
        if not self.trace.lost:
            expect(inside.get(tid, not entry) != entry, "entries and exits alternate",
                   f"{event} of {tid}")
        inside[tid] = entry
        if entry:
            expect(self.names[tid].endswith(f"/{fields['vcpu_id']}"), "a thread is one vCPU",
                   f"{tid} {self.names[tid]}: vcpu_id {fields['vcpu_id']}")

    def thread_on(self, cpu, ns):
        """What the state system answers: what holds when all events of that time are in."""
        times, tids = self.switches[cpu]
        at = bisect.bisect_right(times, ns)
        return tids[at - 1] if at else None


def check_pairs(traces):
    found = defaultdict(dict)
    for trace in traces:
        for event in trace.events:
            if event[2].startswith("vmsync_"):
                fields = parse_fields(event[5])
                key = (fields["vm_uid"], fields["cnt"])
                expect(event[2] not in found[key], "no pair has another's cnt", f"{key}")
                found[key][event[2]] = event
    pairs = Counter()
    for key, events in found.items():
        kinds = sorted(events)
        rule = "pairs match, causes before effects"
        if kinds == ["vmsync_gh_guest", "vmsync_gh_host"]:
            expect(events["vmsync_gh_guest"][0] < events["vmsync_gh_host"][0], rule, f"{key}")
        elif kinds == ["vmsync_hg_guest", "vmsync_hg_host"]:
            expect(events["vmsync_hg_host"][0] < events["vmsync_hg_guest"][0], rule, f"{key}")
        else:
            fail(rule, f"{key}: {kinds}")
        pairs[kinds[0][7:9]] += 1
    return pairs


def run_model(events, host):
    """QemuKvmVmModel: the machines, threads and vCPUs that it finds, and from when on the fused
    analysis knows all of them."""
    machines = {}  # by trace: role and uid
    children, thread_vm, thread_vcpu = set(), {}, {}
    all_roles_ns = None
    traces = {event[1] for event in events}
    for ns, trace, name, cpu, _, text in events:
        if name.startswith("kvm_"):
            machines.setdefault(trace, ("host", None))
        elif name in ("vmsync_gh_guest", "vmsync_hg_guest"):
            machines.setdefault(trace, ("guest", parse_fields(text)["vm_uid"]))
        if name == "vmsync_gh_host":
            tid = host.thread_on(cpu, ns)
            if tid is None or tid in thread_vm:
                continue
            uid = parse_fields(text)["vm_uid"]
            for guest in [t for t, role in machines.items() if role == ("guest", uid)]:
                if trace in machines:
                    children.add(guest)
                thread_vm[tid] = guest
                thread_vm[host.parents[tid]] = guest
        elif name == "kvm_entry":
            tid = host.thread_on(cpu, ns)
            vm = thread_vm.get(tid) or thread_vm.get(host.parents.get(tid))
            if vm:
                thread_vm[tid] = vm
                thread_vcpu.setdefault(tid, (vm.name, parse_fields(text)["vcpu_id"]))
        if all_roles_ns is None and len(children) + 1 == len(traces):
            all_roles_ns = ns
    return thread_vcpu, children, all_roles_ns


def check_model(traces, host):
    in_order = [sorted((event for trace in some for event in trace.events), key=lambda e: e[0])
                for some in (traces, traces[::-1])]
    results = [run_model(events, host) for events in in_order]
    expect(results[0] == results[1], "events of one time may come in any order", "")
    threads, children, all_roles_ns = results[0]
    begin, end = in_order[0][0][0], in_order[0][-1][0]
    for trace in traces:
        expect(trace is host.trace or trace in children, "each guest is known", trace.name)
    expect(all_roles_ns is not None, "all roles are found", "")
    vcpus = list(threads.values())
    expect(len(vcpus) == len(set(vcpus)), "no vCPU is two threads", f"{vcpus}")
    for tid, (guest, vcpu) in sorted(threads.items()):
        expect(host.names[tid] == f"{guest}/{vcpu}", "the model says what the host's trace says",
               f"{tid} {host.names[tid]}: {guest}/{vcpu}")
        print(f"model: thread {tid} is vCPU {vcpu} of {guest}: "
              f"{host.entries[tid]} entries, {len(host.runs[tid])} times on a CPU")
    if all_roles_ns is not None:
        print(f"model: all {len(traces)} machines are known {(all_roles_ns - begin) / 1e9:.3f} s "
              f"after the first event, of {(end - begin) / 1e9:.3f} s")
    return threads


def check_inside(traces, host, threads, slack):
    """A guest's event lies in a time in which its vCPU's thread is on a CPU."""
    tid_of = {vcpu: tid for tid, vcpu in threads.items()}
    checked = outside = 0
    worst = 0
    for trace in traces:
        limit = int(trace.clock("precision")) if slack is None else slack
        starts = {}
        for ns, _, name, cpu, _, _ in trace.events:
            tid = tid_of.get((trace.name, cpu))
            if trace is host.trace or tid is None:
                continue
            if tid not in starts:
                starts[tid] = [run[0] for run in host.runs[tid]]
            if ns < starts[tid][0] - limit:
                continue  # before the host's first record of it
            at = bisect.bisect_right(starts[tid], ns) - 1
            off = min([abs(ns - edge) for run in host.runs[tid][max(at, 0):at + 2] for edge in run]
                      + [0 if at >= 0 and ns <= host.runs[tid][at][1] else 10**18])
            if at >= 0 and ns <= host.runs[tid][at][1]:
                off = 0
            checked += 1
            outside += off > 0
            worst = max(worst, off)
            expect(off <= limit, "a guest's events are when its vCPU runs",
                   f"{trace.name} {name} {ns}: off by {off} ns")
    print(f"inside: {checked} events of guests while their vCPU's thread runs, {outside} not, "
          f"by {worst} ns at most")


def main():
    directory = sys.argv[1]
    slack = int(sys.argv[3]) if len(sys.argv) == 4 and sys.argv[2] == "--slack" else None
    traces = [Trace(os.path.join(directory, name)) for name in sorted(os.listdir(directory))]
    host = [trace for trace in traces if "kvm_entry" in trace.types]
    if len(host) != 1:
        sys.exit(f"{directory}: {len(host)} hosts")
    check_metadata(traces, host[0])
    read_events(directory, traces)
    seen = Host(host[0])
    pairs = check_pairs(traces)
    threads = check_model(traces, seen)
    check_inside(traces, seen, threads, slack)
    print(f"events: {sum(len(trace.events) for trace in traces)} in {len(traces)} traces; "
          f"pairs: {pairs['gh']} gh, {pairs['hg']} hg")
    for rule, count in failures.items():
        print(f"BROKEN {rule}: {count} times")
    sys.exit(1 if failures else 0)


main()
