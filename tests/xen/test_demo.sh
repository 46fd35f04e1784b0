#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The main use case, as in `make demo`, and the files that it must produce. Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/demo

summary() {
	jq -c 'del(.streams)' "$OUT/summary.json"
	jq -e "$1" "$OUT/summary.json" >/dev/null
}

events_agree() {
	local lines events
	lines=$(babeltrace2 "$OUT/ctf" | wc -l)
	events=$(jq .events "$OUT/summary.json")
	echo "babeltrace2 shows $lines events, summary.json says $events"
	[ "$lines" = "$events" ]
}

# violations SOURCE TICKS: how many there are when that source's clock is shifted.
violations() {
	out/bin/strata merge --check --json "$OUT/raw" --shift "$1=$2" 2>/dev/null |
		jq '.clock.violations + .clock.guest_mode.violations'
}

# The checks must hold while a clock is shifted by the smallest slack, and one fail for the source that
# has it when it is shifted by one tick more.  $1: before or after; $2: the sign of the shift.
slack_is_sharp() {
	local slack source failing=0
	slack=$(jq -e "[.clock.slack_$1_ticks, .clock.guest_mode.slack_$1_ticks] | map(values) | min" \
		"$OUT/summary.json") || return 1
	for source in dom0 g1 g2; do
		[ "$(violations "$source" "$2$slack")" = 0 ] || return 1
		[ "$(violations "$source" "$2$((slack + 1))")" = 0 ] || failing=$((failing + 1))
	done
	echo "$failing sources fail with $2$((slack + 1)) ticks"
	[ "$failing" -ge 1 ]
}

# In the text: the service answers, Xen wakes g1, runs g2 meanwhile, switches to g1, and the event channel's handler wakes the
# task that asked.
timeline_tells_the_story() {
	awk '
		/ app .* request_end / { answered = 1; woken = behind = switched = handled = waking = 0 }
		answered && /runstate_blocked_to_runnable +of_vcpu=0 of_domain=[0-9]+\(g1\)/ { woken = 1 }
		woken && / g2\/0 / { behind = 1 }
		behind && /runstate_runnable_to_running +of_vcpu=0 of_domain=[0-9]+\(g1\)/ { switched = 1 }
		switched && / g1\/0 .*irq_handler_entry .*"evtchn:ask"/ { handled = 1 }
		handled && / g1\/0 .*sched_waking .*"ask"/ { waking = 1 }
		waking && / g1\/0 .*sched_switch .*next_comm="ask"/ { found++; answered = woken = behind = switched = handled = waking = 0 }
		END { print found + 0, "times"; exit !found }' "$OUT/timeline.txt"
}

# What the demo says at its end: all requests are there, half of them while g2 was paused, and those were faster by half of the
# time or more, or nearly so; g1's vCPU waited behind g2.
answer_has_the_numbers() {
	awk '
		{ print }
		/^  beside g2, which computes / { nr += $5; slow = $6 + 0 }
		/^  while g2 was paused / { nr += $5; fast = $6 + 0 }
		match($0, /[0-9.]+ % of it behind g2/) { behind = substr($0, RSTART) }
		/^Losses: +0 of / { complete = 1 }
		END { exit !(nr == 1000 && fast > 0 && fast < slow * 0.75 && behind + 0 >= 90 && complete) }' "$OUT/answer.txt"
}

# Of the time of the longest requests beside g2, no other domain is to blame for more than g2.
g2_is_blamed() {
	out/bin/strata why --request ask=probe_evtchn_ioctl,return_evtchn_write,tid --worst 50 --json "$OUT/raw" >"$OUT/why.json" || return 1
	jq -c '.findings' "$OUT/why.json"
	jq -e '.findings | map(select(.by == "g2" or .by == "dom0" or .by == "xen")) | max_by(.ns) | .by == "g2"' "$OUT/why.json"
}

# Between the beginning and the end of a request, dom0's kernel saw the same thread open, read and close a file. Requests that come
# after the last call that was recorded do not count: that kernel stops first.
requests_have_their_calls() {
	awk '
		/ app .* request_begin / { match($0, /tid=[0-9]+/); tid = substr($0, RSTART + 4, RLENGTH - 4); calls = ""; open = 1; next }
		/ dom0\/0 +sys_enter / { all += ended; whole += complete; ended = complete = 0 }
		open && / dom0\/0 +sys_enter / && index($0, "[ tid=" tid " ]") { match($0, / id=[0-9]+/); calls = calls substr($0, RSTART + 4, RLENGTH - 4) " " }
		/ app .* request_end / && open { ended++; complete += calls == "257 0 3 "; last = calls; open = 0 }
		END { print whole + 0, "of", all + 0, "requests; the last one:", last; exit !(all > 100 && whole == all) }' "$OUT/timeline.txt"
}

