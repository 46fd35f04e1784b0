#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which events Xen records, and which it omits: boots the host of points.lab and checks its
# recordings. Speaks TAP; run by tests/run.sh.
# shellcheck disable=SC2016 # what is not expanded is awk's
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/points

# Merges recording $1 into $OUT/$1-merged, as text in columns.
merge() {
	merged_cleanly "$OUT/$1" "$OUT/$1-merged"
}

# timeline RECORDING AWK-PROGRAM [AWK OPTIONS...]: over its events of Xen, as columns() has it.
timeline() {
	local recording=$1 program=$2
	shift 2
	columns "$OUT/$recording-merged/timeline.txt" 'layer != "xen" { next } '"$program" "$@"
}

# Each event with all its fields is there at least once.
every_new_event_is_there() {
	local event missing=0
	for event in evtchn_send evtchn_pending evtchn_unmask pv_hypercall pv_hypercall_return hvm_hypercall \
		hvm_hypercall_return grant_map grant_unmap grant_op vm_exit vm_exit_info vcpu_pause vcpu_unpause domain_pause \
		domain_unpause vcpu_migrate xen_softirq_entry xen_softirq_exit xen_timer_expire xen_ipi_send xen_ipi_receive \
		nmi domain_created domain_killed domain_destroyed; do
		timeline all 'event == wanted { found = 1; exit } END { exit !found }' -v "wanted=$event" ||
			{ echo "no $event"; missing=1; }
	done
	return $missing
}

# On its CPU, what a send to another domain causes follows before the next send.
sends_make_their_port_pending() {
	timeline all '
		event == "evtchn_send" && number("state") == 3 {
			sends++
			if (pcpu in wanted) { print "nothing pending from: " wanted[pcpu]; bad++ }
			wanted[pcpu] = $0; domain[pcpu] = number("to_domain"); port[pcpu] = value("to_port")
		}
		event == "evtchn_pending" && (pcpu in wanted) && number("of_domain") == domain[pcpu] && value("port") == port[pcpu] {
			delete wanted[pcpu]
		}
		END { print sends + 0 " sends, " bad + 0 " without their event"; exit !(sends > 10 && !bad) }'
}

# hypercalls_return KIND DOMAIN: each of that domain is followed by its own return on its vCPU.
hypercalls_return() {
	timeline all '
		index(vcpu, domain "/") != 1 { next }
		event == kind "_hypercall" {
			if (open[vcpu] != "") { print "no return of: " open[vcpu]; bad++ }
			open[vcpu] = $0; op[vcpu] = value("op"); calls++
		}
		event == kind "_hypercall_return" && open[vcpu] != "" {
			if (value("op") != op[vcpu]) { print "returns from another: " $0; bad++ }
			if (number("result") < 0) failed++
			open[vcpu] = ""
		}
		END { print calls + 0 " hypercalls, " failed + 0 " failed, " bad + 0 " wrong"; exit !(calls > 20 && !bad) }' \
		-v "kind=$1" -v "domain=$2"
}

# `strata list` mapped the pages of g1 with its table of events, each twice (Linux has a mapping of its own), and let them go; its rings'
# 256 pages were not among them.  The operations say as many as there are records; one that continues says how many it has done.
grants_are_those_of_the_list() {
	timeline all '
		event == "grant_map" && vcpu == "dom0/0" && value("granter") ~ /^1/ { maps++; refs += !seen[value("ref")]++ }
		event == "grant_unmap" && vcpu == "dom0/0" && value("granter") ~ /^1/ { unmaps++ }
		event == "grant_map" { all++ }
		event == "grant_op" && number("cmd") == 0 { counted += number("result") ? number("result") : number("count") }
		END {
			print refs + 0 " granted, " maps + 0 " maps, " unmaps + 0 " unmaps; all: " all ", operations: " counted + 0
			exit !(refs > 1 && refs <= 128 && maps == 2 * refs && unmaps == maps && counted == all)
		}'
}

# The domain that xl made and destroyed has the UUID that xl showed.
domains_have_their_uuid() {
	local uuid
	uuid=$(grep -oE '[0-9a-f-]{36}' "$OUT/g9")
	echo "g9 is $uuid"
	timeline all '
		function hex(text,   parts, i, all) {
			gsub(/[][,]/, " ", text)
			split(text, parts, " ")
			for (i = 1; i <= 16; i++)
				all = all sprintf("%2s", substr(parts[i], 3))
			gsub(/ /, "0", all)
			return all
		}
		event ~ /^domain_(created|killed|destroyed)$/ {
			print
			if (hex(substr($0, index($0, "uuid=") + 5)) == wanted) order = order event " "
		}
		END { print order; exit (order != "domain_created domain_killed domain_destroyed ") }' -v "wanted=${uuid//-/}"
}

