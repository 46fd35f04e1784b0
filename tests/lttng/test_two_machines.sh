#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces that LTTng wrote on two machines: they are read as babeltrace2 reads them, and the TCP between the machines ties their
# clocks with a bound that is true.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

out=out/tests/two_machines
mkdir -p $out

# LTTng's own reader and ours find as many events in $1.
as_many_events() {
	local theirs ours
	theirs=$(babeltrace2 "$1" | wc -l)
	ours=$(out/bin/strata stat --json "$1" | jq .events)
	printf '%s events by babeltrace2, %s by strata\n' "$theirs" "$ours"
	[ "$theirs" -gt 1000 ] && [ "$theirs" = "$ours" ]
}

# Its TAP becomes part of ours.
check_bound() {
	local line
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Imerge -o $out/check_bound tests/lttng/check_bound.c \
		out/build/libstrata.a -lm -lpthread -ljson-c >&2 || return
	while IFS= read -r line; do
		case $line in
		"ok "*) result 0 "${line#ok * - }" ;;
		"not ok "*) result 1 "${line#not ok * - }" ;;
		"1.."*) return 0 ;;
		*) printf '%s\n' "$line" ;;
		esac
	done < <($out/check_bound $out/a/kernel $out/b/kernel $out/clocks)
	return 1
}

check "two machines record and send to each other" tests/lttng/two_machines.sh $out
for trace in a/kernel a/ust/uid/0/64-bit b/kernel b/ust/uid/0/64-bit; do
	check "babeltrace2 opens $trace" opens "$out/$trace"
	check "strata finds as many events in $trace" as_many_events "$out/$trace"
done
check_bound
result $? "the clocks were tied"
finish
