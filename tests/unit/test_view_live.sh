#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Follows a recording in progress (`strata view --live`) of applications, without Xen; the events
# shown equal those of the finished recording. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/follower.sh
. tests/unit/follower.sh

# follow NAME OPTIONS...: starts to follow that recording.
follow() {
	local of=$1
	shift
	"$strata" view --live "$@" "$work/$of" >"$work/$of.shown" 2>"$work/$of.says" &
	follower=$!
}

has_lines() { [ "$(grep -c "$2" "$1")" -ge "$3" ]; }

# What is not the same when the recorder measures the clock's frequency better at its end.
without_times() { sed -E 's/"(ns|time)":"[^"]*",//g; s/"bound_ns":[0-9]*,//; s/"unordered":[a-z]*,//' "$1"; }

# The events of each stream, in their order: of events of two CPUs at one time, the other may come first then.
# Losses come with the event behind them, which may be another one live.
by_stream() {
	without_times "$1" | grep -v '^{"discarded"' | sed -E 's/"late":true,//; s/.*("source":"[^"]*").*("cpu":[0-9]+).*/\1 \2 &/' | sort -s -k 1,2
}

times_do_not_go_back() { grep -vE '"late":true|^{"discarded"' "$1" | sed -E 's/.*"ns":"([0-9]*)".*/\1/' | sort -n -c; }

# whole NAME MODE: programs come, write and go; all that they wrote is shown before the recording ends, in order of time but for what
# came late, and it is what is there afterwards.
whole() {
	export STRATA_APP_MODE=$2
	begin "$1" --app "$app" --switch-timer 50 || return 1
	follow "$1" --json --from 0
	"$program" numbered 500
	"$program" crowd 3 "$work/last" &
	running=$!
	await has_lines "$work/$1.shown" '"crowded"' 5000 || return 1
	"$program" numbered 500
	end_running
	await has_lines "$work/$1.shown" '"numbered"' 1000 || return 1
	end_recorder
	follower_status || { cat "$work/$1.says"; return 1; }
	cat "$work/$1.says"
	"$strata" view --json "$work/$1" >"$work/$1.after" 2>/dev/null
	times_do_not_go_back "$work/$1.shown" && cmp <(by_stream "$work/$1.shown") <(by_stream "$work/$1.after")
}
check "single-store: all is shown live, and is what is there afterwards" or_end_all whole single single-store
check "reserve-commit: likewise" or_end_all whole reserve reserve-commit
unset STRATA_APP_MODE
check "nothing is left of what told how far it was" test ! -e "$work/single/.live"

# Programs that come and go: all that they wrote is shown, and their files are not kept open.
begin many --app "$app" --switch-timer 50
follow many --json --from 0
run_programs 25 20
check "what 25 programs wrote is shown, of each" await has_lines "$work/many.shown" '"numbered"' 500
open_files() { find "/proc/$follower/fd" -lname "$work/many/*/cpu_*" | wc -l; }
# When another comes it looks again at who is there.
few_are_open() {
	"$program" numbered 1
	[ "$(open_files)" -le $(($(find "$work/many" -name 'cpu_*' | wc -l) / 2)) ]
}
check "files of those that are gone are closed" await few_are_open
end_recorder
status=0
follower_status || status=$?
check "and nothing was amiss" test "$status" = 0

# Some that live for a moment, one after the other without a pause, do not hold up what is shown: at each look one has just begun,
# another has ended, and of some there is no more than their files.
shown_meanwhile() {
	local ended
	begin crowded --app "$app" --switch-timer 50 || return 1
	follow crowded --json --from 0
	await grep -qs "/.live" "/proc/$follower/maps" || return 1
	for ((ended = 0; ended < 400; ended++)); do
		! has_lines "$work/crowded.shown" '"numbered"' 20 || break
		"$program" numbered 1
	done
	echo "20 of them are shown when $ended have ended"
	end_recorder
	follower_status || { cat "$work/crowded.says"; return 1; }
	cat "$work/crowded.says"
	[ "$ended" -lt 400 ] && has_lines "$work/crowded.shown" '"numbered"' "$ended"
}
check "programs that come and go are shown while others do" or_end_all shown_meanwhile

# From now on, not from its beginning: what the first program wrote is not shown.
begin later --app "$app" --switch-timer 50
"$program" numbered 100
on_disk() { [ "$(cat "$work"/later/app-*/cpu_* 2>/dev/null | wc -c)" != 0 ]; }
await on_disk
follow later --json
"$program" crowd 1 "$work/last" &
running=$!
check "what comes is shown" await has_lines "$work/later.shown" '"crowded"' 100
check "what was there before is not" test 0 = "$(grep -c '"numbered"' "$work/later.shown")"

