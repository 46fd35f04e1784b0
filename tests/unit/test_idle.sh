#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder whose programs write nothing sleeps, and misses nothing.  It needs a /run of its own: tests/run.sh gives it one.
# Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
running="" lingering=""
# shellcheck disable=SC2317,SC2086 # the trap calls it; these may be no word
end_all() {
	kill -KILL $running $lingering $recorder 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# How often the recorder's threads have gone to sleep.
sleeps() { cat "/proc/$recorder/task/"*/status | awk '/^voluntary/ { sum += $2 } END { print sum }'; }
# Awake it does so 50 times a second.
is_idle() {
	local before
	before=$(sleeps)
	sleep 2
	[ "$before" -gt 0 ] && [ $(($(sleeps) - before)) -le 10 ]
}
has_slept() { [ "$(sleeps)" -gt "$1" ]; }
linger() {
	rm -f "$work/$1"
	"$program" linger "$2" "$work/$1" &
	lingering+=" $!"
	await test -e "$work/$1"
}
end_recorder() {
	kill -INT "$recorder"
	await has_ended "$recorder"
	wait "$recorder"
}
count() { babeltrace2 "$work/$1" 2>/dev/null | grep -c " $2: " || true; }

begin idle --app all
check "without programs it sleeps" await is_idle
linger first 100
check "it sleeps when a program has written its events" await is_idle
linger second 5000
check "it wakes for another program, and sleeps again" await is_idle
check "it answers a command" "$strata" select --app all
check "it sleeps after that" await is_idle
"$program" late-fork 3000 "$work/late" &
late=$!
await test -e "$work/late.1"
check "it sleeps while a program waits" await is_idle
touch "$work/late.2"
wait "$late"
check "a child without the program's threads leaves sub-buffers meanwhile" is "$?" 0
before=$(sleeps)
check "it looks at its rings now and then" await has_slept $((before + 2))
end_recorder
check "it ends when it is told to" is "$?" 0
check "all events are recorded" is "$(count idle plain)" 11100

begin flight --app all --overwrite
forever
check "it sleeps while a program writes into its memory" await is_idle
"$strata" snapshot --output "$work/snapshot" >"$work/said" 2>&1
check "a snapshot wakes it" has "$(cat "$work/said")" "events"
check "and has the program's last events" test "$(count snapshot plain)" -gt 100
check "a snapshot's reply as JSON" reply ".status == 0 and .output == \"$work/replied\" and (.message | test(\"events\"))" snapshot --json --output "$work/replied"
check "a snapshot that fails: the reply says why" reply '.status == 1 and (.message | test("already|exists")) and (has("output") | not)' snapshot --json --output "$work/replied"
check "a selection's reply as JSON" reply '.status == 0 and (.message | test("--app all"))' select --json --app all
check "it sleeps on" await is_idle
end_recorder
stop_program

begin timed --app all --duration 3
check "it sleeps, and ends by itself" await has_ended "$recorder"
wait "$recorder"
check "in good order" is "$?" 0
finish
