#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several recorders of the same applications at a time, on a machine without Xen: each has rings, a mode and a selection of
# its own, all record the same event with the same time, and none notices that another one begins, changes its selection,
# ends, or is killed.  What each recorded is compared number by number.  It needs all eight numbers of recorders: tests/run.sh
# gives it a /run of its own.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
library=$PWD/out/tests/app/library.so
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
declare -A pid=() number=()
running=""
trap 'kill ${pid[*]} $running 2>/dev/null; rm -rf "$work"' EXIT

# start NAME OPTIONS...: a recorder beside the others.  Its number is behind the name of the socket that comes with it.
start() {
	local before socket
	before=$(ls "$work")
	begin "$@"
	pid[$1]=$recorder
	recorder=""
	socket=$(comm -13 <(echo "$before") <(ls "$work") | grep '^apps.sock')
	socket=${socket#apps.sock}
	number[$1]=$((${socket#.} + 0))
}

# end NAME...: ends these recorders; $status is the highest of their exit statuses.
end() {
	local name one
	status=0
	for name in "$@"; do
		kill -INT "${pid[$name]}"
	done
	for name in "$@"; do
		one=0
		wait "${pid[$name]}" || one=$?
		[ $one -le $status ] || status=$one
		unset "pid[$name]"
	done
}

# numbers NAME EVENT [PROCESS]: the numbers in the recorded events of that name, in order.
numbers() { babeltrace2 "$work/$1" 2>/dev/null | sed -n "s/.* $2: .*vpid = ${3:-[0-9]*}, .* number = \([0-9]*\).*/\1/p"; }

# count NAME EVENT: of recorded events of that name.
count() { babeltrace2 "$work/$1" 2>/dev/null | grep -c " $2: " || true; }

# run_of NAME EVENT [PROCESS]: "FIRST LAST" if the numbers of its events are each one more than the one before; else what is
# missing.
run_of() {
	numbers "$@" | sort -n | awk '
		NR == 1 { first = $1 }
		NR > 1 && $1 != before + 1 && !wrong { wrong = " " before ".." $1 }
		{ before = $1 }
		END { print (wrong ? "not" wrong : NR ? first " " before : "none") }'
}

# has_run NAME FIRST LAST: of "plain", that run at least.
has_run() {
	local run
	run=$(run_of "$1" plain)
	echo "$run, to be $2 to $3"
	[[ $run =~ ^[0-9]+' '[0-9]+$ ]] && [ "${run% *}" -le "$2" ] && [ "${run#* }" -ge "$3" ]
}

# is_within RUN FIRST LAST
is_within() {
	echo "$1, to be within $2 to $3"
	[[ $1 =~ ^[0-9]+' '[0-9]+$ ]] && [ "${1% *}" -ge "$2" ] && [ "${1#* }" -le "$3" ]
}

# times NAME EVENT: time in ticks, thread and number of each event.
times() {
	babeltrace2 --clock-cycles "$work/$1" | sed -n "s/^\[0*\([0-9]*\)\].* $2: .*vtid = \([0-9]*\).* number = \([0-9]*\).*/\1 \2 \3/p" | sort
}

# gaps_of_threads NAME: of "crowded": how many threads wrote, and how many of their numbers are missing between the first and the
# last.
gaps_of_threads() {
	babeltrace2 "$work/$1" 2>/dev/null | sed -n 's/.* crowded: .*{ thread = \([0-9]*\), number = \([0-9]*\) }/\1 \2/p' | sort -n -k1,1 -k2,2 |
		awk '{ if (before[$1] && $2 != before[$1] + 1) gaps++; if (!before[$1]) nr++; before[$1] = $2 } END { print nr + 0, gaps + 0 }'
}

# lost NAME: records that were counted as lost.
lost() { jq '[.sources[].streams[].lost] | add // 0' "$work/$1/recording.json"; }

# has_some NAME: events are on the disk.
has_some() { [ "$(cat "$work/$1"/*/cpu_* 2>/dev/null | wc -c)" -gt 4096 ]; }

# records NAME NUMBER: the recorder has so many sources on the disk.
records() { [ "$(jq '.sources | length' "$work/$1/recording.json")" -ge "$2" ]; }

for mode in single-store reserve-commit; do
	export STRATA_APP_MODE=$mode

	# Two with different selections, sizes and headers, and one that wants nothing of it.
	start "$mode-some" --app 'program:plain,body16' --app-buffer 256Kx8
	start "$mode-all" --app program --event-header compact --app-buffer 128Kx16
	start "$mode-none" --app nobody
	"$program" lengths 700
	"$program" threads 3000
	"$program" fork 500
	"$program" exec 300
	"$program" dlopen 400 "$library"
	end "$mode-some" "$mode-all"
	check "$mode: two recorders have nothing left out" is "$status" 0
	end "$mode-none"
	check "$mode: one that selects no program of these says so" is "$status" 3
	check "$mode: and has none" is "$(jq '.sources | length' "$work/$mode-none/recording.json")" 0
	check "$mode: what both select is in both" is "$(count "$mode-some" plain) $(count "$mode-all" plain)" "14900 14900"
	check "$mode: what one selects is in that one only" \
		is "$(count "$mode-some" body28) $(count "$mode-all" body28) $(count "$mode-some" loaded) $(count "$mode-all" loaded)" "0 700 0 400"
	check "$mode: each event of each length is in the one that selects all" \
		is "$(for length in 12 16 20 24 28 32; do count "$mode-all" body$length; done | sort -u)" 700
	check "$mode: none is lost" is "$(lost "$mode-some") $(lost "$mode-all")" "0 0"

	# The same kind and size: also where a sub-buffer begins, and a thread's events are moved to another CPU's ring.
	start "$mode-one" --app 'program:plain,numbered' --app-buffer 16Kx128
	start "$mode-other" --app 'program:plain,numbered' --app-buffer 16Kx128
	"$program" threads 4000
	"$program" numbered 2000
	end "$mode-one" "$mode-other"
	check "$mode: two recorders of the same events have the same number" is "$(count "$mode-one" plain) $(count "$mode-other" plain)" "16000 16000"
	times "$mode-one" plain >"$work/times.one"
	times "$mode-other" plain >"$work/times.other"
	# Reserve and commit: where a sub-buffer begins the clock is read again; and each thread may be preempted.
	check "$mode: and the same times" test "$(comm -12 "$work/times.one" "$work/times.other" | wc -l)" -ge 15500
	check "$mode: also of long events" test "$(comm -12 <(times "$mode-one" numbered) <(times "$mode-other" numbered) | wc -l)" -ge 1900
	check "$mode: both have the same events" is "$(cut -d' ' -f2- "$work/times.one" | sort | sha256sum)" "$(cut -d' ' -f2- "$work/times.other" | sort | sha256sum)"

	# One records all the time, one from later on, one until earlier; one is killed.
	start "$mode-always" --app 'program:plain'
	start "$mode-killed" --app 'program:plain' --app-memory file
	forever
	check "$mode: a program is recorded by two" more_of 2000
	start "$mode-late" --app "$running:plain"
	check "$mode: a third one comes late" await has_some "$mode-late"
	from=$(last_number)
	more_of 1000
	killed=$(last_number)
	kill -KILL "${pid[$mode-killed]}"
	wait "${pid[$mode-killed]}" 2>/dev/null
	unset "pid[$mode-killed]"
	check "$mode: the program goes on without the killed one" more_of 1000
	until=$(last_number)
	end "$mode-late"
	check "$mode: one ends" is "$status" 0
	more_of 1000
	start "$mode-again" --app "$running:plain"
	check "$mode: one takes a number that is free again" await has_some "$mode-again"
	again=$(last_number)
	more_of 1000
	last=$(last_number)
	stop_program
	end "$mode-always" "$mode-again"
	check "$mode: the others end" is "$status" 0
	check "$mode: the one that was there all the time has all" has_run "$mode-always" 0 "$last"
	check "$mode: the late one has all from its begin to its end" has_run "$mode-late" "$from" "$until"
	check "$mode: the last one has all from its begin on" has_run "$mode-again" "$again" "$last"
	check "$mode: none is lost anywhere" is "$(lost "$mode-always") $(lost "$mode-late") $(lost "$mode-again")" "0 0 0"
	check "$mode: what the killed one had is recovered" "$strata" recover "$work/$mode-killed"
	check "$mode: up to its death" has_run "$mode-killed-recovered" 0 "$killed"

	# A flight recorder beside one that writes.
	start "$mode-flight" --overwrite --app 'program:plain' --app-buffer 4Kx4
	start "$mode-beside" --app 'program:plain'
	# On one CPU: the ring of another one that it left early would keep its first events.
	forever_by taskset --cpu-list 0
	check "$mode: the flight recorder's ring is written more than once round" more_of 3000
	check "$mode: it writes a snapshot" "$strata" snapshot --recorder "${number[$mode-flight]}" -o "$work/snapshot-$mode"
	more_of 1000
	last=$(last_number)
	stop_program
	end "$mode-flight" "$mode-beside"
	check "$mode: the one beside it has all" has_run "$mode-beside" 0 "$last"
	check "$mode: none of it is lost" is "$(lost "$mode-beside")" 0
	check "$mode: the snapshot has the newest at that time" test "$(numbers "snapshot-$mode" plain | sort -n | tail -n 1)" -gt 1000
	check "$mode: and not the oldest" test "$(numbers "snapshot-$mode" plain | sort -n | head -n 1)" -gt 0

	# Others come and go, orderly or not, with rings of all kinds, while four threads write.
	start "$mode-base" --app 'program:crowded' --app-buffer 256Kx32
	"$program" crowd 4 "$work/crowd" &
	running=$!
	await records "$mode-base" 1
	for turn in 1 2 3 4 5 6; do
		kinds=("--overwrite" "--app-rings reserve-commit" "--event-header large")
		# shellcheck disable=SC2086 # two words
		start "$mode-passing-$turn" --app program ${kinds[turn % 3]}
		await records "$mode-passing-$turn" 1
		if [ $((turn % 2)) = 0 ]; then
			end "$mode-passing-$turn"
		else
			kill -KILL "${pid[$mode-passing-$turn]}"
			wait "${pid[$mode-passing-$turn]}" 2>/dev/null
			unset "pid[$mode-passing-$turn]"
		fi
	done
	stop_program
	end "$mode-base"
	check "$mode: others that come and go take nothing from one that records" is "$(gaps_of_threads "$mode-base")" "4 0"
	check "$mode: and none of it is lost" is "$(lost "$mode-base")" 0

	# Selections that change: of a program that is connected, of one that is not, and of one that comes later.
	start "$mode-fixed" --app 'program:plain'
	start "$mode-changed" --app 'program:nothing'
	select_app() { "$strata" select --recorder "${number[$mode-changed]}" --app "$1" 2>&1; }
	cp "$program" "$work/other"
	"$work/other" forever 0 "$work/other.last" &
	other=$!
	forever
	check "$mode: a program is recorded" more_of 500
	before=$(last_number)
	check "$mode: the selection is shown" is "$(select_app program:plain)" "strata: the selection is now: --app program:plain"
	check "$mode: what is selected now is recorded" await has_some "$mode-changed"
	check "$mode: it is taken back" is "$(select_app program:none)" "strata: the selection is now: --app program:none"
	more_of 2000
	"$work/other" threads 100
	check "$mode: a program that nobody wanted is called when somebody does" \
		is "$(select_app other:plain)" "strata: the selection is now: --app other:plain --app program:none"
	check "$mode: and recorded" await records "$mode-changed" 2
	"$work/other" threads 200
	last=$(last_number)
	process=$running
	stop_program
	kill -KILL $other
	wait $other 2>/dev/null
	end "$mode-fixed" "$mode-changed"
	check "$mode: both end" is "$status" 0
	check "$mode: the one that did not change has all" has_run "$mode-fixed" 0 "$last"
	check "$mode: the other one has all of the time between" is_within "$(run_of "$mode-changed" plain "$process")" "$before" "$((last - 1))"
	check "$mode: of a program that came later, what was selected by then" \
		is "$(babeltrace2 "$work/$mode-changed" | grep -o 'vtid = [0-9]*' | sort | uniq -c | grep -c ' 200 ')" 4
	check "$mode: and of the one that was called" test "$(numbers "$mode-changed" plain $other | wc -l)" -gt 0
	check "$mode: none is lost" is "$(lost "$mode-fixed") $(lost "$mode-changed")" "0 0"
done
unset STRATA_APP_MODE

# Kinds of rings that their recorders choose.
start stores --app 'program:plain' --app-rings single-store
start commits --app 'program:plain,body16' --app-rings reserve-commit --event-header compact
start commits-too --app 'program:plain' --app-rings reserve-commit
"$program" threads 2000
"$program" lengths 300
end stores commits commits-too
check "rings of both kinds in one program have all of its events" \
	is "$status $(count stores plain) $(count commits plain) $(count commits-too plain) $(count commits body16)" "0 8000 8000 8000 300"
check "each is of the kind that its recorder chose" is "$(jq '.sources[0].migrates // 0' "$work/stores/recording.json" "$work/commits/recording.json" | paste -sd' ')" "0 1"
start chosen --app 'program:plain' --app-rings single-store
STRATA_APP_MODE=reserve-commit "$program" threads 100
end chosen
check "a program that cannot write so writes otherwise" is "$(count chosen plain)" 400
check "and that is said" grep -q 'application program (process [0-9]*) cannot write single-store rings' "$work/chosen.log"

# A recorder that is stopped, and one that does not answer, hold nobody up for longer than a program waits.
start honest --app 'program:plain'
start stopped --app 'program:plain'
kill -STOP "${pid[stopped]}"
STRATA_APP_WAIT_MS=5000 "$program" threads 1000
kill -CONT "${pid[stopped]}"
end honest stopped
check "beside a recorder that is stopped a program is recorded from its begin on" is "$(count honest plain)" 4000

# A ninth recorder.
for i in 0 1 2 3 4 5 6 7; do
	start "of-eight-$i" --app 'program:plain' 
done
STRATA_APP_WAIT_MS=20000 "$program" threads 1000
refused_ninth() {
	! "$strata" record --app all --duration 100ms -o "$work/ninth" >"$work/ninth.log" 2>&1 &&
		grep -q '8 recorders are running, as many as there can be' "$work/ninth.log" &&
		[ "$(grep -o 'recorder [0-9] (process [0-9]*)' "$work/ninth.log" | sort -u | wc -l)" = 8 ]
}
check "a ninth recorder is refused, and it is said who has the numbers" refused_ninth
check "programs are listed without their events then" test "$("$strata" list --apps 2>&1 | grep -c 'their events cannot be listed now: 8 recorders')" = 1
check "so are they as JSON" is "$("$strata" list --apps --json | jq -c '[.status, (.notes[0] | startswith("strata: their events cannot be listed now: 8 recorders")), ([.applications[] | has("events", "uid", "answers")] | any)]')" \
	'[0,true,false]'
end of-eight-{0..7}
check "eight have all" is "$(for i in 0 1 2 3 4 5 6 7; do count "of-eight-$i" plain; done | sort -u)" 4000

# A program of the version before.
start old --app all
hello_of_version() {
	perl -MSocket -e 'socket(my $end, PF_UNIX, SOCK_SEQPACKET, 0) or die; connect($end, pack_sockaddr_un($ARGV[0])) or die $!;
		send($end, pack("LSSLLCCCCLL", 0x50525453, $ARGV[1], 1, 1, 1, 0, 0, 0, 1, 0, 0), 0) or die $!; recv($end, my $more, 1, 0)' \
		"$(app_socket)" "$1"
}
hello_of_version 3
check "a program with an older libstrata is refused, and it is said" await grep -q 'its libstrata speaks version 3, and this program 4' "$work/old.log"
end old
finish
