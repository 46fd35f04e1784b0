#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086 # $GUESTS and $QUIET are lists of words
#
# Channels of Xen that count events, beside one that records the same events. The guests stand still when the one or the other
# begins or ends, so that all have the same events of them. Runs in dom0; what they count goes to $LAB_OUT, where
# test_aggregate.sh compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Changes of runstates are of any domain: nothing holds them still.
EVENTS="--xen all,xen,!runstate*"
GUESTS="--xen-domain g1,g2"

# Starts an aggregator with the other arguments; it is $recorder. Its counts go to $LAB_OUT/$1.json, its messages to $1.
start_aggregator() {
	log=$1
	shift
	strata record --json "$@" >"$LAB_OUT/$log.json" 2>"$log" &
	recorder=$!
	await_line "$log" 'counting in channel' 200
}

# The same with strata top, a line of JSON for each look.
start_top() {
	log=$1
	shift
	strata top --json "$@" >"$LAB_OUT/$log.json" 2>"$log" &
	recorder=$!
	await_line "$log" 'counting in channel' 200
}

end_aggregator() {
	recorder=$2
	end_recorder INT
	log=$1
	expect_status "$1 ends well" 0
}

all_domains() {
	for domain in g1 g2; do
		xl "$1" $domain
	done
}

they_agree_with_a_recorder() {
	all_domains pause
	start_recorder beside --kernel none $EVENTS $GUESTS --xen-budget none --xen-buffer 1Mx8 --output "$LAB_OUT/beside"
	beside=$recorder
	start_aggregator counts --aggregate count:domain $EVENTS $GUESTS
	counts=$recorder
	start_aggregator times --aggregate time:vm_exit..vm_entry:domain $GUESTS
	times=$recorder
	start_aggregator all --aggregate count $EVENTS $GUESTS
	all=$recorder
	# Too few rows: its table is renewed again and again.
	start_top few --rows 4 --interval 2s $EVENTS $GUESTS count:domain
	few=$recorder
	try list strata list
	expect_line "list shows what counts" list "channel 7: counting by aggregator 7, process $counts"
	expect_line "beside what records" list "channel 0: recording by recorder 0, process $beside"
	try select strata select --recorder 7 --xen sched
	expect_status "an aggregator takes no selection" 1
	all_domains unpause
	try top strata top --once --interval 2s
	cp top "$LAB_OUT/top.txt"
	expect_status "top shows one look, and ends" 0
	expect_line "of dom0" top '^ *xen +[a-z_0-9]+ +dom0 +[1-9]'
	expect_line "of idle CPUs" top '^ *xen +[a-z_0-9]+ +idle +[1-9]'
	expect_line "and of a guest by its name" top '^ *xen +[a-z_0-9]+ +g1 +[1-9]'
	try lines strata top --interval 500ms --duration 2s --json --xen sched count
	expect_status "top ends after its duration" 0
	if [ "$(wc -l <lines)" -ge 4 ]; then
		passed "with a line for each look"
	else
		missed "with a line for each look" "fewer" lines
	fi
	try histogram strata top --once --interval 1s time:vm_exit..vm_entry:domain
	cp histogram "$LAB_OUT/histogram.txt"
	expect_line "top draws a histogram" histogram 'or more +[1-9][0-9]* #+$'
	sleep 6
	all_domains pause
	end_aggregator counts $counts
	end_aggregator times $times
	end_aggregator all $all
	end_aggregator few $few
	recorder=$beside
	end_recorder INT
	log=beside
	expect_status "the recorder ends well" 0
	expect_line "and lost nothing" beside 'recorded [1-9][0-9]* events .*, 0 lost'
	all_domains unpause
}

# The guest's shell waits for a command when the one or the other begins or ends, so that no system call crosses that moment.
kernels_agree_with_a_recorder() {
	start_recorder kbeside --xen none --kernel g3:sys_enter,sys_exit --output "$LAB_OUT/kbeside"
	kbeside=$recorder
	start_aggregator kcounts --aggregate count --xen none --kernel g3:sys_enter,sys_exit
	kcounts=$recorder
	start_aggregator ktimes --aggregate time:sys_enter..sys_exit --kernel g3
	ktimes=$recorder
	try klist strata list
	expect_line "list shows what counts in a kernel" klist "channel 7: counting by aggregator 7 \(process $kcounts\)"
	# A vCPU that Xen preempts between two readings of the clock shifts a time by some 25 ms: beside these calls that is little.
	tell g3 'sleep 2 & sleep 2 & sleep 2; wait'
	mark g3 1
	try ktop strata top --once --interval 1s --xen none --kernel g3:sched_switch --kernel dom0:sched_switch
	expect_status "top shows kernels" 0
	expect_line "a guest's" ktop '^ *g3 +sched_switch +[1-9]'
	expect_line "and dom0's" ktop '^ *dom0 +sched_switch +[1-9]'
	sleep 1
	end_aggregator kcounts $kcounts
	end_aggregator ktimes $ktimes
	recorder=$kbeside
	end_recorder INT
	log=kbeside
	expect_status "a recorder of the kernel ends well" 0
	expect_line "and lost nothing of it" kbeside 'recorded [1-9][0-9]* events .*, 0 lost'
	try freed strata list
	expect_no_line "the kernel's channels are freed" freed 'channel [0-9]'
}

