#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The main job, as `make demo` does it, and what it must leave.  Speaks TAP; run
# by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/demo

summary() {
	jq -e "$1" "$OUT/summary.json" >/dev/null || jq -c 'del(.streams)' "$OUT/summary.json" >&2
	jq -e "$1" "$OUT/summary.json" >/dev/null
}

events_agree() {
	local lines events
	lines=$(babeltrace2 "$OUT/ctf" | wc -l)
	events=$(jq .events "$OUT/summary.json")
	echo "babeltrace2 shows $lines events, summary.json says $events"
	[ "$lines" = "$events" ]
}

# Shifts g1's clock by the smallest slack and one tick: the check must fail then.
shift_fails() {
	local ticks status=0
	ticks=$(jq -e ".clock.$1" "$OUT/summary.json") || return 1
	out/bin/strata merge "$OUT/raw" -o "$OUT/shifted" --shift "$(slackest "$1")=$2$((ticks + 1))" ||
		status=$?
	echo "status $status"
	jq -e '.clock.violations > 0' "$OUT/shifted/summary.json"
}

every_raw_trace_opens() {
	local trace
	for trace in "$OUT"/raw/*/metadata; do
		opens "$(dirname "$trace")" || return 1
	done
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the demo runs" "$here/demo.sh" --out "$OUT"
check "it recorded for 10 s or more" summary '.duration_ns >= 10000000000'
check "nothing was lost" summary '.lost == 0'
check "there were 10,000 checks of the order or more" summary '.clock.checks >= 10000'
check "and no violation" summary '.clock.violations == 0'
check "the bound is stated" summary '.clock.bound_ns > 0'
check "Xen, dom0, g1 and g2 are all in it" summary \
	'[.streams[] | select(.events > 0) | .domain_name] | unique == ["Domain-0", "g1", "g2", "xen"]'
check "babeltrace2 opens the timeline without a warning" opens "$OUT/ctf"
check "and shows as many events" events_agree
check "babeltrace2 opens every recorded trace" every_raw_trace_opens
finish
