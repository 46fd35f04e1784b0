#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata why` against an independent evaluation of the output of `strata view` (why_peer.py): kernels with losses, without
# scheduling events, with hostile names; and its command line. RAW...: checks only these recordings.
# shellcheck disable=SC2016 # eval and jq expand what is in single quotes
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

why() { "$strata" why "$@"; }

# agrees STATUS VIEW OPTION... TRACE: the answer ends with that status, and the peer finds the same.
agrees() {
	local wanted=$1 view=$2
	shift 2
	ends "$wanted" "$work/why" why --json "$@" && python3 tests/unit/why_peer.py "$view" "$work/why"
}

for raw in "$@"; do
	wanted=0
	"$strata" stat "$raw" >/dev/null 2>&1 || wanted=$?
	"$strata" view --json "$raw" >"$work/view" 2>/dev/null
	check "where the time of requests on $raw went is what a second evaluation says" agrees "$wanted" "$work/view" --worst 20 "$raw"
	check "that of system calls, too" agrees "$wanted" "$work/view" --worst 20 --syscall '*' --slower-than 1ms "$raw"
	check "that of wake-ups, too" agrees "$wanted" "$work/view" --worst 20 --wakeup '*' "$raw"
done
[ $# = 0 ] || {
	finish
	exit
}

# answers JQ OPTION...: there is an answer, and that is true of it.
answers() {
	local filter=$1
	shift
	ends 0 "$work/answer" why --json "$@" || return
	jq -e "$filter" "$work/answer" || jq -c '[.all, (.instances[] | [.source, .name, .task, .ns])]' "$work/answer"
}

for kind in whole lossy gaps mortal silent wakeless hostile; do
	python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
	"$strata" view --json "$work/$kind" >"$work/$kind.view" 2>/dev/null
	check "requests of an application, $kind" agrees 0 "$work/$kind.view" --worst 50 "$work/$kind"
	cp "$work/why" "$work/$kind.why"
	[ $kind = silent ] || check "system calls, $kind" agrees 0 "$work/$kind.view" --worst 50 --syscall '*' "$work/$kind"
done
python3 tests/unit/make_xen_host.py "$work/paused" paused
"$strata" view --json "$work/paused" >"$work/paused.view" 2>/dev/null
check "stretches of work of a domain that is paused" agrees 0 "$work/paused.view" --worst 50 --task 'g1:*' "$work/paused"
check "of which pauses are a part" jq -e 'any(.. | objects; .cause == "vcpu_paused" and .ns > 0)' "$work/why"
check "wake-ups of a domain that is paused" agrees 0 "$work/paused.view" --worst 50 --wakeup 'g1:*' "$work/paused"
python3 tests/unit/make_scheduled.py "$work/empty" empty
for kind in whole lossy gaps mortal hostile; do
	check "stretches of work, $kind" agrees 0 "$work/$kind.view" --worst 50 --task '*' "$work/$kind"
	[ $kind = hostile ] || check "wake-ups, $kind" agrees 0 "$work/$kind.view" --worst 50 --wakeup '*' "$work/$kind"
done
check "there is something of all kinds" jq -e '[.tree.parts[].cause] | contains(["ran", "queued", "irq", "blocked"])' "$work/whole.why"
check "without a hypervisor nothing is said of vCPUs" jq -e 'all(.. | objects | select(.cause); .cause | startswith("vcpu") | not)' "$work/whole.why"
check "losses make times unknown" jq -e 'any(.. | objects; .cause == "unknown_task") and .facts.losses > 5' "$work/lossy.why"
check "and are said" says 0 '^Losses: +events were lost [0-9]+ times' why "$work/lossy"
check "without scheduling events all is unknown" jq -e '.finding.blame == "unknown" and .finding.share == 1 and
	.record == ["--kernel '"'DOMAIN:sched/*'"'"]' "$work/silent.why"
check "and it is said what to record" says 0 "^To know what is unknown, record with: strata record --kernel 'DOMAIN:sched" why "$work/silent"
check "no tree has a part for each of a million names" jq -e 'all(.. | objects | select(.parts); (.parts | length) <= 258)' "$work/hostile.why"
check "an empty trace has no requests" says 1 'no requests that end in them; they come from events NAME_begin and NAME_end' why "$work/empty"
check "nor tasks" says 1 "no stretches of work that end in them; .* --kernel 'DOMAIN:sched" why --task x "$work/empty"