# g2 stands still: the others count, and all together wait for it once.
silent_kernels_cost_themselves() {
	xl pause g2
	before=$(date +%s)
	try silent strata top --once --interval 1s --xen none --kernel g1:sched_switch --kernel g2:sched_switch --kernel g3:sched_switch
	after=$(date +%s)
	expect_status "a silent kernel ends nothing, but is left out" 3
	expect_line "it is named" silent '^strata: domain [0-9]+ \(g2\) is left out: it does not answer within 10 s'
	expect_line "and in what is shown" silent '^g2: not counted, because its kernel did not answer'
	expect_line "another one counts" silent '^ *g1 +sched_switch +[1-9]'
	expect_no_line "the silent one does not" silent '^ *g2 +sched_switch'
	echo "took $((after - before)) s" >seconds
	if [ $((after - before)) -lt 30 ]; then
		passed "it is waited for once"
	else
		missed "it is waited for once" "took long" seconds
	fi
	xl unpause g2
	sleep 3
	try thawed strata list
	expect_no_line "it makes no tables later" thawed 'channel [0-9]'
}

# A guest that reboots gets another number, and goes on counting.
a_reboot_is_the_same_domain() {
	old=$(xl domid g1)
	start_top reboots --interval 1s --xen sched count:domain
	counter=$recorder
	sleep 3
	xl reboot g1
	new=$old tries=0
	while [ "$new" = "$old" ] && [ $tries -lt 240 ]; do
		sleep 0.5
		new=$(xl domid g1 2>/dev/null || echo "$old")
		tries=$((tries + 1))
	done
	sleep 8
	end_aggregator reboots $counter
	tail -n 1 "$LAB_OUT/reboots.json" | tr '{' '\n' >last
	echo "$old became $new" >numbers
	expect_no_line "a guest that reboots gets another number" numbers "^$old became $old\$"
	expect_line "its next boot has its counts" last "\"domain\":\"g1\",\"domain_id\":$new,"
	expect_no_line "and the last boot has no row" last "\"domain_id\":$old,"
}

wrong_usage_is_refused() {
	try wrong strata top time:vm_exit..no_such_event
	expect_line "an unknown event is named" wrong '"no_such_event" is no event of Xen'
	try wrong strata top counting
	expect_status "what cannot be counted is wrong usage" 2
	try wrong strata record --aggregate count --output /tmp/none
	expect_status "what counts writes no recording" 2
	try wrong strata top --once --xen-domain no_such_domain
	expect_line "an unknown domain is named" wrong 'no domain "no_such_domain" runs here'
}

killed_aggregators_are_cleared() {
	start_aggregator victim --aggregate count
	victim=$recorder
	kill -KILL $victim
	sleep 1
	try left strata list
	expect_line "the tables of one that was killed stay" left "channel 7: counting by aggregator 7, process $victim"
	start_aggregator next --aggregate count:domain
	next=$recorder
	expect_line "until the next one frees them" next "freeing the rings that \"aggregator 7, process $victim\" left in Xen"
	kill -KILL $next
	sleep 1
	start_recorder frees --kernel none --xen sched --output /tmp/frees
	expect_line "or the next recorder" frees "freeing the rings that \"aggregator 7, process $next\" left in Xen"
	end_recorder INT
	log=frees
	expect_status "which records well" 0
	start_aggregator kvictim --aggregate count --xen none --kernel g3:sched_switch
	victim=$recorder
	kill -KILL $victim
	sleep 1
	start_recorder kfrees --xen none --kernel dom0:sched_switch --output /tmp/kfrees
	expect_line "a recorder also frees what one left in a kernel" kfrees "ending what aggregator 7 \(process $victim\) left in 1 kernel"
	end_recorder INT
	log=kfrees
	expect_status "and records well" 0
}

they_agree_with_a_recorder
kernels_agree_with_a_recorder
silent_kernels_cost_themselves
wrong_usage_is_refused
killed_aggregators_are_cleared
a_reboot_is_the_same_domain
try end strata list
expect_no_line "no channel is left in Xen" end 'channel [0-9]'
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
