#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Triggers: what is counted has a snapshot of a flight recorder taken, or the recording of a session divided.  On a machine without
# Xen, of applications.  It needs a /run of its own: tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
export LD_LIBRARY_PATH=$PWD/out/lib
running="" trigger="" others=()
# shellcheck disable=SC2317,SC2086 # the trap calls it; these may be no word
end_all() {
	kill -KILL $running $trigger "${others[@]}" 2>/dev/null
	for session in flight pieces late; do
		"$strata" destroy "$session" 2>/dev/null
	done
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# watch OPTIONS...: a trigger in the background, which counts when this returns.
watch() {
	# What an earlier one wrote there must not be taken for its words.
	rm -f "$work/out" "$work/err"
	"$strata" trigger "$@" >"$work/out" 2>"$work/err" &
	trigger=$!
	await grep -qs 'counting in channel' "$work/err"
}
# ends: waits for the end of the trigger.  $status: its status.
ends() {
	status=0
	await has_ended "$trigger"
	wait "$trigger" || status=$?
	trigger=""
}
snapshots() { find "$work/flight" -maxdepth 1 -name 'snapshot-*' | wc -l; }
parts() { find "$work/pieces" -maxdepth 1 -name 'recording-*' | wc -l; }

"$strata" create --snapshot --output "$work/flight" flight 2>/dev/null
"$strata" enable-event --app all all 2>/dev/null
"$strata" start 2>/dev/null
watch --app all:plain --max 1 count
"$program" numbered 0
sleep 0.5
check "as long as nothing happens, nothing is done" is "$(snapshots) $(cat "$work/out")" "0 "
forever
ends
check "when it happens, it acts and ends" is "$status" 0
stop_program
check "what happened is said" has "$(cat "$work/out")" " plain"
check "and what was done" has "$(cat "$work/out")" "are in $(find "$work/flight" -maxdepth 1 -name 'snapshot-*')"
check "the snapshot has what happened" test "$(plain_numbers "$work/flight" | wc -l)" -gt 0

rm -r "$work"/flight/snapshot-*
forever
watch --app all --above 1us --max 1 --json time:plain..plain
ends
check "a time that is too long" is "$status" 0
check "is said in JSON" jq -e '.failed == false and (.seen | test("[0-9]+ times? of .* or more from plain to plain, the longest so far"))' "$work/out"
check "with a snapshot" is "$(snapshots)" 1
check "none is as long as that" "$strata" trigger --app all --above 10m --duration 1s --session flight time:plain..plain
check "so nothing is done" is "$(snapshots)" 1
watch --app all:plain --pause 10m --interval 50ms count
await test -s "$work/out"
# Some looks more.
sleep 0.5
kill -INT "$trigger"
ends
check "after an action it pauses" is "$status" 0
check "so there is one more" is "$(snapshots)" 2
watch --app all:plain --count 1000000000 --duration 1s count
ends
check "too few are no reason" is "$status" 0
check "so there is none more" is "$(snapshots)" 2

"$strata" create --output "$work/pieces" pieces 2>/dev/null
"$strata" enable-event --app all plain 2>/dev/null
"$strata" start 2>/dev/null
watch --app all:plain --max 1 --rotate count
ends
check "a recording is divided" is "$status" 0
check "into two parts" is "$(parts)" 2
watch --app all:plain --max 1 count
ends
check "an action that fails is the status" is "$status" 3
check "and it is said why" has "$(cat "$work/out")" "events are already written to disk"
watch --app all:plain --max 1 --session nosuch count
ends
check "so is a session that is not there" is "$status" 3
check "which is named" has "$(cat "$work/out")" "there is no session nosuch"
# What refuses it may be over in a moment.
"$strata" create --snapshot --output "$work/late" late 2>/dev/null
"$strata" enable-event --session late --app all all 2>/dev/null
watch --app all:plain --max 1 --session late count
await grep -q 'it is tried again' "$work/err"
"$strata" start late 2>/dev/null
ends
check "an action that is refused for a moment is done later" is "$status $(find "$work/late" -maxdepth 1 -name 'snapshot-*' | wc -l)" "0 1"
"$strata" destroy late 2>/dev/null
rm -r "$work"/flight/snapshot-*
watch --app all:plain --pause 10ms --interval 50ms --session flight --keep-free 99 count
await grep -q 'keep-free is' "$work/out"
kill -INT "$trigger"
ends
check "a disk that is not free enough is the status" is "$status" 3
check "and is said" has "$(cat "$work/out")" "of the disk of $work/flight are free, and --keep-free is 99 %"
check "there is the first snapshot only" is "$(snapshots)" 1
watch --app all:plain --max 2 --pause 10ms --interval 50ms --session flight --keep-free 0 count
ends
check "or there are all, also within a second" is "$status $(snapshots)" "0 3"
stop_program

# Two users: the one causes the condition without end, the other later.
mkdir "$work/reachable"
cp "$program" "$PWD"/out/lib/libstrata.so* "$work/reachable/"
chmod 1777 "$work/reachable"
chmod 711 "$work"
# writes_as USER: a program of that user's that writes for ever.
writes_as() {
	LD_LIBRARY_PATH=$work/reachable setpriv --reuid "$1" --regid "$1" --clear-groups -- "$work/reachable/program" forever 0 "$work/reachable/last-$1" &
	others+=($!)
}
# of_user USER: how often the condition of that user was printed.
of_user() { grep -c "(user $1)" "$work/out"; }
# first_of USER
first_of() { [ "$(of_user "$1")" -gt 0 ]; }
rm -r "$work"/flight/snapshot-*
watch --app program:plain --pause 10m --interval 50ms --session flight count
writes_as 61001
await first_of 61001
writes_as 61002
await first_of 61002
# Some looks more.
sleep 0.5
kill -INT "$trigger"
ends
check "each user's condition has an action, and then a pause of its own" is "$(of_user 61001) $(of_user 61002)" "1 1"
check "so there are two snapshots" is "$(snapshots)" 2
rm -r "$work"/flight/snapshot-*
watch --app program:plain --pause 10m --interval 2s --session flight count
await first_of 61002
kill -INT "$trigger"
ends
check "a look at which both meet the condition names both" is "$(of_user 61001) $(of_user 61002)" "1 1"
check "and takes one snapshot" is "$(snapshots)" 1
# of_user_is USER NUMBER
of_user_is() { [ "$(of_user "$1")" -ge "$2" ]; }
watch --app program:plain --pause 10ms --interval 50ms --session flight --max-each 2 count
await of_user_is 61001 2
await of_user_is 61002 2
sleep 0.5
kill -INT "$trigger"
ends
check "--max-each limits the actions for each user" is "$(of_user 61001) $(of_user 61002)" "2 2"
kill -KILL "${others[@]}"
wait "${others[@]}" 2>/dev/null

for wrong in "count --above 1ms" "time:a..b" "--count 0 count" "--above 5 --max x time:a..b" "--keep-free 100 count" "--keep-free x count" "--max-each 0 count" "" "count count" "--above 1h time:a..b"; do
	# shellcheck disable=SC2086 # words
	check "\"$wrong\" is refused" refused "strata trigger --help" "$strata" trigger --app all $wrong
done
finish
