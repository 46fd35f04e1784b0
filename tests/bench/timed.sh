# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by benchmarks of programs that read traces: what a command takes on one core.

# nanoseconds COMMAND...: how long it takes on one core.
nanoseconds() {
	local begin end
	taskset -cp 0 $BASHPID >/dev/null
	begin=$(date +%s%N)
	"$@" >/dev/null
	end=$(date +%s%N)
	echo $((end - begin))
}

# timed NAME VARIANT EVENTS COMMAND...: one turn, as events per second.
timed() {
	local bench=$1 variant=$2 nr=$3
	shift 3
	awk -v b="$bench" -v v="$variant" -v n="$nr" -v t="$(nanoseconds "$@")" \
		'BEGIN { printf "%s %s events_per_s %.0f\n", b, v, n * 1e9 / t }'
}
