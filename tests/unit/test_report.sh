#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata report` against an independent evaluation of the output of `strata view` (report_peer.py): recordings, their merged CTF,
# damaged ones, other tracers' traces with and without scheduling events; and its command line. RAW...: checks only these
# recordings.
# shellcheck disable=SC2016 # eval and jq expand what is in single quotes
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

# agrees STATUS TRACE...: the report ends with that status, and the peer finds the same figures.
agrees() {
	local wanted=$1
	shift
	"$strata" view --json "$@" >"$work/view" 2>"$work/err"
	ends "$wanted" "$work/report" "$strata" report all --json "$@" || return
	python3 tests/unit/report_peer.py "$work/view" "$work/report"
}

for raw in "$@"; do
	wanted=0
	"$strata" stat "$raw" >/dev/null 2>&1 || wanted=$?
	check "the report on $raw has the figures of a second evaluation" agrees "$wanted" "$raw"
	check "it becomes CTF" eval '"$strata" convert --format ctf --force -o "$work/ctf" "$raw" 2>/dev/null || [ $? = "$wanted" ]'
	check "of which the report says the same" cmp "$work/report" <("$strata" report all --json "$work/ctf" 2>/dev/null)
done
[ $# = 0 ] || {
	finish
	exit
}

report() { "$strata" report "$@"; }

"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null 2>&1
check "a hypervisor's recording with a loss" agrees 0 "$work/xen"
check "in which there is something to compare" jq -e '(.vcpus | length) > 2 and (.behind | length) > 2 and (.pcpus | length) > 3 and
	.facts.losses == 1 and any(.vcpus[]; .unknown_ns > 0)' "$work/report"
"$strata" convert --format ctf -o "$work/xen.ctf" "$work/xen" 2>/dev/null
check "its CTF says the same" cmp "$work/report" <("$strata" report all --json "$work/xen.ctf" 2>/dev/null)
check "so does its merge" eval '"$strata" merge "$work/xen" -o "$work/merged" >/dev/null 2>&1 &&
	report all --json "$work/merged/ctf" 2>/dev/null | cmp "$work/report" -'
cp -r "$work/xen" "$work/torn" && truncate -s -70000 "$work/torn/xen/cpu_1"
check "a torn stream" agrees 3 "$work/torn"
cp -r "$work/xen" "$work/bad" && printf '\377\377\377\177' | dd of="$work/bad/xen/cpu_0" bs=1 seek=30000 conv=notrunc status=none
check "a stream with a bad place" agrees 3 "$work/bad"

for kind in whole lossy gaps mortal silent wakeless empty hostile; do
	python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
	check "a kernel and an application without a hypervisor, $kind" agrees 0 "$work/$kind"
	cp "$work/report" "$work/$kind.report"
done
for kind in whole lossy paused; do
	python3 tests/unit/make_xen_host.py "$work/host.$kind" "$kind"
	check "a hypervisor, two kernels and a guest without a trace, $kind" agrees 0 "$work/host.$kind"
	cp "$work/report" "$work/host.$kind.report"
done
mkdir "$work/host.guests" && cp -r "$work/host.whole/xen" "$work/host.lossy/"{dom0,g1} "$work/host.guests/"
check "what guests lost of their traces costs the hypervisor's no grant" eval 'report grants --json "$work/host.guests" | jq -ce .grants |
	cmp <(jq -c .grants "$work/host.whole.report") -'
mkdir "$work/host.guest" && cp -r "$work/host.whole/"{xen,dom0} "$work/host.lossy/g1" "$work/host.guest/"
check "what one guest lost costs others no event channel" agrees 0 "$work/host.guest"
check "of theirs the report says the same" cmp <(jq -c '.evtchn[] | select(.of == "dom0")' "$work/report") \
	<(jq -c '.evtchn[] | select(.of == "dom0")' "$work/host.whole.report")
check "ports of event channels are signalled by domains and by Xen, and have handlers" jq -e '[.evtchn[].by] | unique | length > 3' \
	"$work/host.whole.report"
check "without upcalls nobody knows how long a port is pending" jq -e 'any(.evtchn[]; .of == "d2") and all(.evtchn[] | select(.of == "d2");
	.signals > 10 and .upcalls == 0 and .pending_ns == null)' "$work/host.whole.report"
check "tasks of a paused domain have their CPUs, and do not run" jq -e '([.tasks[] | select(.source == "g1").vcpu_paused_ns] | add) as $ns |
	$ns > 100000000 and all(.tasks[] | select(.source == "dom0"); .vcpu_paused_ns == 0)' "$work/host.paused.report"
check "domains map, copy and fail to copy" jq -e 'any(.grants[]; .mapped > 10) and any(.grants[]; .failed_copies > 10 and .copied_bytes > 10000)' \
	"$work/host.whole.report"
