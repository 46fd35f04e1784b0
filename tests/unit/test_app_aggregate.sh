#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Applications that count their events instead of recording them, on a machine without Xen: what an aggregator shows is compared
# with what a recorder beside it has of the same events, and with what the programs are known to do.  Both ways to count: in
# restartable sequences, and with locked additions.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
library=$PWD/out/tests/app/library.so
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
declare -A pid=()
running=""
trap 'kill ${pid[*]} $recorder $running 2>/dev/null; rm -rf "$work"' EXIT

counts_or_ended() { grep -qs 'strata: counting in channel' "$work/$1.log" || has_ended "${pid[$1]}"; }

# count NAME SPEC OPTIONS...: starts an aggregator, whose counts are in NAME.json when it has ended.
count() {
	local name=$1 spec=$2
	shift 2
	rm -f "$work/$name.log"
	"$strata" record --aggregate "$spec" --json "$@" >"$work/$name.json" 2>"$work/$name.log" &
	pid[$name]=$!
	await counts_or_ended "$name"
	grep -q 'strata: counting in channel' "$work/$name.log" || sed 's/^/# /' "$work/$name.log"
}

# end NAME...: ends these; $status is the last one's exit status.
end() {
	local name
	for name in "$@"; do
		kill -INT "${pid[$name]}"
	done
	for name in "$@"; do
		status=0
		wait "${pid[$name]}" || status=$?
		unset "pid[$name]"
	done
}

end_recorder() {
	kill -INT "$recorder"
	wait "$recorder"
	recorder=""
}

# of NAME EVENT: how often it was counted.
of() { jq --arg event "$2" '[.rows[] | select(.event == $event) | .count] | add // 0' "$work/$1.json"; }

# others NAME KIND: what is in no row.
others() { jq --arg kind "$2" '[.sources[].others[$kind]] | add // 0' "$work/$1.json"; }

# Each event and how often it was counted, or recorded.
all_counted() { jq -r '.rows[] | "\(.event) \(.count)"' "$work/$1.json" | sort; }
all_recorded() { babeltrace2 "$work/$1" 2>/dev/null | sed 's/^[^{]* \([a-z0-9_]*\): {.*/\1/' | sort | uniq -c | awk '{ print $2, $1 }' | sort; }

last_number() { od -An -tu8 "$work/last" | tr -d ' '; }
is_past() { [ "$(last_number)" -gt "$1" ]; }
more_of() { await is_past $(($(last_number) + $1)); }

forever() {
	rm -f "$work/last"
	"$program" forever 0 "$work/last" &
	running=$!
	await test -s "$work/last"
}

kill_program() {
	kill -KILL "$running"
	wait "$running" 2>/dev/null
	running=""
}

# is_last NAME NUMBER: "plain" was counted up to the last number that a killed program wrote down: it may have counted one more.
is_last() {
	local counted
	counted=$(of "$1" plain)
	echo "$counted, to be $2 + 1 or + 2"
	[ "$counted" = $(($2 + 1)) ] || [ "$counted" = $(($2 + 2)) ]
}

# has_some NAME: events are on the disk.
# shellcheck disable=SC2317 # await calls it
has_some() { [ "$(cat "$work/$1"/*/cpu_* 2>/dev/null | wc -c)" -gt 4096 ]; }

