#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures what a session costs per program, alternately with Strata and with LTTng: memory and descriptors of the daemons, what a
# program's start takes longer, registering many programs at once, and enabling an event in all of them. sessions/run.sh DIR TURNS
# [PROGRAMS]: called by tests/bench/run.sh; prints lines for its table.
set -eu
cd "$(dirname "$0")/../../.."

dir=$(realpath "$1") turns=$2 programs=${3:-200}
here=tests/bench/sessions
STARTS=200
export LD_LIBRARY_PATH=$PWD/out/lib HOME=$dir/sessions-home
strata=$PWD/out/bin/strata

rm -rf "$HOME"
mkdir -p "$HOME"
cc=(gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror)
"${cc[@]}" -DWITH_STRATA -Iinclude $here/app.c -o "$dir/session-strata" -Lout/lib -lstrata
"${cc[@]}" -DWITH_LTTNG -Itests/bench $here/app.c -o "$dir/session-lttng" -llttng-ust -ldl
"${cc[@]}" $here/app.c -o "$dir/session-none"

now_ns() { date +%s%N; }

# The daemons of a tracer: all that it runs for a session.
daemons() {
	case $1 in
	strata) pgrep '^stratad$|^strata-consum' ;;
	lttng) pgrep '^lttng-' ;;
	esac
}

# What the daemons have, added up: KiB of their own memory, without the programs' rings, and descriptors.
memory_kib() { daemons "$1" | while read -r pid; do sed -n 's/^Pss_Anon: *\([0-9]*\) kB/\1/p' "/proc/$pid/smaps_rollup" 2>/dev/null; done | awk '{ s += $1 } END { print s + 0 }'; }
descriptors() { daemons "$1" | while read -r pid; do find "/proc/$pid/fd" -mindepth 1 2>/dev/null; done | wc -l; }
# How often they went to sleep.
switches() { daemons "$1" | while read -r pid; do cat /proc/"$pid"/task/*/status 2>/dev/null; done | awk '/^voluntary/ { s += $2 } END { print s + 0 }'; }

begin_strata() {
	"$strata" create --output "$dir/session-out" bench
	"$strata" enable-event --app all strata_bench/one
	"$strata" start
}
end_strata() {
	"$strata" destroy bench
	pkill -x stratad
	rm -rf "$dir/session-out"
}
enable_strata() { "$strata" enable-event --app all "other$1"; }
begin_lttng() {
	lttng-sessiond --daemonize --no-kernel
	lttng create bench --output="$dir/session-out"
	lttng enable-event --userspace strata_bench:one
	lttng start
}
end_lttng() {
	lttng destroy bench
	pkill '^lttng-sessiond' || true
	while pgrep '^lttng-' >/dev/null; do sleep 0.1; done
	rm -rf "$dir/session-out"
}
enable_lttng() { lttng enable-event --userspace "strata_bench:other$1"; }

# value NAME VARIANT KIND NUMBER
value() { echo "$1 $2 $3 $4"; }

# starts PROGRAM: ns of the start and end of a program, on average.
starts() {
	local begin end i
	begin=$(now_ns)
	for ((i = 0; i < STARTS; i++)); do "$1"; done
	end=$(now_ns)
	echo $(((end - begin) / STARTS))
}

# Starts the programs, which wait, and prints after how many ns all have begun.
crowd() {
	local begin end i
	rm -f "$dir/session-in"
	mkfifo "$dir/session-in"
	exec 8<>"$dir/session-in"
	: >"$dir/session-ready"
	begin=$(now_ns)
	for ((i = 0; i < programs; i++)); do "$1" wait <"$dir/session-in" >>"$dir/session-ready" 8>&- & done
	until [ "$(wc -l <"$dir/session-ready")" = "$programs" ]; do sleep 0.01; done
	end=$(now_ns)
	echo $((end - begin))
}
disperse() {
	exec 8>&-
	pkill -x "$(basename "$1" | cut -c 1-15)" || true
	wait
}

measure() {
	local tracer=$1 before_kib before_fds none with registered begin end idle
	none=$(starts "$dir/session-none")
	"begin_$tracer" >&2
	with=$(starts "$dir/session-$tracer")
	value session_start "$tracer" ns $((with - none))
	# What those have left behind is not of the programs that come.
	sleep 1
	before_kib=$(memory_kib "$tracer")
	before_fds=$(descriptors "$tracer")
	crowd "$dir/session-$tracer" >"$dir/session-registered"
	registered=$(cat "$dir/session-registered")
	value "session_register_$programs" "$tracer" ns "$registered"
	sleep 2
	value "session_memory_$programs" "$tracer" bytes_per_program $((($(memory_kib "$tracer") - before_kib) * 1024 / programs))
	value "session_descriptors_$programs" "$tracer" per_program "$(awk -v a="$(descriptors "$tracer")" -v b="$before_fds" -v n="$programs" 'BEGIN { printf "%.2f", (a - b) / n }')"
	begin=$(now_ns)
	"enable_$tracer" 1 >&2
	end=$(now_ns)
	value "session_enable_$programs" "$tracer" ns $((end - begin))
	idle=$(switches "$tracer")
	sleep 5
	value "session_idle_$programs" "$tracer" wakeups_per_s $((($(switches "$tracer") - idle) / 5))
	disperse "$dir/session-$tracer"
	"end_$tracer" >&2
}

for ((turn = 0; turn < turns; turn++)); do
	measure strata
	measure lttng
done