check "tasks wait for locks while other vCPUs do not run, and spinning vCPUs exit" jq -e 'any(.locks[]; .what | startswith("spinlock 0x")) and
	any(.locks[]; .of == "g1" and .others_stolen_ns > 0 and .others_stolen_ns <= .total_ns) and
	all(.locks[] | select(.of == "dom0"); .others_stolen_ns == null) and any(.locks[]; .of == "g1/0" and .what == "pause")' "$work/host.whole.report"
check "tasks are on a CPU all of the time" jq -e '(.tasks | length) > 10 and all(.tasks[]; .stolen_ns == 0 and .in_xen_ns == 0 and
	.vcpu_asleep_ns == 0) and all(.wakeups[]; .stolen_ns == 0 and .queued_ns == .total_ns) and (.vcpus | length) == 0 and
	any(.requests[]; .what == "work" and .runs_ns > 0) and any(.syscalls[]; .blocked_ns > 0)' "$work/whole.report"
python3 tests/unit/make_namers.py "$work/namers"
check "an application that names tasks leaves those of its kernel alone" eval 'report schedule --json "$work/namers" |
	jq -e "(.tasks | length) == 2"'
check "a guest that numbers interrupts leaves those of dom0 in rows of their own" eval 'report irqs --json "$work/namers" |
	jq -e "any(.irqs[]; .of == \"dom0\" and .what == \"irq 7 dev\") and
		any(.irqs[]; .of == \"g1\" and .what == \"others\" and .count > 10000)"'
python3 tests/unit/make_claimed_user.py "$work/claimed"
check "a trace that claims the user of another one takes no request from it" eval 'report requests --json "$work/claimed" 2>/dev/null |
	jq -e "[.requests[] | select(.what == \"work\").count] == [500]"'
check "nothing is said of physical CPUs" bash -c "! '$strata' report all '$work/whole' | grep -E 'stolen|in Xen|Physical'"
check "losses are counted, and what they hide is unknown" jq -e '.facts.losses > 5 and any(.tasks[]; .unknown_ns > 0)' "$work/lossy.report"
check "and said" says 0 '^Losses: +events were lost [0-9]+ times' report schedule "$work/lossy"
check "switches that are missing are counted, and what they hide is unknown" jq -e '.facts.switches_missing > 500 and .facts.losses == 0 and
	any(.tasks[]; .unknown_ns > 0)' "$work/gaps.report"
check "and said" says 0 '^Gaps: +at least [0-9]+ switches between tasks were not recorded' report schedule "$work/gaps"
check "tasks do not run for longer than the CPUs do" jq -e '([.tasks[].runs_ns] | add) <= 2 * (.facts.last_ns - .facts.first_ns)' \
	"$work/gaps.report"
check "a trace without gaps has none" jq -e '.facts.switches_missing == 0' "$work/whole.report"
for kind in steal wakeups exits hypercalls requests irqs syscalls schedule evtchn grants locks runqueues; do
	check "an empty trace has no $kind, and that is said" says 0 "^$kind: .*\`strata record " report $kind "$work/empty"
done
check "without scheduling events nobody knows of wake-ups" says 0 '^wakeups: the traces lack the events for this report' report wakeups "$work/silent"
check "where the time of requests went is unknown then" jq -e 'all(.requests[]; .unknown_ns == null)' "$work/silent.report"
check "no table has a row for each of a million numbers" jq -e '(.irqs | length) < 20000' "$work/hostile.report"

# The command line.
check "without a KIND" says 2 'name a KIND' report
check "without a trace" says 2 'name the traces' report steal
check "of a KIND that there is not" says 2 'not a kind of report: stel' report stel "$work/xen"
check "one of several that there is not" says 2 'not a kind of report' report steal,stel "$work/xen"
check "of none" says 2 'not a kind of report' report '' "$work/xen"
check "an option that there is not" says 2 'no option of report: --jso?' report --jsn steal "$work/xen"
check "--rows is a number" says 2 '--rows is a number: x' report --rows x steal "$work/xen"
check "and not less than 0" says 2 '--rows is a number' report --rows -1 steal "$work/xen"
check "--csv of one KIND" says 2 '--csv takes one KIND' report --csv all "$work/xen"
check "a time that is none" says 2 '"yesterday" is not a time' report --from yesterday steal "$work/xen"
check "--request wants two events" says 2 '--request is .NAME=.BEGIN,END' report --request one requests "$work/xen"
check "of which none is empty" says 2 '--request is .NAME=.BEGIN,END' report --request one, requests "$work/xen"
check "--request of an event that there is not names the nearest" says 1 '--request: no trace has an event "aks"; there is "ask"' \
	report --request aks,answered requests "$work/whole"
check "--help says how" says 0 '^Usage: strata report KIND' report --help
check "a trace that is not there" says 1 "$work/nothing" report steal "$work/nothing"
check "several KINDs" eval 'report steal,schedule "$work/xen" | grep -c -e "^vCPUs" -e "^Physical CPUs" | grep -qx 2'
check "--rows 1 shows one row, and counts the others" says 0 '^  and [0-9]+ more' report --rows 1 steal "$work/xen"
check "--rows 0 shows all" eval '! report --rows 0 all "$work/whole" | grep " more$"'

# What CSV says is what JSON says.
csv_is_json() {
	report --csv syscalls "$work/whole" >"$work/csv" &&
		[ "$(head -n 1 "$work/csv" | cut -d , -f 1-4)" = of,what,count,total_ns ] &&
		[ "$(tail -n +2 "$work/csv" | cut -d , -f 1-4 | sort)" = "$(jq -r '.syscalls[] | [.of, .what, .count, .total_ns] | join(",")' "$work/whole.report" | sort)" ]
}
check "--csv has the figures of --json" csv_is_json
check "two tables of CSV have a blank line between them, also of nothing" eval 'report --csv steal "$work/empty" 2>/dev/null | grep -cx "" | grep -qx 1'

# A request by names and a field, one without a field, and one by a field that there is not.
check "--request BEGIN,END,KEY finds requests" eval 'report --json --request ask,answered,number requests "$work/whole" |
	jq -e "any(.requests[]; .what == \"ask\" and .count > 100)"'
check "besides those whose names say it" eval 'report --json --request ask,answered,number requests "$work/whole" |
	jq -e "any(.requests[]; .what == \"work\")"'
check "--request NAME=BEGIN,END,KEY calls them so" eval '[ "$(report --json --request question=ask,answered,number requests "$work/whole" |
	jq -c ".requests[] | select(.what == \"question\") | del(.what)")" = "$(report --json --request ask,answered,number requests "$work/whole" |
	jq -c ".requests[] | select(.what == \"ask\") | del(.what)")" ]'
