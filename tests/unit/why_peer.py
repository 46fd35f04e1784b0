#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""why_peer.py VIEW WHY - a second evaluation of what `strata why --json` says of where the time of each instance went, from
what `strata view --json` shows of the same traces.  It cuts each instance at all moments at which anything changes, and asks for
each piece who had the CPU then, from lists of states over the whole time (host_peer.py).

Parts of each tree must be its whole, to the nanosecond, findings too; and the parts below the root must be the second
evaluation's.  What a blocked task waits for in the end is not evaluated here.

It prints each difference and ends with 1, or a line with what it compared."""
import bisect
import json
import sys
from collections import defaultdict

from host_peer import host_of
from peer_comparison import Comparison
from peer_states import BLOCKED, ENDED, OFFLINE, RUNS, UNKNOWN, WAITS, XEN


class Lane:
    """Spans (from, to, what); of interrupts, of which one lies in the other, the innermost counts."""

    def __init__(self, spans):
        self.spans = sorted(spans, key=lambda s: (s[0], -s[1]))
        self.begins = [s[0] for s in self.spans]
        # The end of the latest one up to each: no earlier one reaches beyond that.
        self.reach = []
        for _, stop, _ in self.spans:
            self.reach.append(max(stop, self.reach[-1] if self.reach else 0))

    def cuts(self, start, end):
        at = bisect.bisect_left(self.begins, end) - 1
        while at >= 0 and self.reach[at] > start:
            yield from self.spans[at][:2]
            at -= 1

    def at(self, now):
        at = bisect.bisect_right(self.begins, now) - 1
        while at >= 0 and self.reach[at] > now:
            if self.spans[at][1] > now:
                return self.spans[at][2]
            at -= 1
        return None


class World:
    def __init__(self, host):
        self.host = host
        self.lanes = {}
        self.irqs = defaultdict(list)
        for (report, source, name), spans in host.spans.items():
            for begin, stop, _, _, cpu in spans if report == "irqs" else ():
                if stop > begin:
                    self.irqs[source, cpu, name.startswith("softirq")].append((begin, stop, name))

    def lane(self, key, make):
        if key not in self.lanes:
            self.lanes[key] = Lane(make())
        return self.lanes[key]

    def task(self, kernel, task):
        return self.lane(("task", kernel.source, task.tid), lambda: task.states.spans(task.states.times[0], self.host.last))

    def irq(self, kernel, cpu, is_soft):
        return self.lane(("irq", kernel.source, cpu, is_soft), lambda: self.irqs[kernel.source, cpu, is_soft])

    def cpu(self, kernel, cpu):
        return self.lane(("cpu", kernel.source, cpu), lambda: [
            (begin, stop, task) for task in kernel.tasks.values()
            for begin, stop, (state, where) in task.states.spans(task.states.times[0], self.host.last)
            if state == RUNS and where == cpu])

    def vcpu(self, key):
        vcpu = self.host.vcpus.get(key)
        return self.lane(("vcpu", key), lambda: vcpu.fine.spans(vcpu.fine.times[0], self.host.last) if vcpu else [])

    def behind(self, key):
        """Who ran on the physical CPU that the vCPU gets in the end."""
        return self.lane(("behind", key), lambda: self.find_behind(key))

    def find_behind(self, key):
        vcpu = self.host.vcpus[key]
        spans = []
        for begin, stop, state in vcpu.sched.spans(vcpu.sched.times[0], self.host.last):
            if state != WAITS:
                continue
            for stretches in self.host.pcpus.values():
                if any(s[0] == stop and s[2] == key for s in stretches):
                    spans += [(max(begin, s[0]), min(stop, s[1]), s[2]) for s in stretches
                              if s[1] is not None and max(begin, s[0]) < min(stop, s[1])]
        return spans

    def piece(self, kernel, task, now):
        """What a moment is part of: causes of the tree, the coarsest first."""
        state, cpu = self.task(kernel, task).at(now) or (UNKNOWN, None)
        if state in (BLOCKED, UNKNOWN, ENDED):
            return (BLOCKED if state == BLOCKED else UNKNOWN,)
        key = (kernel.machine, kernel.domain, cpu)
        where = RUNS if kernel.domain is None else self.vcpu(key).at(now) or UNKNOWN
        if where == WAITS:
            other = self.behind(key).at(now)
            return ("waits", self.host.vcpu_name(other) if other else None)
        if where in (BLOCKED, OFFLINE, UNKNOWN):
            return ({BLOCKED: "asleep", OFFLINE: "paused", UNKNOWN: UNKNOWN}[where],)
        for is_soft in (False, True):
            name = self.irq(kernel, cpu, is_soft).at(now)
            if name:
                return ("softirq" if is_soft else "irq", name)
        if state == RUNS:
            return ("xen" if where == XEN else "ran",)
        other = self.cpu(kernel, cpu).at(now)
        return ("queued", other.tid if other else None)

    def parts(self, kernel, task, start, end):
        cuts = {start, end}
        cpus = {state[1] for _, _, state in task.states.spans(start, end)}
        lanes = [self.task(kernel, task)]
        for cpu in cpus - {None}:
            lanes += [self.irq(kernel, cpu, False), self.irq(kernel, cpu, True), self.cpu(kernel, cpu)]
            if kernel.domain is not None and (kernel.machine, kernel.domain, cpu) in self.host.vcpus:
                lanes += [self.vcpu((kernel.machine, kernel.domain, cpu)), self.behind((kernel.machine, kernel.domain, cpu))]
        for lane in lanes:
            cuts.update(cut for cut in lane.cuts(start, end) if start < cut < end)
        cuts = sorted(cuts)
        parts = defaultdict(int)
        for begin, stop in zip(cuts, cuts[1:]):
            parts[self.piece(kernel, task, begin)] += stop - begin
        return parts


def tree_parts(tree):
    """The same of a tree."""
    parts = defaultdict(int)
    for node in tree.get("parts", []):
        cause, name = node["cause"], node.get("name")
        below = node.get("parts", [])
        if cause in ("vcpu_preempted", "vcpu_wakes"):
            for other in below:
                parts["waits", other["name"].split(" on pCPU ")[0] if "name" in other else None] += other["ns"]
        elif cause == "queued":
            for other in below:
                tid = {"behind_task": lambda n: int(n["name"].rsplit("-", 1)[1]), "switching": lambda n: 0}.get(
                    other["cause"], lambda n: None)(other)
                parts["queued", tid] += other["ns"]
        elif cause in ("irq", "softirq"):
            parts[cause, name] += node["ns"]
        else:
            parts[{"vcpu_asleep": "asleep", "vcpu_halted": "asleep", "vcpu_paused": "paused", "spins": "ran"}.get(cause, cause),] += node["ns"]
    return parts


def is_sorted(values):
    return values == sorted(values, reverse=True)


def is_true(check, what, given):
    check.same(what, int(given), 1)


def check_tree(check, label, node):
    """Parts are the whole, the largest first; bounds are none or not beyond what makes sense."""
    below = node.get("parts")
    if not below:
        return
    check.same(label + ", sum of " + node["cause"], sum(part["ns"] for part in below), node["ns"])
    is_true(check, label + ", order of " + node["cause"], is_sorted([part["ns"] for part in below]))
    for part in below:
        is_true(check, label + ", " + part["cause"] + " is something", part["ns"] > 0 and part["times"] > 0)
        check_tree(check, label, part)


def check_instance(check, world, one):
    label = "%s %s of %s at %d" % (one.get("name", ""), one.get("key", ""), one["source"], one["from_ns"])
    tree, whole = one["tree"], one["to_ns"] - one["from_ns"]
    check.same(label + ", length", one["ns"], whole)
    if whole == 0:
        return
    check.same(label + ", whole", tree["ns"], whole)
    check_tree(check, label, tree)
    check.same(label + ", findings", sum(finding["ns"] for finding in one["findings"]) + one["others_ns"], whole)
    is_true(check, label + ", finding", one["finding"] == one["findings"][0] and is_sorted([f["ns"] for f in one["findings"]]))
    if "kernel" not in one:
        is_true(check, label + ", without a task", tree_parts(tree) == {(UNKNOWN,): whole})
        return
    kernel = world.host.kernels[one["kernel"]]
    task = kernel.tasks.get(one["tid"])
    want = world.parts(kernel, task, one["from_ns"], one["to_ns"]) if task else {(UNKNOWN,): whole}
    got = tree_parts(tree)
    # Of more causes than are told apart the rest is one.
    others = got.pop(("others",), None)
    if others is not None:
        check.same(label + ", others", others, sum(ns for part, ns in want.items() if part not in got))
        want = {part: ns for part, ns in want.items() if part in got}
    for part in sorted(set(got) | set(want), key=str):
        check.same(label + ", " + " ".join(map(str, part)), got.get(part, 0), want.get(part, 0))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        host = host_of([json.loads(line) for line in file])
    with open(sys.argv[2], encoding="utf-8") as file:
        why = json.load(file)
    check, world = Comparison(), World(host)
    for one in why["instances"] + ([why["typical"]] if why["typical"] else []):
        check_instance(check, world, one)
    check.same("sum of the worst", why["tree"]["ns"] if why["tree"] else 0, sum(one["ns"] for one in why["instances"]))
    if why["tree"]:
        check_tree(check, "together", why["tree"])
    lengths = [one["ns"] for one in why["instances"]]
    is_true(check, "the longest first", is_sorted(lengths))
    if why["all"]["count"] == len(lengths):
        # All of them are explained: what the state counted of them is what their trees say.
        check.same("all", why["all"]["ns"], sum(lengths))
        check.same("the median", why["typical"]["ns"], sorted(lengths)[(len(lengths) - 1) // 2])
    if check.differences:
        print("%d differences in %d figures" % (check.differences, check.figures))
        sys.exit(1)
    print("%d instances, %d figures are the same" % (len(lengths), check.figures))


if __name__ == "__main__":
    main()
