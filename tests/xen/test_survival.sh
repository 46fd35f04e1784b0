#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which recorders are killed, disks are full and guests are paused, and checks the
# events recorded meanwhile. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/survival

# Recording $1 has events of source $2.
has_events_of() {
	jq -e --arg name "$2" '[.streams[] | select(.source == $name) | .events] | add > 0' \
		"$OUT/$1-merged/summary.json"
}

# What a full disk cost is counted, and named by the packets that came later.
losses_are_named() {
	jq -e '.lost > 0' "$OUT/$1-merged/summary.json"
}

# Recording $1 lost nothing of Xen.
nothing_of_xen_is_lost() {
	jq -e '[.streams[] | select(.source == "xen") | .lost] | length == 2 and add == 0' "$OUT/$1-merged/summary.json"
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/survival.lab" "$OUT"
for name in after paused during unpaused room full hung unhung storm; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
	check "$name: it has Xen's events" has_events_of "$name" xen
done
for name in after paused during unpaused hung unhung storm; do
	check "$name: it has g1's events" has_events_of "$name" g1
done
check "what was ready before the pause is there" has_events_of during g2
check "a guest that was paused is recorded again" has_events_of unpaused g2
check "what a full disk costs is in the timeline" losses_are_named room
check "nothing of Xen is lost while xenstored hangs" nothing_of_xen_is_lost hung
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