# A hypervisor alone: nothing is to be explained, and it is said why.
"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null 2>&1
check "a hypervisor's trace has no requests" says 1 'the traces have no requests' why "$work/xen"

# What is asked for.
check "a request by its source and name" answers '.all.count > 100 and all(.instances[]; .name == "work")' --request "machine:work" "$work/whole"
check "for a source without that request, the requests that exist are listed" says 1 '^  (work|other)$' why --request nobody:work "$work/whole"
check "requests by two events" answers 'all(.instances[]; .name == "ask")' --request ask,answered,number "$work/whole"
check "a task by its name" answers 'all(.instances[]; .task == "task3-30")' --task "kernel:task3" --worst 9 "$work/whole"
check "by its number" answers 'all(.instances[]; .tid == 30)' --task 30 --worst 9 "$work/whole"
check "by both" answers '.all.count > 5' --task task3-30 --worst 9 "$work/whole"
check "--slower-than leaves others out" answers '.all.count > 3 and all(.instances[]; .ns >= 100000000)' --slower-than 100ms --worst 1000 "$work/whole"
check "--worst is how many" answers '(.instances | length) == 3 and .instances[0].ns >= .instances[1].ns' --worst 3 "$work/whole"
check "--at finds what went on then" answers '.facts.first_ns as $first | (.instances | length) > 1 and
	all(.instances[]; .from_ns <= $first + 5000000000 and .to_ns >= $first + 5000000000)' --at +5 "$work/whole"
check "--from and --to leave out what is not between" answers '.facts.first_ns as $first | all(.instances[];
	.from_ns >= $first + 2000000000 and .to_ns <= $first + 4000000000)' --from +2 --to +4 "$work/whole"
check "one that is longer than the trace says so" answers 'any(.instances[]; .goes_on)' --task "*" --worst 1000 "$work/whole"

# Words.
check "in words first" eval 'why --worst 1 --request work "$work/whole" | head -n 1 | grep -qE "^The longest of [0-9]+ requests took [0-9.]+ m?s ± [0-9]+"'
check "then the request" says 0 '^1\. work [0-9]+ of machine took .* from \+[0-9]+\.[0-9]{9}$' why --worst 1 --request work "$work/whole"
check "then its tree" says 0 '^ +[0-9.]+ %  +[0-9.]+ m?s ± [0-9]+ .*blocked' why --worst 3 "$work/whole"
check "no name has commands for a terminal" eval '! why --worst 50 "$work/hostile" | grep -q "[[:cntrl:]]"'

# The command line.
"$strata" import tests/unit/data/host.xentrace -o "$work/cut" --tsc-khz 2445427 >/dev/null 2>&1 && truncate -s -70000 "$work/cut/xen/cpu_1"
check "a stream that lacks packets is named" says 1 'cpu_1: it ends after 0 packets, but the recording says 3' why "$work/cut"
check "--help says how" says 0 '^Usage: strata why' why --help
check "without a trace" says 2 'name the traces' why --worst 3
check "an option that there is not" says 2 'no option of why: --wrost' why --wrost 3 "$work/whole"
check "two questions" says 2 'one --syscall' why --task x --syscall y "$work/whole"
check "a question without a name" says 2 'one of --task or --wakeup' why --task kernel: "$work/whole"
check "--worst 0" says 2 '--worst is a number from 1' why --worst 0 "$work/whole"
check "--worst of too many" says 2 '--worst is a number from 1' why --worst 1001 "$work/whole"
check "a length that is none" says 2 '--slower-than is a length' why --slower-than fast "$work/whole"
check "a length without a unit" says 2 '--slower-than is a length' why --slower-than 10 "$work/whole"
check "a time that is none" says 2 '--at is a time' why --at noon "$work/whole"
check "a range that is empty" says 2 'strata: why: ' why --from +2 --to +1 "$work/whole"
check "a trace that is not there" says 1 "$work/nothing" why "$work/nothing"
finish
