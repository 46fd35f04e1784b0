#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures the cost of an event and of a message for an application, alternately with Strata and LTTng-UST, each with
# a consumer that writes to disk: in time, also with cold caches, and in instructions. app.sh DIR
# TURNS [THREADS...]: called by run.sh with the directory for its programs and recordings; prints
# lines for its table. With THREADS (papers/run.sh), measures only these numbers of threads, which write to
# flight recorders; prints no figure of a recorder that lost events.
set -eu
cd "$(dirname "$0")/../.."

dir=$1 turns=$2 what=on
shift 2
here=tests/bench
export STRATA_APP_SOCKET=$PWD/$dir/apps.sock
# As much for both: no burst may lose an event, and no thread be preempted while others write a whole buffer.
buffers=16 kib=256
[ $# = 0 ] || kib=4096

# Loops begin with a line of the cache, in both: where the linker happened to put them is not
# what is measured.
cc=(gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -falign-functions=64 -falign-loops=64)
"${cc[@]}" -Iinclude $here/app.c -o "$dir/app" -Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib" -lpthread
"${cc[@]}" -I$here $here/app_lttng.c $here/app_lttng_message.c -o "$dir/app_lttng" -llttng-ust -ldl -lpthread
"${cc[@]}" $here/step.c -o "$dir/step"

# All that is measured of a program with a tracer that records: PROGRAM VARIANT.
measure() {
	"$dir/$1" "$2" "$what"
	[ "$what" = on ] || return 0
	"$dir/step" app_instructions_8b "$dir/$1" "$2"
}

# Prints what was measured under a tracer that lost so many events: VARIANT LOST.
show_values() {
	if [ "$2" = 0 ]; then
		cat "$dir/app-values"
	elif [ "$what" = on ]; then
		echo "bench: $1: $2 lost: the figures are of fewer records" >&2
		cat "$dir/app-values"
	else
		echo "bench: $1, $what threads: $2 lost: there are no figures of it" >&2
	fi
}

# Runs the program under Strata: VARIANT MODE.
strata() {
	local recorder lost mode=()
	[ "$what" = on ] || mode=(--overwrite)
	rm -rf "$dir/app-recording"
	out/bin/strata record --app app --app-buffer "${kib}Kx$buffers" "${mode[@]}" -o "$dir/app-recording" \
		2>"$dir/app-recorder.log" &
	recorder=$!
	until [ -S "$STRATA_APP_SOCKET" ]; do
		kill -0 $recorder || { cat "$dir/app-recorder.log" >&2; return 1; }
		sleep 0.05
	done
	STRATA_APP_MODE=$2 measure app "$1" >"$dir/app-values"
	kill -INT $recorder
	wait $recorder || cat "$dir/app-recorder.log" >&2
	lost=$(sed -n 's/^strata: recorded .* \([0-9]*\) lost$/\1/p' "$dir/app-recorder.log")
	show_values "$1" "$lost"
	rm -rf "$dir/app-recording"
}

# Counts an event's instructions where several recorders select it: VARIANT MODE RECORDERS.
several() {
	local recorders=() i
	for i in $(seq "$3"); do
		out/bin/strata record --app app --app-buffer "${kib}Kx$buffers" -o "$dir/app-recording-$i" \
			2>"$dir/app-recorder-$i.log" &
		recorders+=($!)
	done
	for i in $(seq "$3"); do
		until grep -q 'strata: recording [0-9]* sources' "$dir/app-recorder-$i.log"; do
			kill -0 "${recorders[i - 1]}" || { cat "$dir/app-recorder-$i.log" >&2; return 1; }
			sleep 0.05
		done
	done
	STRATA_APP_MODE=$2 "$dir/step" app_instructions_8b "$dir/app" "$1"
	kill -INT "${recorders[@]}"
	wait "${recorders[@]}" || true
	rm -rf "$dir"/app-recording-*
}

# Counts an event's instructions where it is counted instead: VARIANT MODE SPEC.
counting() {
	local aggregator
	out/bin/strata record --aggregate "$3" --app app >"$dir/app-counts" 2>"$dir/app-aggregator.log" &
	aggregator=$!
	until grep -q 'strata: counting' "$dir/app-aggregator.log"; do
		kill -0 $aggregator || { cat "$dir/app-aggregator.log" >&2; return 1; }
		sleep 0.05
	done
	STRATA_APP_MODE=$2 "$dir/step" app_instructions_8b "$dir/app" "$1"
	kill -INT $aggregator
	wait $aggregator || cat "$dir/app-aggregator.log" >&2
}

# Runs the program under LTTng: VARIANT MODE.
lttng_ust() {
	local lost
	{
		if [ "$2" = overwrite ]; then
			lttng create strata-bench --snapshot --output="$PWD/$dir/lttng"
		else
			lttng create strata-bench --output="$PWD/$dir/lttng"
		fi
		lttng enable-channel --userspace "--$2" --subbuf-size="${kib}K" --num-subbuf="$buffers" bench
		lttng enable-event --userspace --channel=bench 'strata_bench:*,lttng_ust_tracef:*'
		lttng start
	} >"$dir/lttng.log" 2>&1 || { cat "$dir/lttng.log" >&2; return 1; }
	measure app_lttng "$1" >"$dir/app-values"
	lttng stop >"$dir/lttng.log" 2>&1
	grep -i discarded "$dir/lttng.log" >&2 || true
	lost=0
	if [ "$what" != on ]; then
		# Of a flight recorder's discarded events, lttng says nothing.
		lttng snapshot record "$PWD/$dir/lttng" >/dev/null
		lost=$(tests/bench/papers/recordings.py "$dir/lttng" lttng)
	fi
	show_values "$1" "$lost"
	lttng destroy strata-bench >/dev/null
	# What it wrote is what merge.sh reads.
	rm -rf "$dir/lttng-trace"
	[ "$2" = overwrite ] || mv "$dir/lttng" "$dir/lttng-trace"
	rm -rf "$dir/lttng"
}

export LTTNG_HOME=$PWD/$dir/lttng-home
mkdir -p "$LTTNG_HOME"
lttng-sessiond --daemonize --no-kernel --pidfile "$PWD/$dir/sessiond.pid" >/dev/null 2>&1 || true
trap '[ ! -e "$dir/sessiond.pid" ] || kill "$(cat "$dir/sessiond.pid")"' EXIT

for _ in $(seq "$turns"); do
	for what in "$@"; do
		strata strata_single_store single-store
		lttng_ust lttng_ust_overwrite overwrite
		strata strata_reserve_commit reserve-commit
	done
	[ $# = 0 ] || continue
	"$dir/app" strata off
	"$dir/app_lttng" lttng_ust off
	strata strata_single_store single-store
	lttng_ust lttng_ust_overwrite overwrite
	strata strata_reserve_commit reserve-commit
	lttng_ust lttng_ust_discard discard
	several strata_single_store_2 single-store 2
	several strata_reserve_commit_2 reserve-commit 2
	counting strata_count single-store count
	counting strata_count_locked reserve-commit count
	counting strata_time single-store time:one..one
done
