# SPDX-License-Identifier: GPL-2.0-or-later
"""peer_hypervisor.py - the hypervisor's part of a second evaluation of what happened on a host (host_peer.py)."""
import re

from peer_states import RUNS, RUNSTATES, UNKNOWN, WAITS, Vcpu, field

REMEMBERED = 256  # stretches of a pCPU that `behind` goes back


class Hypervisor:
    """What Xen's events tell of vCPUs, physical CPUs, grants and event channels; Host has the attributes."""

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
