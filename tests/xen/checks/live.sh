#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# Two guests were almost idle. Checks that with a switch timer their events reached the disk during the recording, that the timer woke
# none of their CPUs, that `strata view --live` showed these events, and that `strata report --live` had the figures of the finished
# recording. Sourced by check_scripts of tests/tap.sh.

strata=$PWD/out/bin/strata
# What scripts/live.sh reports on.
KINDS=steal,schedule,wakeups

# marks DIR: the marked calls in a trace that may be unfinished.
marks() {
	babeltrace2 "$1" 2>/dev/null | grep -c 'sys_enter.*0x5354.*0x52415441'
}

# has NUMBER DIR: it has that many marked calls, and no packet without a record.
has() {
	local nr packets=0 records
	nr=$(marks "$2")
	records=$(babeltrace2 "$2" 2>/dev/null | wc -l)
	packets=$(($(cat "$2"/cpu_* | wc -c) / 65536))
	echo "$nr marked calls of $records, in $packets packets"
	[ "$nr" = "$1" ] && [ "$packets" -le "$records" ]
}

# shown NUMBER FILE: it has that many marked calls of a guest, as objects of JSON.
shown() {
	local nr
	nr=$(jq -r "select(.source == \"$3\" and .event == \"sys_enter\") | .fields | tostring" "$2" 2>/dev/null |
		grep -c "$((0x5354)).*$((0x52415441))")
	echo "$nr marked calls of $3 in $2"
	[ "$nr" = "$1" ]
}

# How well the CPUs' counters agree is known better in the end; with the bounds, the order of two events may become unknown.  Live, a loss comes with the event behind it.
without_bounds() {
	grep -v '^{"discarded"' "$1" | sed -E 's/,"late":true//; s/"bound_ns":[0-9]*,//; s/"unordered":(true|false),//'
}

# Where the guests' events ran is told live, too.
has_pcpus() {
	local nr
	nr=$(jq -r 'select(.layer == "kernel" and .pcpu != null) | .source' "$OUT/followed.json" | sort | uniq -c)
	echo "$nr"
	[ "$(wc -l <<<"$nr")" = 2 ]
}

# Followed from the beginning, a recording is what it is when it has ended, but that what was late came later.
followed_is_the_same() {
	local sort='cat'
	"$strata" view --json "$OUT/followed" >"$OUT/followed-after.json" 2>"$OUT/followed-after.log" || return 1
	tail -n 2 "$OUT/followed.log"
	! grep -q '"late":true' "$OUT/followed.json" || sort='sort'
	diff <(without_bounds "$OUT/followed.json" | $sort) <(without_bounds "$OUT/followed-after.json" | $sort) | head -n 5
	[ "${PIPESTATUS[0]}" = 0 ]
}

# seconds LINE KEY: that time of a live report, with all of its digits: jq would round it.
seconds() {
	local ns
	ns=$(grep -oE "\"$2\":[0-9]+" <<<"$1")
	ns=${ns#*:}
	echo "${ns%?????????}.${ns: -9}"
}

# same_report LINE: the report on the same range of the finished recording has the same figures. Bounds become known better.
same_report() {
	local plain='walk(if type == "object" then del(.bound_ns) else . end) |
		del(.from_ns, .to_ns, .is_last, .late_events, .discarded_events, .ended_sources)'
	"$strata" report "$KINDS" --json --from "$(seconds "$1" from_ns)" --to "$(seconds "$1" to_ns)" "$OUT/reported" \
		>"$OUT/reported-after.json" && diff <(jq -S "$plain" <<<"$1") <(jq -S "$plain" "$OUT/reported-after.json")
}

# The first four reports: each source has later events, so that its states are known in them. An event that comes late is in none of
# them, and the states that follow from it are not known live.
reports_are_the_same() {
	local line compared=0
	while IFS= read -r line; do
		jq -e '.late_events == 0' <<<"$line" >/dev/null || break
		jq -e 'all(.vcpus, .pcpus, .tasks, .wakeups; length > 0)' <<<"$line" || return 1
		same_report "$line" || return 1
		compared=$((compared + 1))
	done < <(head -n 4 "$OUT/reported.json")
	echo "$compared reports compared"
	[ "$compared" -ge 2 ]
}

# wakes PERIOD GUEST: how often it woke in 6 s.
wakes() {
	grep -cE " runstate_blocked_to_runnable .*of_domain=[0-9]+\($2\)" "$OUT/idle-$1-merged/timeline.txt"
}

# A timer that does not let CPUs sleep would wake one 600 times in that time; they wake now and then for something else.
sleeps_as_well() {
	local without with
	without=$(wakes 0 "$1")
	with=$(wakes 10 "$1")
	echo "$1 wakes $without times without a switch timer, $with times with one"
	[ "$without" -ge 1 ] && [ "$with" -le $((without + 200)) ]
}

# Xen's timers on the guests' physical CPU, most of them the guests' own; one each period would make them 600 more.
timers() {
	columns "$OUT/idle-$1-merged/timeline.txt" 'layer == "xen" && pcpu == 1 && event == "xen_timer_expire"' | wc -l
}

xen_sleeps_as_well() {
	local without with
	without=$(timers 0)
	with=$(timers 10)
	echo "$without timers of Xen expire without a switch timer, $with with one"
	[ "$without" -ge 1 ] && [ "$with" -le $((without + 250)) ]
}

for guest in g1 g2; do
	check "before its end a live recording has what $guest did" has 20 "$OUT/live-before/$guest"
	check "and then, too" has 20 "$OUT/live/$guest"
	check "without a switch timer it has not" has 0 "$OUT/late-before/$guest"
	check "but in the end" has 20 "$OUT/late/$guest"
done
for guest in g1 g2; do
	check "followed live, what $guest did was shown before the recording ended" shown 20 "$OUT/followed-before.json" $guest
done
check "all that was recorded was shown live, in the same order" followed_is_the_same
check "with the physical CPU of the guests' events" has_pcpus
check "and at the end it says who checks the order" grep -q 'the order was not checked; .strata merge --check' "$OUT/followed.log"
check "and nothing was amiss" test 0 = "$(cat "$OUT/followed.status")"
check "reports on windows of a recording that goes on equal those on the finished recording" reports_are_the_same
check "and nothing was amiss" test 0 = "$(cat "$OUT/reported.status")"
for period in 0 10; do
	check "the sleepers merge, no violation (period $period)" merged_cleanly "$OUT/idle-$period" "$OUT/idle-$period-merged"
done
for guest in g1 g2; do
	check "a switch timer does not wake $guest" sleeps_as_well $guest
done
check "nor does one in Xen wake their physical CPU" xen_sleeps_as_well
check "no kernel complained" bash -c "! grep -E 'BUG|WARNING|Oops|refcount|Call Trace' '$OUT/dom0-dmesg' $OUT/guest-g?.log"
