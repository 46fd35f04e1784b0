#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# Uprobes recorded the calls of a program in a guest and in dom0. Compares them with what the program passes and returns. Sourced by
# check_scripts of tests/tap.sh.

# has_events RECORDING EVENT: it has the event of each call.
has_events() {
	local found
	found=$(babeltrace2 "$OUT/$1" | grep -c " $2: ")
	echo "$found events"
	[ "$found" = 100 ]
}

check "each call in a guest is recorded as it was" "$here/uprobes.py" "$OUT/guest/g1" g1 "$OUT/guest-g1.log" 1
check "so is each in dom0" "$here/uprobes.py" "$OUT/dom0/dom0" dom0 "$OUT/probed-dom0-1" 1
check "a session has the events of its uprobes" has_events session again
check "and of its uretprobes" has_events session back
check "uprobes: merges, no violation" out/bin/strata merge "$OUT/guest" -o "$OUT/merged"
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount|segfault' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
