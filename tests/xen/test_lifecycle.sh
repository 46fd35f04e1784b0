#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which guests and CPUs come and go while one recording runs,
# and checks that each phase of it is in the recording.  Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/lifecycle

# phase NUMBER NAME: all of its 100 marked calls are in the timeline, told of the domain of that name.
phase() {
	local found
	found=$(grep -cE "[ 0-9]$2/[0-9]+ +sys_enter .*args=\\[0x5354,0x52415441,$(printf '0x%x' "$1")," \
		"$OUT/merged/timeline.txt")
	echo "$found of 100"
	[ "$found" = 100 ]
}

# went SOURCE REASON: recording.json says why the source ended.
went() {
	jq -e --arg name "$1" --arg why "$2" \
		'.sources[] | select(.name == $name) | .ended == $why and .went_ticks > .came_ticks' \
		"$OUT/life/recording.json"
}

# The merge names each source that came late or went early.
report_names() {
	grep -E "^ +$1 .*$2" "$OUT/merge.log"
}

merge() {
	merged_cleanly "$OUT/life" "$OUT/merged" >"$OUT/merge.log" 2>&1 || {
		cat "$OUT/merge.log"
		return 1
	}
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/lifecycle.lab" "$OUT" --limit 400
check "the recording merges, no violation" merge
check "babeltrace2 opens it without a warning" opens "$OUT/merged/ctf"
check "what a guest did at first" phase 1 g1
check "a guest that appeared" phase 2 g2
check "after its module was loaded anew" phase 3 g1
check "on a vCPU that goes" phase 4 g1
check "while it is gone" phase 5 g1
check "on the vCPU that came again" phase 6 g1
check "after a pause" phase 7 g2
check "while a physical CPU is gone" phase 8 g1
check "after it came again" phase 9 g1
check "in a restored guest" phase 10 'g2-[0-9]+'
check "in a rebooted guest" phase 11 'g1-[2-9][0-9]*'
check "the unloaded module's end is recorded" went g1 "module unloaded"
check "the saved guest's, too" went g2 "domain suspended"
check "the rebooted guest's, too" went g1-1 "domain rebooted"
check "and dom0's" went dom0 "module unloaded"
check "the merge says who went" report_names g2 "went at .*: domain suspended"
check "and who came" report_names g1-1 "came at"
check "no kernel complained" bash -c \
	"! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg' '$OUT'/guest-g?.log"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
