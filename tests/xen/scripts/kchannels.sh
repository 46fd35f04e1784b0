#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086 # $XEN and the selections are lists of words
#
# Recorders of the same kernels that run side by side, each with a channel of its own in each kernel. Runs in dom0; what they
# record goes to $LAB_OUT, where checks/kchannels.sh compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

XEN="--xen sched --xen-buffer 64Kx8"
ALL="--kernel g1:sched_switch,sched_wakeup,sys_enter --kernel dom0:sched_switch,sched_wakeup"
WAKING="--kernel g1:sched_switch,sched_wakeup --kernel dom0:sched_switch"
RUNNING="--kernel g1:sched_switch --kernel dom0:sched_switch,sched_wakeup"
CALLS="--kernel g1:sys_enter --kernel dom0:sys_enter"

# Starts a recorder with the other arguments. Its process goes to $recorder, its recording to $1.
start_one() {
	name=$1
	shift
	start_recorder "$name" "$@" --output "$LAB_OUT/$name"
}

# Ends recorder $2, which wrote its messages to $1.
end_one() {
	recorder=$2
	end_recorder INT
	log=$1
	expect_status "$1 ends well" 0
	expect_line "$1 lost nothing" "$1" 'recorded [1-9][0-9]* events .*, 0 lost'
	expect_no_line "$1 was woken by its kernels, and disturbed by nobody" "$1" 'polled|left out|goes|refused|does not answer'
}

# Waits until no kernel has channel $1.
await_freed() {
	await 60 has_no_channel "$1"
	try freed strata list
	expect_no_line "$2" freed "channel $1:"
}

# shellcheck disable=SC2317 # await calls it
has_no_channel() {
	! strata list | grep -q "channel $1:"
}

others_come_and_go() {
	for round in 1 2 3; do
		start_one "one-$round" $XEN $RUNNING
		one=$recorder
		start_one "other-$round" $XEN $WAKING
		other=$recorder
		sleep 1
		end_one "one-$round" $one
		sleep 1
		end_one "other-$round" $other
	done
	await_freed 2 "their channels are freed"
}

channels_are_listed() {
	try list strata list
	expect_line "list shows who records kernels" list "^            channel 0: recording by recorder 0 \(process $witness\)\$"
	expect_line "and the flight recorder" list "^            channel 1: recording by flight recorder 1 \(process $flight\)\$"
	expect_line "whose rings are as large as those of channel 0" list '^domain [0-9]+ +g1 +strata.ko \(version 10\): started, 2 rings of '
}

each_has_its_calls() {
	start_one filtered $XEN --kernel g1:sys_enter --tid g1:1
	filtered=$recorder
	mark g1 1
	try snapshot strata snapshot --output "$LAB_OUT/snapshot"
	expect_status "a snapshot of one recorder is taken" 0
	recorder=$filtered
	end_recorder INT
	log=filtered
	expect_status "one with a filter ends well" 0
}

killed_recorders_disturb_nobody() {
	start_one victim $XEN $RUNNING
	victim=$recorder
	start_one another $XEN $WAKING
	another=$recorder
	mark g1 2
	kill -KILL $victim $another
	sleep 1
	try left strata list
	expect_line "the channel of one that was killed stays" left "channel 2: recording by recorder 2 \(process $victim\)"
	expect_line "and that of another one" left "channel 3: recording by recorder 3 \(process $another\)"
	start_one next $XEN --kernel dom0:sched_switch
	next=$recorder
	expect_line "until a recorder takes its number, whatever that records" next 'ending what a recorder left in 2 kernels'
	expect_line "which ends what others left, too" next "ending what recorder 3 \(process $another\) left in 2 kernels"
	await_freed 3 "the channel of the other one is freed"
	try left strata list
	expect_line "one that is recorded again belongs to the new one" left "channel 2: recording by recorder 2 \(process $next\)"
	end_one next $next
}

a_flight_recorder_is_taken_over() {
	kill -KILL $flight
	sleep 1
	start_one beside $XEN $RUNNING
	beside=$recorder
	try left strata list
	expect_line "another recorder leaves a dead flight recorder alone" left "channel 1: recording by flight recorder 1 \(process $flight\)"
	mark g1 3
	start_one again --overwrite --xen none $CALLS
	try taken strata list
	expect_line "and the next one takes it over" taken "channel 1: recording by flight recorder 1 \(process $recorder\)"
	end_recorder INT
	log=again
	expect_status "it ends well" 0
	end_one beside $beside
	await_freed 1 "and its channel is freed"
}

there_are_eight() {
	all=
	for i in 1 2 3 4 5 6 7; do
		start_recorder "eight-$i" --xen none --kernel g1:sched_switch --output "/tmp/eight-$i"
		all="$all $recorder"
	done
	try list strata list
	expect_line "a kernel has eight channels" list 'channel 7: recording by recorder 7'
	try ninth strata record --xen none --duration 1s --output /tmp/ninth
	expect_status "a ninth recorder is refused" 1
	expect_line "with what to do" ninth '8 recorders are running, as many as there can be; end one'
	for recorder in $all; do
		end_recorder INT
		log=eight-1
		expect_status "one of eight ends well" 0
	done
}

a_module_that_is_unloaded_leaves_all() {
	start_recorder first --xen none --kernel dom0:sched_switch --output /tmp/first
	first=$recorder
	start_recorder second --xen none --kernel dom0:sched_switch --output /tmp/second
	rmmod strata
	await_line second 'domain 0 \(dom0\) goes: module unloaded$'
	insmod /lib/strata.ko
	await_line second 'domain 0 \(dom0\) is recorded from now on, as dom0-'
	expect_line "a module that comes back takes part in each channel" second 'is recorded from now on'
	end_recorder INT
	log=second
	expect_status "one ends well" 0
	recorder=$first
	await_line first 'domain 0 \(dom0\) is recorded from now on, as dom0-'
	end_recorder INT
	log=first
	expect_status "and the other one" 0
}

start_one witness $XEN $ALL
witness=$recorder
start_one flight --overwrite --xen none $CALLS
flight=$recorder
channels_are_listed
others_come_and_go
each_has_its_calls
killed_recorders_disturb_nobody
a_flight_recorder_is_taken_over
there_are_eight
end_one witness $witness
a_module_that_is_unloaded_leaves_all
try end strata list
expect_no_line "no channel is left in any kernel, nor in Xen" end 'channel [0-9]'
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