check "where NAME is not empty" says 2 '--request is .NAME=.BEGIN,END' report --request =ask,answered requests "$work/whole"
check "without KEY each task does one at a time" eval '[ "$(report --json --request ask,answered,number requests "$work/whole" | jq -c ".requests[] | select(.what == \"ask\")")" = \
	"$(report --json --request ask,answered requests "$work/whole" | jq -c ".requests[] | select(.what == \"ask\")")" ]'
check "a key that the events lack finds no request" eval 'report --json --request ask,answered,nothing requests "$work/whole" |
	jq -e "all(.requests[]; .what != \"ask\")"'

# Times: two halves of states are the whole; what begins before and ends behind the cut is in neither.
halves() {
	local cut=+0.1 jqs='[.vcpus[] | .running_ns + .runnable_ns + .blocked_ns + .offline_ns + .unknown_ns] | add'
	local whole first second
	whole=$(report --json steal "$work/xen" 2>/dev/null | jq "$jqs")
	first=$(report --json --to $cut steal "$work/xen" 2>/dev/null | jq "$jqs")
	second=$(report --json --from $cut steal "$work/xen" 2>/dev/null | jq "$jqs")
	echo "$first + $second is $whole, but for the time from the last event before the cut"
	[ "$first" -gt 0 ] && [ "$second" -gt 0 ] && [ $((first + second)) -le "$whole" ] && [ $((whole - first - second)) -lt 10000000 ]
}
check "--from and --to divide the time" halves
parts() {
	local of
	for of in syscalls wakeups irqs; do
		report --json --from +0.1 --to +20 $of "$work/whole" | jq -e --arg of "$of" '(.[$of] | length) > 2 and all(.[$of][]; .total_ns ==
			.runs_ns + .queued_ns + .in_xen_ns + .stolen_ns + .vcpu_asleep_ns + .vcpu_paused_ns + .blocked_ns + .unknown_ns)' || return 1
	done
}
check "parts sum to the whole, also from a time to another" parts

# 8 million events: a thread that reads ahead holds no more than a slice of bounded size.
limited() {
	gcc -O1 tests/bench/make_host.c -o "$work/make_host" && "$work/make_host" "$work/long" 8000000 &&
		prlimit --data=$((128 << 20)) "$strata" report all --json "$work/long" 2>"$work/err" | jq -e '.facts.events == 8000000'
}
check "memory does not follow the number of events" limited

# 100,000 tasks that lived one after the other.
short_lived() {
	python3 tests/unit/make_short_lived.py "$work/short" 100000 &&
		prlimit --data=$((96 << 20)) "$strata" report runqueues --json "$work/short" 2>"$work/err" |
		jq -e '.facts.events == 300000 and .facts.not_followed == 0 and .runqueues[0].greatest == 1' &&
		report schedule --csv "$work/short" | wc -l | grep -qx 100003
}
check "tasks that have ended give up what only living ones need" short_lived
finish