for mode in single-store reserve-commit; do
	export STRATA_APP_MODE=$mode

	# Alone: processes, threads, children, a program that replaces another, and a library's events.
	count "$mode-alone" count --app program
	"$program" lengths 700
	"$program" threads 3000
	"$program" fork 500
	"$program" exec 300
	"$program" dlopen 400 "$library"
	"$program" numbered 50
	end "$mode-alone"
	check "$mode: counting ends well" is "$status" 0
	check "$mode: threads, children and programs that replace others are counted" is "$(of "$mode-alone" plain)" 14900
	check "$mode: a library's events are counted" is "$(of "$mode-alone" loaded)" 400
	check "$mode: events of each length are counted" \
		is "$(for length in 12 16 20 24 28 32; do of "$mode-alone" body$length; done | sort -u)" 700
	check "$mode: long events are counted" is "$(of "$mode-alone" numbered)" 50
	check "$mode: all in rows of the program" is "$(jq -r '[.rows[].source] | unique[]' "$work/$mode-alone.json")" app-program
	check "$mode: nothing is in no row" is "$(jq '[.sources[].others[]] | add' "$work/$mode-alone.json")" 0

	# Beside a recorder, and another aggregator that selects some.
	begin "$mode-beside" --app program --app-buffer 256Kx16 --app-rings "$mode"
	count "$mode-all" count --app program
	count "$mode-some" count --app 'program:plain,test/body*'
	"$program" lengths 700
	"$program" threads 5000
	"$program" fork 500
	"$program" exec 300
	"$program" dlopen 400 "$library"
	"$program" numbered 1000
	end "$mode-some" "$mode-all"
	end_recorder
	check "$mode: none is lost by the recorder" is "$(jq '[.sources[].streams[].lost] | add // 0' "$work/$mode-beside/recording.json")" 0
	check "$mode: a recorder beside it has as many of each event" is "$(all_counted "$mode-all")" "$(all_recorded "$mode-beside")"
	check "$mode: which is not nothing" is "$(of "$mode-all" plain)" 22900
	check "$mode: another one has what it selects" is "$(all_counted "$mode-some")" "$(all_counted "$mode-all" | grep -E '^(plain|body)')"

	# Killed, with an aggregator that came when it ran, and one that came before.
	count "$mode-before" count --app 'program:plain'
	forever
	more_of 500
	from=$(last_number)
	count "$mode-late" count --app 'program:plain'
	to=$(last_number)
	more_of 500
	kill_program
	last=$(last_number)
	end "$mode-before" "$mode-late"
	check "$mode: of a killed program all is counted" is_last "$mode-before" "$last"
	check "$mode: one that comes late counts from then on" test "$(of "$mode-late" plain)" -ge $((last - to)) -a "$(of "$mode-late" plain)" -le $((last - from + 2))

	# Threads that are killed in the middle of it: each one's last number is written down.
	count "$mode-crowd" count --app 'program:crowded'
	rm -f "$work/crowd"
	"$program" crowd 8 "$work/crowd" &
	running=$!
	crowd() { od -An -v -tu8 -w8 "$work/crowd" | awk '{ sum += $1 } END { print sum + 0 }'; }
	crowd_is_past() { [ "$(crowd)" -gt "$1" ]; }
	await test -s "$work/crowd"
	await crowd_is_past 20000
	kill_program
	end "$mode-crowd"
	check "$mode: of killed threads, too" test "$(of "$mode-crowd" crowded)" -ge "$(crowd)" -a "$(of "$mode-crowd" crowded)" -le $(($(crowd) + 8))

	# Each process apart; those that have ended are added up.
	count "$mode-processes" count:process --app 'program:plain'
	"$program" fork 500
	rm -f "$work/lingers"
	"$program" linger 70 "$work/lingers" &
	running=$!
	await test -e "$work/lingers"
	end "$mode-processes"
	check "$mode: ended processes are added up, and others counted apart" \
		is "$(jq -r '.rows[] | "\(.domain) \(.domain_id) \(.count)"' "$work/$mode-processes.json" | sort)" \
		"$(printf '(ended) null 1000\nprocess %s %s 70' "$running" "$running")"
	kill_program

	# Times: of a thread, from each event to the next one that ends it.
	count "$mode-time" time:body12..body32 --app program
	count "$mode-same" time:plain..plain --app program
	"$program" lengths 900
	"$program" threads 2000
	end "$mode-time" "$mode-same"
	buckets() { jq '[.rows[].buckets[][1]] | add' "$work/$1.json"; }
	check "$mode: each time is in a bucket" is "$(jq '[.rows[].count]|add' "$work/$mode-time.json") $(buckets "$mode-time")" "900 900"
	check "$mode: none is in no row" is "$(jq '[.sources[].others[]] | add' "$work/$mode-time.json")" 0
	check "$mode: an event may end and begin, in each thread" is "$(buckets "$mode-same") $(others "$mode-same" no_begin)" "7996 4"
	check "$mode: the least is not above the mean, nor that above the most" \
		jq -e '.rows | length == 1 and all(.min_ns > 0 and .min_ns <= .mean_ns and .mean_ns <= .max_ns and .max_ns <= .sum_ns)' "$work/$mode-time.json"

	# An aggregator that is killed, and one that takes its number.
	count "$mode-killed" count --app 'program:plain'
	forever
	more_of 200
	kill -KILL "${pid[$mode-killed]}"
	wait "${pid[$mode-killed]}" 2>/dev/null
	unset "pid[$mode-killed]"
	# It writes no numbers down while nobody wants them.
	check "$mode: a program goes on when its aggregator is killed" test -e "/proc/$running"
	from=$(last_number)
	count "$mode-again" count --app 'program:plain'
	# It writes numbers down again once it is counted.
	more_of 1
	to=$(last_number)
	check "$mode: the next one takes its number" is "$(sed -n 's/.*counting in channel \([0-9]\).*/\1/p' "$work/$mode-again.log")" 7
	more_of 200
	kill_program
	last=$(last_number)
	end "$mode-again"
	check "$mode: and counts anew" test "$(of "$mode-again" plain)" -ge $((last - to)) -a "$(of "$mode-again" plain)" -le $((last - from + 2))

	# A channel that counts, then records, then counts.
	forever
	for turn in 1 2; do
		for number in 0 1 2 3 4 5 6; do
			"$strata" record --app nobody -o "$work/holder-$mode-$turn-$number" 2>"$work/holder-$number.log" &
			pid[holder-$number]=$!
			await grep -q 'strata: recording [0-9]* sources' "$work/holder-$number.log"
		done
		count "$mode-turn-$turn" count --app 'program:plain'
		more_of 200
		end "$mode-turn-$turn"
		check "$mode: turn $turn: a channel counts" test "$(of "$mode-turn-$turn" plain)" -ge 200
		begin "$mode-turned-$turn" --app 'program:plain' --app-rings "$mode"
		await has_some "$mode-turned-$turn"
		from=$(last_number)
		more_of 300
		to=$(last_number)
		end_recorder
		check "$mode: turn $turn: the same channel records" \
			test "$(all_recorded "$mode-turned-$turn" | awk '$1 == "plain" { print $2 }')" -ge $((to - from))
		end holder-{0,1,2,3,4,5,6}
	done
	kill_program
