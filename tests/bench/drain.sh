#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures how fast `strata record` writes an application's events to disk; the application never waits, and loses
# events that do not fit. The rate is the size of the recording divided by the time from the application's start until
# it is on the disk; alternately with dd of as many zeroes; both are synced at their end. The third variant divides by
# the recorder's CPU time instead: the possible rate on an otherwise busy machine. drain.sh DIR TURNS: called by run.sh;
# prints lines for its table.
#
# The application has a CPU for itself if there are two, and the recorder has another; dd has
# the machine.  Memory that was not used for a while may cost a virtual machine a fault into its host
# for each page: before each turn as much as it may need is written and removed.
set -eu
cd "$(dirname "$0")/../.."

dir=$1 turns=$2
seconds=1 spare_mb=1500
export STRATA_APP_SOCKET=$PWD/$dir/apps.sock

gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude tests/bench/drain.c -o "$dir/drain" \
	-Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib"

# shellcheck disable=SC2046 # several arguments
gcc -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -Iinclude -Imerge -Idom0-tools tests/bench/drain_cost.c \
	out/build/{consumerd,merge}.a -o "$dir/drain_cost" \
	$(pkg-config --libs xencall xenforeignmemory xengnttab xenevtchn xenstore xentoollog json-c)

# Instructions of the recorder for each event on its way from a ring to the file, the kernel's not counted: KIND SIZE.
count_instructions() {
	local said events
	said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=recorder_drain \
		"$dir/drain_cost" "$dir/drain_cost.out" "$1" "$2" 2 2>&1) || { echo "$said" >&2; return 1; }
	events=$(sed -n 's/.* \([0-9]*\) events$/\1/p' <<<"$said")
	awk -v b="drain_$2" -v v="$1" -v n="$events" -v i="$(sed -n 's/.*Collected : \([0-9]*\)$/\1/p' <<<"$said")" \
		'BEGIN { printf "%s %s instructions %.1f\n", b, v, i / n }'
	rm -rf "$dir/drain_cost.out"
}

touch_memory() {
	dd if=/dev/zero of="$dir/touched" bs=1M count=$spare_mb 2>/dev/null
	rm "$dir/touched"
}

# Prints a line of the table: BENCH VARIANT BYTES NS.
print_rate() {
	awk -v b="$1" -v v="$2" -v n="$3" -v t="$4" \
		'BEGIN { printf "%s %s MB_per_s %.1f\n", b, v, n * 1e3 / t }'
}

# Nanoseconds on a CPU of that process, which has one thread.
cpu_ns() { cut -d " " -f 1 "/proc/$1/schedstat"; }

# shellcheck source=tests/bench/bytes.sh
. tests/bench/bytes.sh

# Bytes of the streams that were recorded until now.
recorded() { stream_bytes "$dir/drained"; }

# Records what the application writes of events of that size: BENCH SIZE.  Leaves $bytes.
drain() {
	local recorder begin end cpu taken
	rm -rf "$dir/drained"
	out/bin/strata record --app drain --app-buffer 256Kx64 -o "$dir/drained" 2>"$dir/drain.log" &
	recorder=$!
	until grep -qs 'strata: recording [0-9]* sources' "$dir/drain.log"; do
		kill -0 $recorder || { cat "$dir/drain.log" >&2; return 1; }
		sleep 0.05
	done
	touch_memory
	cpu=$(cpu_ns $recorder)
	begin=$(date +%s%N)
	"$dir/drain" $seconds "$2"
	cpu=$(($(cpu_ns $recorder) - cpu))
	taken=$(recorded)
	kill -INT $recorder
	wait $recorder || cat "$dir/drain.log" >&2
	find "$dir/drained" -name "cpu_*" -exec sync {} +
	end=$(date +%s%N)
	bytes=$(recorded)
	[ "$bytes" != 0 ] || { echo "drain.sh: $dir/drained: nothing was recorded" >&2; cat "$dir/drain.log" >&2; return 1; }
	print_rate "$1" strata "$bytes" $((end - begin))
	print_rate "$1" strata_by_cpu_time "$taken" $cpu
	rm -rf "$dir/drained"
}

# Has dd write as many bytes, nearly: BENCH BYTES.
copy() {
	local begin end count=$(($2 >> 18))
	touch_memory
	begin=$(date +%s%N)
	dd if=/dev/zero of="$dir/copied" bs=256k count=$count conv=fsync 2>/dev/null
	end=$(date +%s%N)
	print_rate "$1" dd $((count << 18)) $((end - begin))
	rm "$dir/copied"
}

for kind in single commit; do
	for size in small large; do
		count_instructions $kind $size
	done
done
for _ in $(seq "$turns"); do
	for size in small large; do
		bench=drain_8b
		[ $size = small ] || bench=drain_512b
		drain $bench $size
		copy $bench "$bytes"
	done
done
