#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Packets that follow each other closer than the bound of their times: whoever begins to read in the middle of a stream, at a time or in
# a slice of several threads, finds every event from there on.
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

is() { [ "$1" = "$2" ]; }

packets=9000
python3 tests/unit/make_many_sources.py "$work/close" 1 2 $packets

# The second source begins 1 us later.
shown_from() { "$strata" view --from "1700000000.$1" "$work/close" | grep -c 'number='; }
for us in 1 7 500 4000 8990; do
	check "from us $us on, each event is shown" is "$(shown_from "$(printf '%06d000' $us)")" $((2 * (packets - us) + 1))
	check "likewise between two packets" is "$(shown_from "$(printf '%06d500' $us)")" $((2 * (packets - us) - 1))
done

counted() { "$strata" convert --threads "$1" --format count "$work/close"; }
alone=$(counted 1)
check "one thread reads all of them" is "${alone%% *}" $((2 * packets))
for threads in 2 3 8; do
	check "$threads threads read the same" is "$(counted $threads)" "$alone"
done

later="SELECT count(*) FROM events WHERE time_ns >= 1700000000000500000"
check "and so does a query of later events" is "$("$strata" sql --csv "$work/close" "$later" | tail -1)" $((2 * (packets - 500) + 1))
finish
