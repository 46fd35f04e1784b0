#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata report critical-path` against an independent evaluation of the output of `strata view` (critical_path_peer.py):
# kernels with losses, without scheduling events, with hostile names; and its command line. RAW TASK...: checks only these tasks
# of this recording.
# shellcheck disable=SC2016 # eval and jq expand what is in single quotes
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

path() { "$strata" report critical-path "$@"; }

# agrees VIEW OPTION... TRACE: the peer finds the same.
agrees() {
	local view=$1
	shift
	ends 0 "$work/path" path --json "$@" && python3 tests/unit/critical_path_peer.py "$view" "$work/path"
}

if [ $# -gt 0 ]; then
	raw=$1
	shift
	"$strata" view --json "$raw" >"$work/view" 2>/dev/null
	for task in "$@"; do
		check "the critical path of $task is what a second evaluation says" agrees "$work/view" --task "$task" "$raw"
	done
	finish
	exit
fi

for kind in whole lossy gaps mortal hostile; do
	python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
	"$strata" view --json "$work/$kind" >"$work/$kind.view" 2>/dev/null
	# The first tasks that run, by their numbers.
	tasks=$("$strata" report schedule --json "$work/$kind" 2>/dev/null | jq -r '.tasks[:3][].task | split("-")[-1]')
	check "there are tasks, $kind" test "$(wc -w <<<"$tasks")" = 3
	for task in $tasks; do
		check "the critical path of $task is what a second evaluation says, $kind" agrees "$work/$kind.view" --task "$task" "$work/$kind"
	done
	cp "$work/path" "$work/$kind.path"
done
check "of a part of the time, too" agrees "$work/whole.view" --task task3 --from +2 --to +4 "$work/whole"
check "which is no longer than that" jq -e '.facts.first_ns as $first | .critical_path_of[0] |
	.from_ns >= $first + 2000000000 and .from_ns + .ns <= $first + 4000000000 and .ns > 1900000000' "$work/path"
path --json --task kernel:task3-30 "$work/whole" >"$work/path"
check "it is of the task" jq -e '.critical_path_of | length == 1 and .[0].task == "task3-30" and .[0].kernel == "machine/kernel"' "$work/path"
check "there is something of all kinds" jq -e '[.critical_path[].cause] | contains(["ran", "irq", "queued", "waits_irq", "woken_while"])' "$work/path"
check "shares are of the whole" jq -e '[.critical_path_sums[].share] | add | . > 0.9999 and . <= 1' "$work/path"
check "each has a bound" jq -e 'all(.critical_path[]; .bound_ns != null)' "$work/path"
check "losses make it unknown" jq -e 'any(.critical_path[]; .cause == "unknown_task")' "$work/lossy.path"
path --rows 0 --task "$(jq -r '.critical_path_of[0].task | split("-")[-1]' "$work/hostile.path")" "$work/hostile" >"$work/text"
check "no name has commands for a terminal" eval '[ "$(wc -l <"$work/text")" -gt 10 ] && ! grep -q "[[:cntrl:]]" "$work/text"'

# Forms.
check "as text: of which task" says 0 '^Critical path of$' path --task task3 "$work/whole"
check "the sums" says 0 '^Who ran or waited$' path --task task3 "$work/whole"
check "the segments, not all" says 0 '^ +and [0-9]+ more$' path --task task3 "$work/whole"
check "CSV has them all" eval '[ "$(path --csv --task task3 "$work/whole" | sed -n "/^from,from_ns/,\$p" | wc -l)" = $(($(jq ".critical_path | length" "$work/path") + 1)) ]'

# The command line.
check "--help says how" says 0 '^  critical-path  what a task' path --help
check "without a task" says 2 'critical-path and --task \[KERNEL:\]TASK go together' path "$work/whole"
check "a task of another report" says 2 'go together' "$strata" report steal --task 3 "$work/whole"
check "a task that is none" says 2 '--task is \[KERNEL:\]TASK' path --task kernel: "$work/whole"
check "no such task: these are there" says 1 'no such task; there are: .*task' path --task nobody "$work/whole"
check "no such kernel" says 1 'no kernel g7 was traced' path --task g7:task3 "$work/whole"
check "several fit" says 1 'several fit: .*, .* name one as KERNEL:NUMBER' path --task 'task*' "$work/whole"
check "not at that time" says 1 'is not seen between' path --task task3 --from +5000 "$work/whole"
python3 tests/unit/make_scheduled.py "$work/silent" silent
check "without scheduling events" says 1 'do not say when tasks run; record that with' path --task task3 "$work/silent"
finish