every_raw_trace_opens() {
	local trace
	for trace in "$OUT"/raw/*/metadata; do
		opens "$(dirname "$trace")" || return 1
	done
}

recording_is_safe() {
	local before status=0
	before=$(sha256sum <"$OUT/raw/xen/cpu_0")
	out/bin/strata merge "$OUT/raw" -o "$OUT/raw/xen/cpu_0" --format text || status=$?
	[ "$status" = 1 ] && [ "$before" = "$(sha256sum <"$OUT/raw/xen/cpu_0")" ]
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the demo runs" "$here/demo.sh" --out "$OUT"
leave_lab
# Its directory is on 9p, which shares no mappings.
can_be_followed() { ! grep -a 'cannot follow this recording' "$OUT"/*.log; }
check "the recording could be followed while it was made" can_be_followed
check "it recorded for 5 s or more" summary '.duration_ns >= 5000000000'
check "nothing was lost" summary '.lost == 0'
check "there were 10,000 checks of the order or more" summary '.clock.checks >= 10000'
check "and no violation" summary '.clock.violations == 0'
check "g1, a PVH guest, was checked against VM entries and exits, too" summary \
	'.clock.guest_mode.checks >= 1000 and .clock.guest_mode.violations == 0'
check "the bound is stated, and the measured skew is in it" summary \
	'.clock.unmeasured_pcpus == 0 and .clock.skew_ns > 0 and .clock.bound_ns >= .clock.skew_ns'
check "g1's counter has an offset, g2's is the host's, and both are exact to a tick" summary \
	'[.streams[] | select(.source == "g1" or .source == "g2") | [.source, .clock, .bound_ns]] | sort == [["g1", "offset", 1], ["g2", "host", 1]]'
check "the application of dom0 is in it, on the host's clock" summary \
	'[.streams[] | select(.layer == "app" and .events > 0) | .source, .clock] == ["app-server", "host"]'
check "each of its events lies where Xen ran its vCPU of dom0" summary \
	'.clock.applications.checks >= 200 and .clock.applications.violations == 0 and .clock.applications.bound_ns > 5000'
check "its requests enclose the system calls that they made" requests_have_their_calls
reports_agree() {
	out/bin/strata view --json "$OUT/raw" >"$OUT/view.json" && out/bin/strata report all --json "$OUT/raw" >"$OUT/report.json" &&
		python3 tests/unit/report_peer.py "$OUT/view.json" "$OUT/report.json"
	local status=$?
	rm -f "$OUT/view.json"
	return $status
}
check "all reports have the figures of a second evaluation" reports_agree
check "Xen, dom0, g1, g2 and the application are all in it" summary \
	'[.streams[] | select(.events > 0) | .source] | unique == ["app-server", "dom0", "g1", "g2", "xen"]'
check "babeltrace2 opens the timeline without a warning" opens "$OUT/ctf"
check "and shows as many events" events_agree
check "babeltrace2 opens every recorded trace" every_raw_trace_opens
check "shifted by the slack at a start it holds, by a tick more it fails" slack_is_sharp before -
check "shifted by the slack at an end it holds, by a tick more it fails" slack_is_sharp after +
check "the text shows answer, wake, wait behind g2, switch, handler and task" timeline_tells_the_story
check "the answer counts all requests, and what g2 cost them" answer_has_the_numbers
check "why blames g2" g2_is_blamed
picture_is_there() {
	grep -q '<html' "$OUT/timeline.html" && [ "$(wc -c <"$OUT/timeline.html")" -lt 20000000 ]
}
check "the timeline for a browser is there, in less than 20 MB" picture_is_there
check "a merge does not write over what it reads" recording_is_safe

# What the clocks would be without the maps that Xen recorded.
clocks_by_pairs() {
	out/bin/strata merge --check "$OUT/raw" >"$OUT/check.txt" || return 1
	awk '/^Pairs:/ { clocks++; if (!match($0, /[0-9]+ of [0-9]+ events$/)) bad = 1; split(substr($0, RSTART), n, " ")
		if (n[1] != n[3] || n[1] == 0) bad = 1 }
		END { exit bad || clocks < 3 }' "$OUT/check.txt"
}
check "causes and effects alone bound each clock, and the exact one is within at every event" clocks_by_pairs
finish
