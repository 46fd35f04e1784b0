#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# Several recorders recorded the same kernels, with selections and modes of their own; some were killed. Checks that each has exactly
# its events. Sourced by check_scripts of tests/tap.sh.

same() {
	"$here/same_events.py" "$OUT/$1" "$OUT/$2" "$3"
}

# consists RECORDING SOURCE NAME...: the events of that source have these names, and no others.
consists() {
	local dir=$OUT/$1/$2
	shift 2
	diff <(printf '%s\n' "$@" | sort) <(babeltrace2 "$dir" | sed -E 's/^\[[^]]*\] \([^)]*\) ([^ ]+ )?([a-z_]+): .*/\2/' | sort -u)
}

# calls RECORDING PHASE: how many marked calls of that phase g1 made.
calls() {
	babeltrace2 "$OUT/$1/g1" | grep -cE "sys_enter: .*\\[0\\] = 0x5354, \\[1\\] = 0x52415441, \\[2\\] = $(printf '0x%X' "$2")[, ]"
}

has_calls() {
	local found
	found=$(calls "$1" "$2")
	echo "$found of $3"
	[ "$found" = "$3" ]
}

for source in g1 dom0; do
	for round in 1 2 3; do
		check "$source, round $round: two recorders of the same events have the same" same "one-$round" "other-$round" $source
		check "$source, round $round: and so has one that stays" same "one-$round" witness $source
	done
	check "$source: one that is killed costs the one that stays nothing" same witness victim $source
done
check "nor does the one that takes its number" same witness next dom0
check "each has what it selects of a guest" consists one-1 g1 sched_switch
check "and no more" consists other-1 g1 sched_switch sched_wakeup
check "and of dom0" consists one-1 dom0 sched_switch sched_wakeup
check "also if there are three" consists witness g1 sched_switch sched_wakeup sys_enter
check "and one is a flight recorder" consists snapshot g1 sys_enter
check "a filter is of one recorder" has_calls filtered 1 0
for phase in 1 2 3; do
	check "the one that stays has all marked calls of phase $phase" has_calls witness $phase 100
done
check "a snapshot has those until then" has_calls snapshot 1 100
check "the flight recorder that was taken over has those that nobody waited for" has_calls again 3 100
for name in witness one-1 next; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
done
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
