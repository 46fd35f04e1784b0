#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes Xen do what its trace points are for, and records it: everything; then a part of it; then a flood that is held by a
# budget. Runs in dom0; test_points.sh looks at the recordings in $LAB_OUT.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

cd /tmp || exit

# Starts to record in the background into $LAB_OUT/$1, with the other arguments; its log is file $1.
begin_recording() {
	name=$1
	shift
	start_recorder "$name" --output "$LAB_OUT/$name" "$@"
}

end_recording() {
	end_recorder INT
	expect_line "$name is recorded, and nothing lost" "$name" 'recorded [1-9][0-9]* events .*, 0 lost'
}

# Waits for the burst number $1 of g1's storm.
await_storm() {
	await_console g1 "^storm: done" "$1"
}

everything_there_is() {
	begin_recording all --xen all,xen --kernel none
	xl debug-keys N
	xl pause g1
	xl unpause g1
	xl vcpu-pin g2 0 0
	"$LAB_OUT/peek" 1 >peek.log 2>&1 || cat peek.log
	strata list >/dev/null
	sed 's/name = "g1"/name = "g9"/' /lab/guests/g1.cfg >g9.cfg
	xl create -p g9.cfg >create.log 2>&1
	xl list -v g9 >"$LAB_OUT/g9"
	xl destroy g9
	xl vcpu-pin g2 0 1
	end_recording
}

parts_of_it() {
	strata record --duration 1s --output "$LAB_OUT/without-g2" --xen-domain '!g2' --kernel none >without-g2 2>&1
	expect_line "a domain can be left out" without-g2 'recorded [1-9]'
	strata record --duration 1s --output "$LAB_OUT/named" --xen 'evtchn_*,vm_exit,!evtchn_unmask' --kernel none >named 2>&1
	expect_line "events can be chosen by name" named 'recorded [1-9]'
	status=0
	strata record --duration 1s --output none --xen-domain nobody >nobody.log 2>&1 || status=$?
	echo "status $status" >>nobody.log
	expect_line "a domain that is not there is refused" nobody.log 'no domain "nobody" runs here'
	expect_line "and nothing recorded" nobody.log '^status 1$'
	strata list --events xen 'evtchn_s*' >events
	expect_line "list shows events by pattern" events '^ +evtchn +evtchn_send +port:u32 to_domain:u16'
	expect_no_line "and no others" events 'evtchn_pending'
}

selection_changes_while_it_records() {
	begin_recording changed --xen all,xen --kernel none
	status=0
	"$LAB_OUT/reselect" 40 >reselect.log 2>&1 || status=$?
	echo "status $status" >>reselect.log
	usleep 300000
	end_recording
	expect_line "the selection changes while it records" reselect.log '^status 0$'
}

# What a user types, while it records: from then on one guest is left out, and another, which begins to flood, is held.
domains_and_budget_change_while_it_records() {
	begin_recording narrowed --xen all --xen-budget none --kernel none
	usleep 700000
	status=0
	strata select --xen-domain '!g2' --xen-budget 1000 --kernel g1:sched_switch >select.log 2>&1 || status=$?
	echo "status $status" >>select.log
	expect_line "domains, budget and a kernel are changed while it records" select.log '^status 0$'
	await_storm 1
	end_recording
	cp narrowed "$LAB_OUT/narrowed.log"
}

flood_is_held() {
	begin_recording flood --xen-budget 8000 --kernel g1:sched_switch
	await_storm 2
	end_recording
	expect_line "what was refused is said" flood '[1-9][0-9]* events were refused: a domain may cause 8000 a second'
	cp flood "$LAB_OUT/flood.log"
	begin_recording counted --xen evtchn_send --xen-budget 1000 --kernel g1:sched_switch
	await_storm 3
	end_recording
	cp counted "$LAB_OUT/counted.log"
	begin_recording unbounded --xen evtchn_send --xen-budget none --kernel g1:sched_switch
	await_storm 4
	end_recording
	expect_no_line "without a budget nothing is refused" unbounded 'refused'
}

# g1 is recorded while what dom0 shares with it is written over. Its module finds that out when it is told to stop; g1 goes on,
# and once its module is loaded anew it is recorded as before.
dom0_lies_to_its_guest() {
	start_recorder lied --output "$LAB_OUT/lied" --kernel g1 --xen sched
	"$LAB_OUT/scribble" 1 1500 >scribble 2>&1 &
	scribbler=$!
	await -p $scribbler 200 has_lines scribble "^scribble:"
	expect_line "a guest's rings are written over" scribble 'scribble: [1-9][0-9]{2,} times over [1-9]'
	end_recorder INT
	kill $scribbler
	echo "status $status" >>lied
	expect_line "the recorder ends by itself" lied '^status [03]$'
	await_storm 5
	grep -c "domain 0 stored read position" "$LAB_OUT/guest-g1.log" >lines
	expect_line "the guest says so once" lines '^1$'
	grep -c "^storm: done" "$LAB_OUT/guest-g1.log" >lines
	expect_line "and lives" lines '^5$'
}

what_the_hypervisor_does_not_offer_is_refused() {
	"$LAB_OUT/misuse" >misuse 2>&1
	expect_line "unknown flags, reserved fields and made-up continuations are refused" misuse 'misuse: 12 of 12 calls'
}

everything_there_is
parts_of_it
selection_changes_while_it_records
domains_and_budget_change_while_it_records
flood_is_held
dom0_lies_to_its_guest
what_the_hypervisor_does_not_offer_is_refused

xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