# The recorder is killed: who follows says so.
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
status=0
follower_status || status=$?
check "when the recorder dies, following ends" test "$status" = 3
check "and says what to do" grep -q "the recorder died; .strata recover $work/later" "$work/later.says"
end_running
check "nobody records into it: refused" refused 'no recorder writes to it' "$strata" view --live "$work/single"
begin flying --app "$app" --overwrite
check "a flight recorder cannot be followed: refused" refused 'flight recorder' "$strata" view --live "$work/flying"
end_recorder

# What nothing tells any more, and where nothing can be written.
truncated() {
	begin cut --app "$app" --switch-timer 50 || return 1
	follow cut --json
	await grep -qs "$work/cut/.live" "/proc/$follower/maps" || return 1
	truncate -s 0 "$work/cut/.live"
	local status=0
	follower_status || status=$?
	cat "$work/cut.says"
	[ "$status" = 1 ] && grep -q 'removed, replaced or truncated' "$work/cut.says" || return 1
	"$program" numbered 100
	end_recorder && "$strata" view --json "$work/cut" | has_lines - '"numbered"' 100
}
check "when what is followed is cut off, that is said, and the recorder goes on" or_end_all truncated
# begun_anew HOW NAME: a signal ends the recorder, and another one records into the same directory before that is seen.
begun_anew() {
	begin "$2" --app "$app" --switch-timer 50 || return 1
	"$program" numbered 100
	follow "$2" --json --from 0
	await has_lines "$work/$2.shown" '"numbered"' 100 || return 1
	kill -STOP "$follower"
	kill "-$1" "$recorder"
	wait "$recorder" 2>/dev/null
	begin "$2" --force --app "$app" --switch-timer 50 || return 1
	"$program" numbered 200
	kill -CONT "$follower"
	local status=0
	follower_status || status=$?
	cat "$work/$2.says"
	end_recorder
	[ "$status" = 1 ] && grep -q 'another' "$work/$2.says" && test 100 = "$(grep -c '"numbered"' "$work/$2.shown")"
}
check "another recording that begins there is not taken for the one that ended" or_end_all begun_anew INT anew
check "nor for one that died" or_end_all begun_anew KILL again
begin full --app "$app" --switch-timer 50
"$program" numbered 100
check "a full disk is a failure" refused 'the disk is full' timeout "$limit_s" "$strata" view --live --from 0 -o /dev/full "$work/full"
check "it ends when its reader has gone, even if no event comes" timeout "$limit_s" bash -c "'$strata' view --live '$work/full' | true"
end_recorder

# Columns for people, ended by somebody who has seen enough, and by a signal.
begin columns --app "$app" --switch-timer 50
"$program" crowd 1 "$work/last" &
running=$!
check "who reads no more ends it" timeout "$limit_s" bash -c "'$strata' view --live '$work/columns' --event crow\* | grep --line-buffered -v '^#' | head -n 20 >'$work/head'"
check "with whole lines, below the heading" test 20 = "$(grep -c 'crowded .*number=' "$work/head")"
follow columns
await has_lines "$work/columns.shown" crowded 10
kill -INT "$follower"
status=0
follower_status || status=$?
check "so does a signal" test "$status" = 0
check "and what was shown is summed up" grep -qE '[0-9]+ events; 0 came late, 0 were lost' "$work/columns.says"
end_running
end_recorder
# On a file system that shares no memory the recorder keeps the table in memory of its own.
unmapped() {
	gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC tests/unit/app/refuse_mapping.c -o "$work/refuse.so" -ldl || return 1
	mkdir "$work/unmapped"
	export LD_PRELOAD=$work/refuse.so REFUSE_MAPPING=$work/unmapped
	begin unmapped --app "$app" --switch-timer 50
	unset LD_PRELOAD REFUSE_MAPPING
	follow unmapped --json --from 0
	"$program" numbered 200
	await has_lines "$work/unmapped.shown" '"numbered"' 200 || return 1
	"$strata" view --live "$work/unmapped" >/dev/null 2>"$work/second" &
	local second=$!
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	recorder=""
	local status=0
	follower_status || status=$?
	wait "$second"
	[ "$status" = 3 ] && refused 'no longer runs on this machine' "$strata" view --live "$work/unmapped"
}
check "where no memory is shared with files, a recording is followed, too" or_end_all unmapped
check "--live wants one recording" refused 'follows one recording' "$strata" view --live "$work/single" "$work/columns"
check "--delay wants a time" refused 'needs a time' "$strata" view --live --delay soon "$work/single"
head -c 100 /dev/zero >"$work/single/.live"
check "what is no such table is refused" refused 'not a live table of this version' "$strata" view --live "$work/single"
finish
