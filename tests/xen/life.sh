#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks one long recording in which guests make marked calls, phase by phase: sourced by tests of a host, after tap.sh. The
# recording is $OUT/life.
# shellcheck disable=SC2154 # OUT is the test's

# phase NUMBER SOURCE: all of its 100 marked calls are in the timeline, told of the source of that name, which begins with its
# domain's and may have a number behind it (of a module that was loaded anew), and of the domain, which is named by its first
# source.
phase() {
	local found
	found=$(grep -cE "[ /]$2(-[0-9]+)* +kernel .* ${2%%-*}(-[0-9]+)*/[0-9]+ +sys_enter .*args=\\[0x5354,0x52415441,$(printf '0x%x' "$1")," \
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

# What holds of each of them, however it went.
check_life() {
	check "the recording merges, no violation" merge
	check "babeltrace2 opens it without a warning" opens "$OUT/merged/ctf"
	check "no kernel complained" bash -c \
		"! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg' '$OUT'/guest-g?.log"
	check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
}