# g1 was paused and unpaused once by xl; g2 moved to CPU 0 and back.
pauses_and_moves_are_told() {
	timeline all '
		event == "domain_pause" && vcpu == "dom0/0" && value("of_domain") ~ /^1/ && number("count") == 1 { paused++ }
		event == "domain_unpause" && vcpu == "dom0/0" && value("of_domain") ~ /^1/ && number("count") == 0 && paused { unpaused++ }
		event == "vcpu_migrate" && value("of_domain") ~ /^2/ { moves = moves value("from_pcpu") ">" value("to_pcpu") " " }
		END { print paused + 0, unpaused + 0, moves; exit !(paused && unpaused && moves == "1>0 0>1 ") }'
}

# Softirqs that return do so by their number; timers expire in their softirq (0), where a timer is due and not long ago.
softirqs_and_timers_nest() {
	timeline all '
		event == "xen_softirq_entry" { softirq[pcpu] = number("softirq"); entries++ }
		event == "xen_softirq_exit" {
			if ((pcpu in softirq) && softirq[pcpu] != number("softirq")) { print; bad++ }
			delete softirq[pcpu]; exits++
		}
		event == "xen_timer_expire" {
			if ((pcpu in softirq) && softirq[pcpu] != 0) { print; bad++ }
			if (value("function") !~ /^0xffff82/) { print; bad++ }
			timers++
		}
		END { print entries + 0, exits + 0, timers + 0, bad + 0; exit !(entries >= exits && exits > 100 && timers > 100 && !bad) }'
}

# What is sent to the other of two CPUs is received there.
ipis_arrive() {
	timeline all '
		event == "xen_ipi_send" { sent[value("vector") " " (value("to_pcpus") == "0x1" ? 0 : 1)]++ }
		event == "xen_ipi_receive" { received[value("vector") " " pcpu]++; all++ }
		END {
			for (i in received) {
				print i ": " sent[i] + 0 " sent, " received[i] " received"
				if (received[i] > sent[i] + 1) bad = 1
			}
			exit bad || !all
		}'
}

# only RECORDING PATTERN: the names of all events of Xen there match.
only() {
	timeline "$1" 'event !~ pattern { print; bad++ } END { exit bad || !NR }' -v "pattern=$2"
}

# While g2 runs, nothing but changes of runstates is recorded; it does run, and others are recorded.
domain_is_left_out() {
	timeline without-g2 '
		vcpu == "d2/0" && event !~ /^(runstate|strata)_/ { print; bad++ }
		event == "runstate_runnable_to_running" && value("of_domain") ~ /^2/ { ran++ }
		vcpu != "d2/0" && event !~ /^(runstate|strata)_/ { others++ }
		END { print ran + 0, others + 0; exit !(ran > 2 && others > 100 && !bad) }'
}

# In each window, a budget of 8000 a second fills 400; two of them may meet.  Runstates and our own events are not bound, and
# interrupts that come meanwhile, less than 100, have a budget of their own.
flood_keeps_to_its_budget() {
	timeline flood '
		vcpu == "g1/0" && event !~ /^(runstate|strata)_/ {
			all++
			if (!(all % 901 in at)) ;
			else if (seconds - at[all % 901] < 0.05) { print "901 within 50 ms: " $0; bad++ }
			at[all % 901] = seconds
		}
		END { print all + 0; exit !(all > 800 && !bad) }'
}

only_the_flooding_guest_is_refused() {
	timeline flood '
		event == "strata_budget" { told++; if (value("of_domain") !~ /^1/ || number("budget_per_s") != 8000) { print; bad++ } }
		END { print told + 0; exit !(told && !bad) }'
}

# Of g2, every exit is followed by an entry and every entry by an exit: nothing is missing.
the_other_guest_is_complete() {
	timeline flood '
		vcpu != "d2/0" { next }
		event == "vm_exit" { if (last == "vm_exit") { print; bad++ } last = event; exits++ }
		event == "vm_entry" { if (last == "vm_entry") { print; bad++ } last = event }
		END { print exits + 0; exit !(exits > 50 && !bad) }'
}

# refused RECORDING: what the trace says, and what the recorder printed.
refused() {
	timeline "$1" '
		event == "strata_budget" { total[value("of_domain") " " value("of_pcpu")] = number("refused_total"); sum += number("refused") }
		END { for (i in total) all += total[i]; if (all != sum) print "sum of parts: " sum + 0; print all + 0 }'
}

trace_and_recorder_agree() {
	local said
	said=$(sed -n 's/^strata: \([0-9]*\) events were refused.*/\1/p' "$OUT/$1.log")
	echo "trace: $(refused "$1"), recorder: $said"
	[ -n "$said" ] && [ "$(refused "$1")" = "$said" ]
}

