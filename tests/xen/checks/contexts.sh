#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# Checks the contexts that the kernels of dom0 and of a guest wrote into each record, beside a recorder without contexts: against
# the events' own fields, against a program that knows its stack, and against the kernel's symbols. Sourced by
# check_scripts of tests/tap.sh.

# fields_of RECORDING: the fields of its events' context, on one line.
fields_of() {
	babeltrace2 "$OUT/$1" | sed -n 's/.* sched_switch: { [^}]*}, { \(tid = [^}]*\) }, {.*/\1/p' |
		sed -E 's/ = \[ (\[[0-9]+\] = [0-9A-Fx]+,? )*\]//g; s/ = [^,]*//g' | sort -u
}

has_fields() {
	local found
	found=$(fields_of "$1")
	echo "$found"
	[ "$found" = "$2" ]
}

# has_calls RECORDING PHASE: it has the marked calls of a phase.
has_calls() {
	local found
	found=$(babeltrace2 "$OUT/$1" | grep -c " sys_enter: .* id = 140, .*0x52415441, \\[2\\] = 0x$2[, ]")
	echo "$found calls"
	[ "$found" = 100 ]
}

check "a guest's contexts are right" "$here/contexts.py" "$OUT/contexts/g1" g1 "$OUT/kallsyms" "$OUT/guest-g1.log" 1
check "so are dom0's" "$here/contexts.py" "$OUT/contexts/dom0" dom0 "$OUT/kallsyms" "$OUT/stacked-dom0-1" 1
check "contexts change no event" "$here/same_events.py" "$OUT/witness" "$OUT/contexts" g1
check "of several options the contexts are united" has_fields few "tid, pid, prio"
check "and have all calls" has_calls few 2
check "the next recording has none" has_fields none "tid"
check "and all calls" has_calls none 3
check "a flight recorder's contexts outlive it" has_fields taken "tid, pid, perf_cpu_page_faults, callstack_kernel_cut, _callstack_kernel_length, callstack_kernel"
check "with its calls" has_calls taken 5
check "and those after its death" has_calls taken 6
check "a session's kernels have its contexts" has_calls session 4
check "counters count" "$here/counters.py" "$OUT/counters" g1
check "contexts: merges, no violation" out/bin/strata merge "$OUT/contexts" -o "$OUT/merged"
check "a merge keeps the contexts" "$here/contexts.py" "$OUT/merged" g1 "$OUT/kallsyms" "$OUT/guest-g1.log" 1
# compass_has_calls: the form for Trace Compass, which has no contexts, has the guest's marked calls.
compass_has_calls() {
	out/bin/strata convert --format trace-compass -o "$OUT/compass" "$OUT/contexts" || return
	[ "$(babeltrace2 "$OUT/compass/g1" | grep -cE ' sys_getpriority: .*0x52415441, \[2\] = 0x1[, ]')" = 100 ]
}
check "the form for Trace Compass leaves contexts out" compass_has_calls
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
