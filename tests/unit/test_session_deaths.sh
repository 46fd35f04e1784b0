#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Kills stratad, consumers and applications at random points and in random order, DEATHS_ROUNDS times (default 12; `make soak`: 1000),
# while a session records a program: what is recorded of a CPU has no gap, what a program had written when it or nobody else was killed is all
# there, and no process, descriptor or file is left behind. DEATHS_SEED repeats a run. It needs a /run of its own: tests/run.sh gives
# it one. Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
rounds=${DEATHS_ROUNDS:-12}
seed=${DEATHS_SEED:-$(($(date +%s) % 32768))}
RANDOM=$seed
echo "# the seed is $seed"
running=""
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	[ -z "$running" ] || kill -KILL "$running" 2>/dev/null
	pkill -KILL strata-consumer
	pkill -KILL -x stratad
	rm -rf "$work"
}
trap end_all EXIT

daemon() { sed 's/process //' /run/strata/stratad.lock; }
consumer() { sed 's/process //' /run/strata/session-life:channel0.lock; }
has_number() { [ -s "$work/last" ] && [ "$(od -An -tu8 "$work/last" | tr -d ' ')" -gt 0 ]; }
stop_program() {
	[ -n "$running" ] || return 0
	kill -KILL "$running" 2>/dev/null
	wait "$running" 2>/dev/null
	running=""
}

# A pause of up to $1 ms.
pause() { sleep "0.$(printf '%03d' $((RANDOM % $1)))"; }

# round NUMBER: one life and its deaths.
round() {
	local output=$work/$1 killed="" run last deaths recording
	"$strata" create --output "$output" life 2>/dev/null
	"$strata" enable-event --app program plain 2>/dev/null
	"$strata" start 2>/dev/null || { echo "it does not start"; return 1; }
	rm -f "$work/last"
	# On one CPU: what a killed consumer had not drained yet is lost of each CPU.
	taskset --cpu-list "$(one_cpu)" "$program" forever 0 "$work/last" >/dev/null 2>&1 &
	running=$!
	await has_number || return 1
	for ((deaths = RANDOM % 4; deaths; deaths--)); do
		pause 200
		case $((RANDOM % 3)) in
		0) kill -KILL "$(daemon)" 2>/dev/null ;;
		1) kill -KILL "$(consumer)" 2>/dev/null && killed="$killed consumer" ;;
		2) stop_program ;;
		esac
		[ $((RANDOM % 2)) = 0 ] || "$strata" status life >/dev/null 2>&1
	done
	stop_program
	last=$(od -An -tu8 "$work/last" | tr -d ' ')
	if [ -n "$killed" ]; then
		await is_killed || return 1
	fi
	"$strata" stop life >"$work/stop" 2>&1
	"$strata" destroy life 2>/dev/null || { echo "it cannot be destroyed"; return 1; }
	recording=$(echo "$output"/recording-*)
	if [ -n "$killed" ]; then
		"$strata" recover "$recording" >"$work/recover" 2>&1 || { cat "$work/recover"; return 1; }
		recording=$recording-recovered
	fi
	run=$(plain_run "$recording")
	echo "killed:$killed; the run is $run, the last number $last"
	# A consumer that was killed at once had drained nothing.
	[ -z "$killed" ] || [ "$run" != none ] || return 0
	[[ $run =~ ^0' '[0-9]+$ ]] || return 1
	[ -n "$killed" ] || [ "${run#* }" -ge "$last" ]
}
is_killed() { "$strata" status life 2>/dev/null | grep -q 'life: killed'; }

for ((number = 1; number <= rounds; number++)); do
	check "round $number leaves no gap" round "$number"
	# It was another shell's.
	pkill -KILL -x program
	rm -rf "${work:?}/$number" "${work:?}/$number"-*
done
"$strata" create --output "$work/end" end 2>/dev/null
check "no consumer is left" is "$(pgrep -c strata-consumer)" 0
check "nor a second stratad" is "$(pgrep -x stratad | wc -l)" 1
check "which has few descriptors" test "$(find "/proc/$(daemon)/fd" -mindepth 1 | wc -l)" -le 10

# A consumer that gets its lock only after its stratad was killed: the next stratad had looked for it before, and would not know it.
"$strata" enable-event --session end --app program '*' 2>/dev/null
late='import os, sys
reader, writer = os.pipe()
os.dup2(writer, 9)
os.close(reader)
os.execv(sys.argv[1], sys.argv[1:])'
orphan() { timeout -s INT 5 /usr/bin/python3 -c "$late" out/bin/strata-consumerd end channel0 "$work/orphan" 9 </run/strata/sessions/end.json; }
check "a consumer does not record whose stratad has ended" refused "stratad ended before the recording began" orphan
check "it leaves no recording" test ! -e "$work/orphan"
check "the session can be started" "$strata" start end
"$strata" destroy end 2>/dev/null
check "no file of a session is left" is "$(find /run/strata -name 'life*' -o -name 'end*' -o -name 'session-*' | wc -l)" 0
finish
