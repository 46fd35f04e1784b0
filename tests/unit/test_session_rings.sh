#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two sessions with rings of their own keep a rare event apart from a frequent one: the frequent event overflows its small rings,
# and the rare one is complete.  Their recordings in one directory are one timeline.  It needs a /run of its own: tests/run.sh
# gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
mkdir "$work/both"
# A tree that was copied has programs that were linked in another one (tests/mutants).
export LD_LIBRARY_PATH=$PWD/out/lib
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	for session in frequent rare; do
		"$strata" destroy "$session" 2>/dev/null
	done
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# record NAME BUFFER EVENTS: a session with rings of that size records them of the program, beneath the directory of both.
record() {
	"$strata" create --output "$work/both/$1" "$1" && "$strata" enable-channel --session "$1" --app --buffer "$2" &&
		"$strata" enable-event --session "$1" --app program "$3" && "$strata" start "$1"
}

# figure SESSION MEMBER: of its status.
figure() { "$strata" status --json "$1" | jq ".sessions[0].status.$2"; }
has_ended_source() { [ "$(figure "$1" 'sources | map(select(.ended)) | length')" -gt 0 ]; }
# timeline: the names of the events of both, in order.
timeline() { "$strata" view "$work/both" 2>/dev/null | sed -nE 's/.* (numbered|nothing|plain) +\[ comm=.*/\1/p'; }
# shown EVENT: how often the timeline has it.
shown() { timeline | grep -c "$1" || true; }

check "a channel by name is refused, and the way to more rings is named" refused "\"big\": .*create another session" \
	"$strata" enable-channel --app big --buffer 4Kx2
check "a session with small rings records a frequent event" record frequent 4Kx2 numbered 2>/dev/null
check "another one with large rings records a rare event" record rare 64Kx16 nothing 2>/dev/null
# The rare event is the last one, when the small rings are full.
"$program" numbered 200000
await has_ended_source frequent
await has_ended_source rare
events=$(figure frequent events) lost=$(figure frequent lost)
check "the frequent event overflows its rings" test "$lost" -gt 0
check "each of them is recorded or counted as lost" is $((events + lost)) 200000
check "the rare one is complete" is "$(figure rare events) $(figure rare lost)" "1 0"
"$strata" stop frequent 2>/dev/null
"$strata" stop rare 2>/dev/null
check "one timeline has both" is "$(shown numbered) $(shown nothing)" "$events 1"
check "in the order in which they happened" is "$(timeline | tail -1)" nothing

# An event that both select is in both.
"$strata" enable-event --session frequent --app program plain 2>/dev/null
"$strata" enable-event --session rare --app program plain 2>/dev/null
"$strata" start frequent 2>/dev/null
"$strata" start rare 2>/dev/null
"$program" fork 10
"$strata" stop frequent 2>/dev/null
"$strata" stop rare 2>/dev/null
check "an event that both sessions select is recorded in each" is "$(shown plain)" 40
finish
