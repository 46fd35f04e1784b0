#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `--process` in a kernel's events: selects by the running task, from sched_switch, exec and renaming, for any range and any
# number of threads. The task is unknown where a switch may be lost, and never guessed.
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

tests/unit/make_kernel.py "$work/kernel" >"$work/tasks"
"$strata" view --json "$work/kernel" 2>/dev/null | jq -r 'select(.event) | .ns' >"$work/all"
check "a kernel's trace is made, and read whole" cmp "$work/all" <(cut -d ' ' -f 1 "$work/tasks")

# finds NAME OPTION...: with these options the events are those while a task of that name runs.
finds() {
	local name=$1
	shift
	awk -v name="$name" '$2 == name { print $1 }' "$work/tasks" >"$work/wanted"
	test -s "$work/wanted" || return 1
	"$strata" view --json "$@" "$work/kernel" 2>/dev/null | jq -r 'select(.event) | .ns' | cmp - "$work/wanted"
}
for name in bash make swapper/0 sh program-of-a-na worker; do
	check "events while $name runs" finds "$name" --process "$name"
	check "by three threads, too" finds "$name" --process "$name" --threads 3
done
check "as an attribute of an expression" finds perl --filter "\$process == \"perl\""

# What is unknown is neither the one nor another.
count() { "$strata" convert --format count "$@" "$work/kernel" 2>/dev/null | cut -d ' ' -f 1; }
known() { awk '$2 != "?"' "$work/tasks" | wc -l; }
check "some tasks are unknown" test "$(known)" -lt "$(wc -l <"$work/tasks")"
check "these are never guessed" test "$(count --process '*')" = "$(known)"

# Ranges begin with the right task.
in_range() {
	local from to
	from=$(sed -n "$1p" "$work/all")
	to=$(sed -n "$2p" "$work/all")
	[ "$(count --process bash --from "${from%?????????}.${from: -9}" --to "${to%?????????}.${to: -9}")" = \
		"$(awk -v from="$from" -v to="$to" '$1 "" >= from "" && $1 "" < to "" && $2 == "bash"' "$work/tasks" | wc -l)" ]
}
for from in 2 100 777 1500 2500 3500; do
	check "a range from event $from on" in_range "$from" $((from + 700))
done
check "written as CTF, the same events are there" test "$(
	"$strata" convert --format ctf -o "$work/ctf" --process bash "$work/kernel" 2>/dev/null
	babeltrace2 "$work/ctf" 2>/dev/null | wc -l
)" = "$(count --process bash)"

# says STATUS PATTERN OPTION...: ends with that status, and says something like that.
says() {
	local wanted=$1 pattern=$2 status=0 output
	shift 2
	output=$("$strata" convert --format count "$@" "$work/kernel" 2>&1) || status=$?
	[ "$status" = "$wanted" ] && grep -qE -- "$pattern" <<<"$output" && return
	printf 'status %s:\n%s\n' "$status" "$output"
	return 1
}
check "a name that no task has is told with the nearest" says 1 'has the process "basch"; the nearest is "bash"' --process basch
check "one that has no events in the range is not" says 0 'no event matches' --process bash --to +0.000000001
finish
