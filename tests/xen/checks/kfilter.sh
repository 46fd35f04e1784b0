#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# One recorder had a guest's kernel filter events by their fields, and another one of the same events did not. Checks that the one has
# exactly those of the other's events that its filters let pass. Sourced by check_scripts of tests/tap.sh.

# passes EVENT CONDITION LEAST: the filtered recording has the events of that name for which the condition in Python is true, of those
# that the witness has, and at least LEAST of them.
passes() {
	local compared
	compared=$("$here/same_events.py" "$OUT/witness" "$OUT/filtered" g1 "$1" "$2") || {
		echo "$compared"
		return 1
	}
	echo "$compared compared"
	[ "$compared" -ge "$3" ]
}

# calls RECORDING EVENT PATTERN: how many events of that name of g1 match.
calls() {
	babeltrace2 "$OUT/$1/g1" | grep -E " $2: " | grep -cE "$3"
}

# has_calls RECORDING EVENT PATTERN NUMBER
has_calls() {
	local found
	found=$(calls "$1" "$2" "$3")
	echo "$found of $4"
	[ "$found" = "$4" ]
}

for phase in 1 2 3; do
	check "the witness has all calls of phase $phase" has_calls witness sys_enter "0x52415441, \\[2\\] = 0x${phase}[, ]" 100
done
check "the filter let no call of phase 1 pass" has_calls filtered sys_enter '0x52415441, \[2\] = 0x1[, ]' 0
check "but all of phase 2" has_calls filtered sys_enter '0x52415441, \[2\] = 0x2[, ]' 100
check "and of phase 3, after it was replaced" has_calls filtered sys_enter '0x52415441, \[2\] = 0x3[, ]' 100
check "and no other system call" has_calls filtered sys_enter . 200
check "a probe's arguments are filtered" has_calls filtered call . 100
check "by their values" has_calls filtered call 'phase = 2 ' 100
check "numbers and text of a switch decide" passes sched_switch 'prev_prio < 120 or next_comm == "marked"' 1
check "text of any length" passes irq_handler_entry 'not name.startswith("timer")' 1
check "one field against another" passes xen_evtchn_upcall 'port < irq and port != 1' 1
check "an event without a filter is whole" passes sched_waking True 50
check "filtered: merges, no violation" out/bin/strata merge "$OUT/filtered" -o "$OUT/filtered-merged"
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
