#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# timehist.sh DIR TURNS - `strata report schedule,wakeups` in turns with `perf sched timehist`, which tells the same of a kernel's
# tasks: prints lines "NAME VARIANT UNIT VALUE".  `perf sched record` records this machine while 160 tasks send messages to each other;
# Strata reads the same events as CTF (perf_to_ctf.py).  Before they are timed, their figures must be the same.  Status 3: perf records no
# scheduling events here, which takes root and a kernel that has them.
set -eu
cd "$(dirname "$0")/../.."

work=$1/timehist turns=$2
mkdir -p "$work"
# shellcheck source=tests/bench/timed.sh
. tests/bench/timed.sh

perf sched record -m 16384 -o "$work/perf.data" -- perf bench sched messaging -g 4 -l "${TIMEHIST_MESSAGES:-1500}" >"$work/perf.log" 2>&1 || {
	tail -n 3 "$work/perf.log" >&2
	exit 3
}
rm -rf "$work/ctf"
PYTHONPATH=tests/unit PERF_TO_CTF=$work/ctf/kernel perf script -i "$work/perf.data" -s tests/bench/perf_to_ctf.py >"$work/perf.log" 2>&1 || {
	tail -n 3 "$work/perf.log" >&2
	exit 1
}
events=$(out/bin/strata stat --json "$work/ctf" | jq .events)
[ "$(perf script -i "$work/perf.data" -F event 2>/dev/null | wc -l)" = "$events" ]

rows() { perf sched timehist -i "$work/perf.data" 2>/dev/null; }
summary() { perf sched timehist --summary -i "$work/perf.data" 2>/dev/null; }
strata_tells() { out/bin/strata report schedule,wakeups --json "$work/ctf"; }

rows >"$work/timehist"
strata_tells >"$work/report.json"
tests/bench/perf_sched.py "$work/report.json" "$work/timehist" "$work/ctf/kernel.unclear" sched-messaging >&2
for _ in $(seq "$turns"); do
	timed report_timehist perf-rows "$events" rows
	timed report_timehist perf-summary "$events" summary
	timed report_timehist strata "$events" strata_tells
done
