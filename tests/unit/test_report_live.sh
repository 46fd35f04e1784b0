#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata report --live` follows recordings of applications: on a terminal, as text and as JSON; until they end, their recorder
# dies, the reader of the output is gone, or a signal arrives. test_live_reports.c checks that its figures equal those of the
# finished recording. Speaks TAP; run by tests/run.sh.
# shellcheck disable=SC2016 # jq expands what is in single quotes
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/follower.sh
. tests/unit/follower.sh
# Each run of the program with one number is a request.
request=(--request "run=numbered,nothing")

# report NAME OPTIONS...: starts to follow that recording.
report() {
	local of=$1
	shift
	"$strata" report --live requests "${request[@]}" "$@" "$work/$of" >"$work/$of.reports" 2>"$work/$of.says" &
	follower=$!
}

has_reports() { [ "$(wc -l <"$1")" -ge "$2" ]; }
maps_table() { grep -qs "/.live" "/proc/$follower/maps"; }

# One window for all: what is in it is what there is afterwards.
whole() {
	begin whole --app "$app" --switch-timer 50 || return 1
	report whole --json --from 0 --window 60m
	await maps_table || return 1
	run_programs 20 1
	end_recorder
	follower_status || { cat "$work/whole.says"; return 1; }
	"$strata" report requests --json "${request[@]}" "$work/whole" >"$work/whole.after"
	cat "$work/whole.reports"
	[ "$(wc -l <"$work/whole.reports")" = 1 ] &&
		jq -e '.is_last and .late_events == 0 and ([.requests[].count] | add) == 20' "$work/whole.reports" &&
		cmp <(jq -S '[.requests[] | {of, what, count}] | sort, .facts.events' "$work/whole.reports") \
			<(jq -S '[.requests[] | {of, what, count}] | sort, .facts.events' "$work/whole.after")
}
check "one report on all that was recorded while it was followed is the report on it afterwards" or_end_all whole

# Windows that overlap.
ranges_follow() { jq -es 'length > 3 and ([range(1; length) as $i | .[$i].from_ns - .[$i - 1].from_ns - 200000000 | fabs < 1000] | all) and
	([.[] | .is_last] | index(true)) == length - 1' "$1"; }
windows() {
	begin windows --app "$app" --switch-timer 20 || return 1
	"$program" crowd 1 "$work/last" &
	running=$!
	report windows --json --from 0 --window 1 --every 200ms
	await has_reports "$work/windows.reports" 6 || return 1
	end_running
	end_recorder
	follower_status || { cat "$work/windows.says"; return 1; }
	ranges_follow "$work/windows.reports" || { cut -c 1-200 "$work/windows.reports"; return 1; }
}
check "reports come at equal times, and the last one says so" or_end_all windows

# For people, from now on: what ended long ago is not in it.
begin later --app "$app" --switch-timer 20
"$program" crowd 1 "$work/last" &
running=$!
report later --window 300ms --every 100ms
check "text follows" await has_reports "$work/later.reports" 20
check "each with its range" test 3 -le "$(grep -cE '^[0-9:.]{12} to [0-9:.]{12} of .*later$' "$work/later.reports")"
check "and where nothing is to report, with what it comes from" grep -q 'requests: .*record --app' "$work/later.reports"
kill -INT "$follower"
status=0
follower_status || status=$?
check "a signal ends it" test "$status" = 0
no_message() { [ ! -s "$work/later.says" ] || { cat "$work/later.says"; return 1; }; }
check "without a word" no_message
check "so does the end of who reads" timeout "$limit_s" bash -c "'$strata' report --live requests --window 100ms '$work/later' | head -n 1"
check "on a terminal it is drawn in place, and Ctrl-C leaves the last one there" python3 tests/unit/report_screen.py \
	"$strata" report --live all "${request[@]}" --window 300ms --every 100ms "$work/later"
report later --json --window 100ms
await has_reports "$work/later.reports" 1
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
status=0
follower_status || status=$?
check "when the recorder dies, it ends" test "$status" = 3
check "and says what to do" grep -q "the recorder died; .strata recover $work/later" "$work/later.says"
end_running

# The command line.
live() { "$strata" report --live "$@"; }
check "nobody records into it: refused" refused 'no recorder writes to it' live requests "$work/whole"
check "--live wants one recording" refused 'follows one recording' live requests "$work/whole" "$work/windows"
check "from now on, or from its beginning" refused 'from now on or --from 0' live --from +1 requests "$work/whole"
check "without an end" refused 'from now on or --from 0' live --to +1 requests "$work/whole"
check "no CSV" refused 'writes text or --json' live --csv requests "$work/whole"
check "--window is a time" refused '[-]-window is a time' live --window soon requests "$work/whole"
check "--every is not longer than that" refused '[-]-every is not longer' live --window 1 --every 2 requests "$work/whole"
check "and not much shorter" refused 'not shorter than 1/64' live --window 100 --every 1 requests "$work/whole"
check "both are for --live" refused 'are for --live' "$strata" report --window 2 requests "$work/whole"
check "rules for TCP are not" refused 'cannot be combined with --live' live --tcp-map x requests "$work/whole"
finish
