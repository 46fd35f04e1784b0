#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings in pieces: by time, by size, on request, with the oldest removed; what a session has recorded is cleared; and pieces,
# and other recordings of one boot, are one timeline.  It needs a /run of its own: tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
running=""
# shellcheck disable=SC2317,SC2086 # the trap calls it; these may be no word
end_all() {
	kill -KILL $running $recorder 2>/dev/null
	for session in pieces flight; do
		"$strata" destroy "$session" 2>/dev/null
	done
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# pieces DIR: how many recordings it has; list: their names, the oldest first.
list() { find "$1" -mindepth 1 -maxdepth 1 -name 'recording-*' -printf "%f\n" 2>/dev/null | sort -V; }
pieces() { list "$1" | wc -l; }
has_pieces() { [ "$(pieces "$1")" -ge "$2" ]; }

# without_gap RUN: of plain_run(), from its first number on nothing is missing.
without_gap() { [[ $1 =~ ^[0-9]+\ [0-9]+$ ]] || { echo "$1"; return 1; }; }

each_is_whole() {
	local piece
	for piece in $(list "$1"); do
		"$strata" stat "$1/$piece" >/dev/null && [ "$(jq 'has("ended_ticks")' "$1/$piece/recording.json")" = true ] || return 1
	done
}

# By time, and by size, in the foreground.
for how in "--rotate-time 1s" "--rotate-size 64K --switch-timer 10"; do
	dir=$work/${how:2:11}
	forever
	# shellcheck disable=SC2086 # words
	"$strata" record --output "$dir" --app all $how 2>"$work/log" &
	recorder=$!
	check "$how: it is divided" await has_pieces "$dir" 4
	kill -INT "$recorder"
	status=0
	wait "$recorder" || status=$?
	recorder=""
	check "$how: it succeeds" is "$status" 0
	stop_program
	check "$how: nothing is missing between the pieces" without_gap "$(plain_run "$dir")"
	check "$how: the report names the last piece" has "$(cat "$work/log")" "recordings, the last one $dir/$(list "$dir" | tail -1), 0 lost"
	check "$how: each is a recording of its own" each_is_whole "$dir"
done
mkdir -m 755 "$work/open"
"$strata" create --output "$work/open" opened 2>/dev/null
"$strata" enable-event --session opened --app all plain 2>/dev/null
check "who starts a session in a directory that others may open is told" has "$("$strata" start opened 2>&1)" "strata: $work/open: other users may open it"
"$strata" destroy opened 2>/dev/null
check "they are of one machine" is "$("$strata" stat "$dir" 2>&1 | grep -c 'Machines\|cannot be tied')" 0

# The oldest are removed, unless another directory has their name now.
forever
"$strata" record --output "$work/few" --app all --rotate-time 2s --keep 2 2>"$work/log" &
recorder=$!
await has_pieces "$work/few" 2
first=$(list "$work/few" | head -1)
is_removed() { [ ! -e "$work/few/$first" ]; }
check "the oldest is removed" await is_removed
at_most() { [ "$(pieces "$work/few")" -le 3 ]; }
check "few are kept" await at_most
# not_newest NAME: it is not the last recording.
not_newest() { [ "$(list "$work/few" | tail -1)" != "$1" ]; }
# hold_second_newest: stops the recorder while the last recording but one, $second, has ended, and is not to be removed yet.
hold_second_newest() {
	local newest
	newest=$(list "$work/few" | tail -1)
	await not_newest "$newest"
	kill -STOP "$recorder"
	await is_stopped "$recorder" || return 1
	second=$(list "$work/few" | tail -2 | head -1)
	[ "$second" = "$newest" ] && return 0
	# On a busy machine the rotation after that may have come.
	kill -CONT "$recorder"
	return 1
}
is_stopped() { grep -qs '^State:.T' "/proc/$1/status"; }
await hold_second_newest
swapped=$work/few/$second
mv "$swapped" "$work/moved" && mkdir "$swapped" && echo precious >"$swapped/kept"
kill -CONT "$recorder"
is_said() { grep -q 'another directory has that name now' "$work/log"; }
check "one that was replaced stays, and that is said" await is_said
check "with all that is in it" is "$(cat "$swapped/kept")" precious
kill -INT "$recorder"
wait "$recorder"
recorder=""
stop_program
rm -rf "$swapped" "$work/moved"

# Of a session, while it records.
check "a session" "$strata" create --output "$work/pieces" pieces
"$strata" enable-event --app all plain 2>/dev/null
forever
check "it is not divided before it records" refused "session pieces does not record" "$strata" rotate
"$strata" start 2>/dev/null
more_of 300
check "it is divided" "$strata" rotate
more_of 300
check "its status names the recording in progress" has "$("$strata" status pieces)" "$work/pieces/$(list "$work/pieces" | tail -1)"
check "and again, by itself" "$strata" enable-rotation --size 64K
await has_pieces "$work/pieces" 4
check "and no more" "$strata" disable-rotation
nr=$(pieces "$work/pieces")
more_of 5000
check "so it stays" is "$(pieces "$work/pieces")" "$nr"
"$strata" stop 2>/dev/null
stop_program
check "of it nothing is missing" without_gap "$(plain_run "$work/pieces")"
forever
check "what is set holds for the next start, also from a file" bash -c "
	'$strata' enable-rotation --size 64K --keep 3 2>/dev/null && '$strata' save pieces --output '$work/pieces.json' 2>/dev/null &&
		jq -e '.rotation == {bytes: 65536, ms: 0, keep: 3}' '$work/pieces.json'"
check "a session is saved: the reply as JSON" reply ".status == 0 and .output == \"$work/again.json\" and (.message | test(\"pieces is saved\"))" \
	save --json --output "$work/again.json" pieces
check "without a file the session is the JSON" reply '.name == "pieces" and (has("status") | not)' save --json pieces
check "an existing file: the reply says why not" reply '.status == 1 and (.message | test("--force"))' save --json --output "$work/again.json" pieces
check "so it does of an unknown session" reply '.status == 1 and (.message | test("unseen"))' save --json unseen
check "rotation ends: the reply as JSON" reply '.status == 0 and (.message | length > 0)' disable-rotation --json
rm -r "$work"/pieces/*
"$strata" start 2>/dev/null
began=$(last_number)
more_of 20000
"$strata" rotate 2>/dev/null
more_of 20000
check "what it has recorded is removed" "$strata" clear
after=$(last_number)
is_one() { [ "$(pieces "$work/pieces")" = 1 ]; }
check "one recording is left" await is_one
more_of 300
"$strata" stop 2>/dev/null
stop_program
check "what it began with is gone" is "$(plain_numbers "$work/pieces" | awk -v began="$began" '$1 < began + 10000' | wc -l)" 0
check "what came after that is there" without_gap "$(plain_numbers "$work/pieces" | awk -v after="$after" '$1 > after' | run_of)"
for wrong in "--size 5" "--timer 10ms" "--size 1X" "--keep 2" "--timer 1m --keep 0"; do
	# shellcheck disable=SC2086 # words
	check "$wrong is refused" refused "." "$strata" enable-rotation $wrong
done
check "so is half of it" refused "needs --rotate-size or --rotate-time" "$strata" record --keep 3 --output "$work/x"
check "and a flight recorder" refused "do not apply to a flight recorder" "$strata" record --rotate-size 1M --overwrite --output "$work/x"
check "nothing was made for them" test ! -e "$work/x"

# A flight recorder's memory is cleared.
"$strata" create --snapshot --output "$work/flight" flight 2>/dev/null
"$strata" enable-event --app all plain 2>/dev/null
"$strata" start 2>/dev/null
check "a flight recorder is not divided" refused "flight recorder" "$strata" rotate
check "nor by itself" refused "flight recorder" "$strata" enable-rotation --size 1M
# On one CPU: the ring of another one would keep its events longer.
forever_by taskset --cpu-list "$(one_cpu)"
began=$(last_number)
more_of 20000
check "its memory is cleared" "$strata" clear
after=$(last_number)
more_of 300
check "a snapshot is taken: the reply as JSON" reply ".status == 0 and (.output | startswith(\"$work/flight/\"))" snapshot --json --session flight
check "a snapshot has what came after that" without_gap "$(plain_numbers "$work/flight" | awk -v after="$after" '$1 > after' | run_of)"
check "and not what it began with" is "$(plain_numbers "$work/flight" | awk -v began="$began" '$1 < began + 10000' | wc -l)" 0
stop_program

# Two recordings of one boot have one clock; not if the time was set in between.
mkdir -p "$work/boot"
for name in one two; do
	"$strata" record --output "$work/boot/$name" -- "$program" numbered 10 2>/dev/null
done
check "two recordings of one boot are one timeline" is "$("$strata" stat "$work/boot" 2>&1 | grep -c 'Machines\|cannot be tied')" 0
events() { "$strata" view "$work/boot" 2>"$work/view.log" | grep -c ' numbered  '; }
nr=$(events)
cp "$work/boot/two/recording.json" "$work/exact"
jq '.anchor_realtime_ns += 900000000' "$work/exact" >"$work/boot/two/recording.json"
check "nothing is left out where dom0's clock was steered in between" is "$(events) $(grep -c 'left out' "$work/view.log")" "$nr 0"
check "each event is there" is "$nr" 20
cp "$work/exact" "$work/boot/two/recording.json"
jq '.anchor_realtime_ns += 20000000000' "$work/boot/two/recording.json" >"$work/set" && cp "$work/set" "$work/boot/two/recording.json"
check "not if the time was set in between" has "$("$strata" stat "$work/boot" 2>&1)" "cannot be tied"
cp "$work/exact" "$work/boot/two/recording.json"
# A recording can claim any boot, so its dates count for another one only if they are near those.
claims() { jq "$1" "$work/own" >"$work/boot/one/recording.json" && [ "$("$strata" view "$work/boot" 2>&1 >"$work/view" | grep -c 'contradict each other')" = 1 ]; }
own_times() { "$strata" view "$1" 2>/dev/null | awk '$1 ~ /^[0-9:.]+$/ { print $1 }' | sort; }
cp "$work/boot/one/recording.json" "$work/own"
own_times "$work/boot/two" >"$work/times"
keeps_times() { awk '{ print $1 }' "$work/view" | grep -cxFf "$work/times"; }
check "a recording with another frequency is not believed" claims '.tsc_khz /= 100 | .tsc_khz |= floor'
check "and moves no other" is "$(keeps_times)" "$(wc -l <"$work/times")"
check "nor is one that claims to begin years later, three days off" claims '.anchor_ticks += .tsc_khz * 315360000000 | .anchor_realtime_ns += 315619200000000000'
check "which moves no other, either" is "$(keeps_times)" "$(wc -l <"$work/times")"
# Nor do the dates of one recording take two others apart that agree.
"$strata" record --output "$work/boot/three" -- "$program" numbered 10 2>/dev/null
jq '.anchor_realtime_ns += 990000000' "$work/own" >"$work/boot/one/recording.json"
jq '.anchor_realtime_ns -= 200000000' "$work/boot/three/recording.json" >"$work/moved" && cp "$work/moved" "$work/boot/three/recording.json"
"$strata" stat "$work/boot" >"$work/said" 2>&1
check "two recordings that agree stay together, whatever dates a third claims" is "$(grep -c 'Machines\|cannot be tied' "$work/said")" 0
check "and a message names those that do not agree" is "$(grep -c 'three.*and .*one.*agree with both' "$work/said")" 1
rm -r "$work/boot/three"
cp "$work/own" "$work/boot/one/recording.json"
jq '.anchor_realtime_ns -= 20000000000 | .boot = "00000000-1111-2222-3333-444444444444"' "$work/set" >"$work/boot/two/recording.json"
check "nor those of two boots" has "$("$strata" stat "$work/boot" 2>&1)" "cannot be tied"
jq '.boot = "none"' "$work/set" >"$work/boot/two/recording.json"
check "a boot that is no UUID is refused" refused '"boot" is not a UUID' "$strata" stat "$work/boot/two"
finish
