#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# merge.sh DIR TURNS - measures the cost of merging traces, alternately with Debian's babeltrace2:
# prints lines "NAME VARIANT UNIT VALUE". Traces of MERGE_EVENTS events are made in DIR; all are
# read from the page cache, and outputs go to a tmpfs with room for them: so the figures are the programs' and not those of the
# disk, to which the kernel writes when it likes. Before a trace is measured, the hash of what both read must be the same.
# DIR/lttng-trace is one of LTTng's, which app.sh leaves there.
set -eu
cd "$(dirname "$0")/../.."

work=$1/merge turns=$2
events=${MERGE_EVENTS:-4000000}
mkdir -p "$work"

# The largest output, of both forms in one pass, takes 230 bytes an event.
outputs=$work
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] &&
	[ "$(df --output=avail -B1 /dev/shm | tail -n 1)" -gt $((events * 300)) ]; then
	outputs=$(mktemp -d /dev/shm/strata-bench.XXXXXX)
	trap 'rm -rf "$outputs"' EXIT
else
	echo "merge.sh: /dev/shm has no room for the outputs: they go to $work, and write-back is measured, too" >&2
fi
gcc -O2 -Wall -Wextra -Werror tests/bench/make_ctf.c -o "$work/make_ctf"
# shellcheck disable=SC2046 # a list of words
gcc -std=gnu11 -O2 -Wall -Wextra -Werror -Imerge tests/bench/bt2_hash.c -o "$work/bt2_hash" $(pkg-config --cflags --libs babeltrace2)

# timed NAME VARIANT EVENTS COMMAND...: one turn, as events per second; and under NAME_cpu the processor time of an event, which
# does not depend on what else the machine does.
timed() {
	local bench=$1 variant=$2 nr=$3 times TIMEFORMAT='%R %U %S'
	shift 3
	times=$({ time "$@" >/dev/null 2>&3; } 3>&2 2>&1)
	awk -v b="$bench" -v v="$variant" -v n="$nr" '{
		printf "%s %s events_per_s %.0f\n", b, v, n / $1
		printf "%s_cpu %s ns_per_event %.1f\n", b, v, ($2 + $3) * 1e9 / n
	}' <<<"$times"
}

# written NAME VARIANT EVENTS FORMAT THREADS TRACE: the same, of a form that goes to a file or directory.
written() {
	rm -rf "$outputs/out"
	timed "$1" "$2" "$3" out/bin/strata convert --format "$4" --threads "$5" -o "$outputs/out" "$6"
	rm -rf "$outputs/out"
}

# merged VARIANT EVENTS TRACE [OPTION...]: the same, of both forms in one pass, or of one.
merged() {
	local variant=$1 nr=$2 trace=$3
	shift 3
	timed merge_forms "$variant" "$nr" out/bin/strata merge "$trace" -o "$outputs/out" "$@"
	rm -rf "$outputs/out"
}

# same TRACE: both read the same events and values in the same order.
same() {
	local ours theirs
	ours=$(out/bin/strata convert --format count "$1")
	# shellcheck disable=SC2046 # a list of words
	theirs=$("$work/bt2_hash" $(find "$1" -name metadata -printf '%h\n'))
	[ "$ours" = "$theirs" ] && return
	echo "merge.sh: $1: strata read $ours, babeltrace2 $theirs" >&2
	exit 1
}

# counted NAME TRACE EVENTS TURNS: every event decoded and fed in order, one thread; and the peer.
counted() {
	local turn
	same "$2"
	for turn in $(seq "$4"); do
		timed "$1" strata "$3" out/bin/strata convert --format count --threads 1 "$2"
		[ "$turn" -gt 2 ] || timed "$1" babeltrace2 "$3" babeltrace2 "$2" --component sink.utils.counter
	done
}

# memory NAME TRACE: the most private memory that a count with two threads has.
memory() {
	local most=0 now pid
	out/bin/strata convert --format count --threads 2 "$2" >/dev/null &
	pid=$!
	while now=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
		[ "$now" -le "$most" ] || most=$now
		sleep 0.01
	done
	wait $pid
	echo "$1 strata-2-threads KiB $most"
}

"$work/make_ctf" "$work/8" 8 "$events" 1
counted merge_count_8 "$work/8" "$events" "$turns"
memory merge_memory_8 "$work/8"
for _ in $(seq "$turns"); do
	timed merge_count_8 strata-2-threads "$events" out/bin/strata convert --format count --threads 2 "$work/8"
	written merge_text strata "$events" babeltrace 1 "$work/8"
	written merge_text strata-2-threads "$events" babeltrace 2 "$work/8"
	written merge_columns strata "$events" columns 1 "$work/8"
	written merge_columns strata-2-threads "$events" columns 2 "$work/8"
	written merge_ctf strata "$events" ctf 1 "$work/8"
	written merge_ctf strata-2-threads "$events" ctf 2 "$work/8"
	# Both throw away what they print.
	timed merge_text_discarded strata "$events" out/bin/strata convert --format babeltrace --threads 1 "$work/8"
	merged both "$events" "$work/8"
	merged text "$events" "$work/8" --format text
	merged ctf "$events" "$work/8" --format ctf
done
timed merge_text babeltrace2 "$events" babeltrace2 -w "$outputs/out" "$work/8"
rm -f "$outputs/out"
timed merge_text_discarded babeltrace2 "$events" babeltrace2 "$work/8"

# queried NAME STATEMENT PEER...: a statement of `strata sql`, and a pipe of babeltrace2 with the same result.
queried() {
	local name=$1 statement=$2 ours theirs
	shift 2
	ours=$(out/bin/strata sql --csv "$work/8" "$statement" | tail -n 1)
	# One turn: text of all events takes minutes.
	timed "$name" babeltrace2 "$events" eval "$* >$work/theirs"
	theirs=$(cat "$work/theirs")
	[ "$ours" = "$theirs" ] || {
		echo "merge.sh: $statement: strata says $ours, babeltrace2 $theirs" >&2
		exit 1
	}
	for _ in $(seq "$turns"); do
		timed "$name" strata "$events" out/bin/strata sql "$work/8" "$statement"
	done
}
counts() { babeltrace2 "$work/8" --component sink.utils.counter | sed -n 's/^ *\([0-9]*\) Event messages.*/\1/p' | tail -n 1; }
longest() { babeltrace2 "$work/8" | sed -n 's/.* io_3: .* length = \([0-9]*\),.*/\1/p' | sort -n | tail -n 1; }
queried merge_sql_count 'SELECT count(*) FROM events' counts
queried merge_sql_max 'SELECT max(length) FROM io_3' longest
rm -rf "$work/8"

"$work/make_ctf" "$work/256" 256 "$events" 1
counted merge_count_256_random "$work/256" "$events" "$turns"
rm -rf "$work/256"
"$work/make_ctf" "$work/256" 256 "$events" 16
counted merge_count_256_bursts "$work/256" "$events" "$turns"
rm -rf "$work/256"

events=$(babeltrace2 "$1/lttng-trace" --component sink.utils.counter | sed -n 's/^ *\([0-9]*\) Event messages.*/\1/p' | tail -n 1)
counted merge_count_lttng "$1/lttng-trace" "$events" "$turns"
