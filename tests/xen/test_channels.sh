#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which a flight recorder stays while other recorders come and go, are killed, and are too many, and checks that
# none loses an event that another has. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/channels

same() {
	"$here/same_events.py" "$OUT/$1" "$OUT/$2" xen
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/channels.lab" "$OUT"
for round in 1 2 3; do
	check "round $round: two recorders of the same events have the same" same "first-$round" "second-$round"
	check "round $round: and so has one of all events, which ends later" same "second-$round" "all-$round"
done
check "a recorder that is killed costs the other one nothing" same witness victim
check "nor does the one that comes next" same witness next
for name in snapshot again first-1 second-2 all-3 witness; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
done
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
