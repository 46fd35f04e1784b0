#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report.sh DIR TURNS - measures the cost of the state of a host and its reports, alternately with
# Debian's lttnganalyses: prints lines "NAME VARIANT UNIT VALUE". Traces of REPORT_EVENTS events are
# made in DIR (make_host.c); all are read from the page cache, on one core. Before the peers are
# timed, their figures must be the same.
set -eu
cd "$(dirname "$0")/../.."

work=$1/report turns=$2
events=${REPORT_EVENTS:-4000000}
peer_events=$((events / 20))
mkdir -p "$work"
gcc -O2 -Wall -Wextra -Werror tests/bench/make_host.c -o "$work/make_host"

# shellcheck source=tests/bench/timed.sh
. tests/bench/timed.sh

# all TRACE: of `requests` the traces have no events, which it says.
all() { out/bin/strata report all --json "$1" 2>"$work/told"; }

# peer_tells PEER: what one of lttnganalyses' programs says.
peer_tells() { "lttng-$1-mi" "$work/lttng" >"$work/figures/$1.json"; }

# memory NAME VARIANT TRACE: the most private memory that all reports of a trace take.
memory() {
	local most=0 now pid
	out/bin/strata report all --json "$3" >/dev/null 2>"$work/told" &
	pid=$!
	while now=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
		[ "$now" -le "$most" ] || most=$now
		sleep 0.01
	done
	wait $pid
	echo "$1 $2 KiB $most"
}

"$work/make_host" "$work/host" "$events"
for _ in $(seq "$turns"); do
	timed report_all strata "$events" all "$work/host"
	timed report_all engine-alone "$events" out/bin/strata convert --format count --threads 1 "$work/host"
done
memory report_memory strata "$work/host"
rm -rf "$work/host"
# Memory follows tasks and domains, not events.
"$work/make_host" "$work/host" $((4 * events))
memory report_memory 4-times-the-events "$work/host"
rm -rf "$work/host"

# A picture of about a million slices: 0.61 are drawn of an event.
"$work/make_host" "$work/host" $((events * 33 / 80))
slices=$(out/bin/strata sql --csv "$work/host" 'SELECT count(*) FROM slices' | tail -n 1)
echo "report_timeline slices number $slices"
for _ in $(seq "$turns"); do
	echo "report_timeline strata ms $(($(nanoseconds out/bin/strata timeline --spans 0 --force -o "$work/page.html" "$work/host") / 1000000))"
done
echo "report_timeline page KiB $(($(stat -c %s "$work/page.html") / 1024))"
rm -rf "$work/host" "$work/page.html"

# A kernel's trace as lttnganalyses wants it: in a directory of that name.
"$work/make_host" "$work/host" "$peer_events"
mkdir -p "$work/lttng" "$work/figures"
rm -rf "$work/lttng/kernel"
mv "$work/host/dom0" "$work/lttng/kernel"
rm -rf "$work/host"
peer_events=$(out/bin/strata stat --json "$work/lttng" | jq .events)
kinds=schedule,wakeups,syscalls,irqs
for peer in schedstats cputop syscallstats irqstats; do
	timed report_lttng "$peer" "$peer_events" peer_tells "$peer"
done
out/bin/strata report "$kinds" --json "$work/lttng" >"$work/report.json"
tests/bench/lttnganalyses.py "$work/report.json" "$work/figures" >&2
for _ in $(seq "$turns"); do
	timed report_lttng strata "$peer_events" out/bin/strata report "$kinds" --json "$work/lttng"
done