# recorded_and_refused RECORDING: 20000 notifications, give or take what g1 sends of its own.
recorded_and_refused() {
	local recorded
	recorded=$(timeline "$1" 'event == "evtchn_send" && vcpu == "g1/0" { n++ } END { print n + 0 }')
	echo "recorded $recorded, refused $(refused "$1")"
	recorded=$((recorded + $(refused "$1")))
	[ "$recorded" -ge 20000 ] && [ "$recorded" -le 20100 ]
}

every_notification_is_there() {
	timeline unbounded 'event == "evtchn_send" && vcpu == "g1/0" && number("state") == 2 { n++ } END { print n + 0; exit n != 20000 }'
}

# For a second, changes of runstates are all there is on either CPU; then everything is back.  Each of 42 changes is told twice
# on both.
selection_changed() {
	timeline changed '
		event == "strata_selection" { told[number("changed")]++ }
		event ~ /^(runstate|strata)_/ { next }
		last && seconds - last > quiet { quiet = seconds - last; after = 0 }
		{ last = seconds; after++ }
		END {
			print "quiet for " quiet " s, " after + 0 " events after; told " told[0] + 0 " and " told[1] + 0 " times"
			exit !(quiet > 0.9 && after > 100 && told[0] == 84 && told[1] == 84)
		}'
}

# Before the change, g2's exits are there and nobody is refused; after it, the other way round. From "changed=0" to "changed=1" a
# probe may know the old selection or the new one.
domains_and_budget_changed() {
	timeline narrowed '
		event == "strata_selection" { if (number("changed")) changed++; else begun++; next }
		vcpu == "d2/0" && event !~ /^(runstate|strata)_/ { if (changed) { print; bad++ } else exits++ }
		event == "strata_budget" { if (!begun || value("of_domain") !~ /^1/ || number("budget_per_s") != 1000) { print; bad++ } told++ }
		END { print exits + 0, changed + 0, told + 0; exit !(exits > 10 && changed && told && !bad) }'
}

# Sub-buffers that were read from the wrong pages are no packets; all else, Xen's streams above all, is whole.
lied_merges() {
	local status=0
	out/bin/strata merge "$OUT/lied" -o "$OUT/lied-merged" || status=$?
	{ [ "$status" = 0 ] || [ "$status" = 3 ]; } &&
		jq -e '[.streams[] | select(.layer == "xen") | .events > 0 and .lost == 0] | all' "$OUT/lied-merged/summary.json"
}

build_helpers() {
	local name
	for name in peek reselect scribble misuse; do
		build_helper "$name" || return
	done
}

build_helper() {
	# shellcheck disable=SC2046 # several arguments
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Imerge -Idom0-tools \
		"tests/xen/helpers/$1.c" out/build/{stratad,consumerd,merge}.a -o "$OUT/$1" \
		$(pkg-config --libs xencall xenforeignmemory xengnttab xenevtchn xenstore xentoollog json-c)
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the helpers build" build_helpers
boot "$here/points.lab" "$OUT"

for recording in all without-g2 named changed narrowed flood counted unbounded; do
	check "$recording merges, and its order holds" merge "$recording"
done
check "every new event is recorded" every_new_event_is_there
check "an event that is sent becomes pending at its target" sends_make_their_port_pending
check "hypercalls of a PV guest return" hypercalls_return pv dom0
check "hypercalls of a PVH guest return" hypercalls_return hvm d2
check "grants that are mapped are counted and named" grants_are_those_of_the_list
check "domains are made and destroyed with their UUID" domains_have_their_uuid
check "pauses and migrations are told" pauses_and_moves_are_told
check "softirqs and timers are plausible" softirqs_and_timers_nest
check "interrupts between CPUs arrive" ipis_arrive
check "a domain that is left out is left out" domain_is_left_out
check "a selection takes effect while it records" selection_changed
check "domains and budget change, too" domains_and_budget_changed
check "and what the new one refuses is told" trace_and_recorder_agree narrowed
check "events chosen by name are the only ones" only named '^(evtchn_send|evtchn_pending|vm_exit|runstate_.*|strata_.*)$'
check "a guest that floods keeps to its budget" flood_keeps_to_its_budget
check "and is the only one that is refused" only_the_flooding_guest_is_refused
check "the other guest is complete" the_other_guest_is_complete
check "the trace tells every refusal of a flood" trace_and_recorder_agree flood
check "and of one that is counted" trace_and_recorder_agree counted
check "recorded and refused add up" recorded_and_refused counted
check "without a budget every notification is there" every_notification_is_there
check "what came of a guest to which dom0 lied merges, but for what is none" lied_merges
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