done
unset STRATA_APP_MODE

# What is seen meanwhile.
forever
"$strata" top --app 'program:plain' --interval 200ms --duration 2s --json count >"$work/top.json" 2>"$work/top.log"
check "top has a line for each look" test "$(wc -l <"$work/top.json")" -ge 3
check "the last one has all that the others had anew" \
	is "$(jq -s 'last.rows[0].count' "$work/top.json")" "$(jq -s '[.[].rows[].delta] | add' "$work/top.json")"
check "one look is a table" grep -q '^ *app-program *plain *[0-9]' <("$strata" top --app 'program:plain' --interval 300ms --once count 2>&1)
kill_program

# What is refused, or missing.
check "times name their events themselves" refused 'names its events; leave ":plain" behind --app program out' \
	"$strata" record --aggregate time:plain..plain --app program:plain -d 1s
check "what is not counted is refused" refused 'is not something to count' "$strata" record --aggregate count:thread --app program -d 1s
count none count --app nobody
"$program" threads 10
end none
check "a program that did not come is named" grep -q 'no application "nobody" connected' "$work/none.log"
check "and the status says so" is "$status" 3
count one-of-two time:plain..never --app program
"$program" threads 10
end one-of-two
check "a program without one of the two events is named" grep -q 'application program (process [0-9]*) has none of the selected events' "$work/one-of-two.log"

# Messages and tables of a liar: they neither stop the aggregator nor reach another program's rows.
count lied-to count --app all
for seed in 1 2 3; do
	out/tests/app/liar "$STRATA_APP_SOCKET.7" $seed >/dev/null 2>&1
	"$program" threads 1000
done
end lied-to
check "a liar changes no other program's rows" is "$(jq '[.rows[] | select(.source == "app-program" and .event == "plain") | .count] | add' "$work/lied-to.json")" 12000
finish
