#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086 # $ADHOC is a list of words
#
# Recorders that run side by side, each with a channel of its own in Xen. Runs in dom0; what they record goes to $LAB_OUT, where
# test_channels.sh compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Xen's rings of the flight recorder are small, so that they are overwritten all the time.
FLIGHT="--overwrite --xen-buffer 64Kx4"
ADHOC="--kernel none --xen-buffer 256Kx8"

# Starts a recorder of Xen alone, with the other arguments. Its process goes to $recorder, its recording to $1.
start_adhoc() {
	name=$1
	shift
	# shellcheck disable=SC2086
	start_recorder "$name" $ADHOC "$@" --output "$LAB_OUT/$name"
}

# Ends the ad-hoc recorder $2, which wrote its messages to $1.
end_adhoc() {
	recorder=$2
	end_recorder INT
	log=$1
	expect_status "$1 ends well" 0
	expect_line "$1 lost nothing" "$1" 'recorded [1-9][0-9]* events .*, 0 lost'
	expect_no_line "$1 was woken by Xen, and disturbed by nobody" "$1" 'polled|freeing|refused'
}

others_come_and_go() {
	for round in 1 2 3; do
		start_adhoc "first-$round" --xen sched
		first=$recorder
		start_adhoc "second-$round" --xen sched
		second=$recorder
		start_adhoc "all-$round" --xen all
		all=$recorder
		sleep 2
		end_adhoc "first-$round" $first
		sleep 1
		end_adhoc "second-$round" $second
		end_adhoc "all-$round" $all
	done
}

commands_go_to_one() {
	start_adhoc other --xen sched
	other=$recorder
	try list strata list
	expect_line "list shows the flight recorder" list "channel 0: recording by flight recorder 0, process $flight"
	expect_line "and the other one" list "channel 1: recording by recorder 1, process $other"
	try whose strata select --xen all
	expect_status "a selection for one of two recorders is refused" 1
	expect_line "and both are named" whose "2 recorders are running: flight recorder 0 .*, recorder 1 .*; name one by --recorder"
	try select strata select --recorder 1 --xen all
	expect_status "the one that --recorder names accepts it" 0
	try gone strata select --recorder 5 --xen all
	expect_line "one that is not there is named" gone 'recorder 5 is not running'
	try nine strata select --recorder 9 --xen all
	expect_status "a number that none can have is wrong usage" 2
	try snapshot strata snapshot --output "$LAB_OUT/snapshot"
	expect_status "a snapshot is the flight recorder's" 0
	try notflight strata snapshot --recorder 1 --output /tmp/none
	expect_status "and not another's" 1
	end_adhoc other $other
}

killed_recorders_disturb_nobody() {
	start_adhoc witness --xen sched
	witness=$recorder
	start_adhoc victim --xen all
	victim=$recorder
	sleep 1
	kill -KILL $victim
	sleep 1
	try left strata list
	expect_line "the rings of one that was killed stay" left "channel 2: recording by recorder 2, process $victim"
	start_adhoc next --xen sched
	next=$recorder
	expect_line "until the next recorder frees them" next "freeing the rings that \"recorder 2, process $victim\" left in Xen"
	try freed strata list
	expect_line "whose channel that is now" freed "channel 2: recording by recorder 2, process $next"
	recorder=$next
	end_recorder INT
	log=next
	expect_status "it records well" 0
	end_adhoc witness $witness
}

a_flight_recorder_is_taken_over() {
	kill -KILL $flight
	sleep 1
	start_adhoc beside --xen sched
	beside=$recorder
	try left strata list
	expect_line "another recorder leaves a dead flight recorder alone" left "channel 0: recording by flight recorder 0, process $flight"
	start_recorder again $FLIGHT --output "$LAB_OUT/again"
	flight=$recorder
	expect_line "which the next one continues" again "continuing Xen's flight recorder"
	end_adhoc beside $beside
}

there_are_eight() {
	all=
	for i in 1 2 3 4 5 6 7; do
		start_recorder "eight-$i" --kernel none --xen-buffer 4Kx4 --xen dom0op --output "/tmp/eight-$i"
		all="$all $recorder"
	done
	try ninth strata record --kernel none --duration 1s --output /tmp/ninth
	expect_status "a ninth recorder is refused" 1
	expect_line "with what to do" ninth '8 recorders are running, as many as there can be; end one'
	for recorder in $all; do
		end_recorder INT
		log=eight-1
		expect_status "one of eight ends well" 0
	done
}

# shellcheck disable=SC2086
start_recorder flight $FLIGHT --output "$LAB_OUT/flight"
flight=$recorder
others_come_and_go
commands_go_to_one
killed_recorders_disturb_nobody
a_flight_recorder_is_taken_over
there_are_eight
recorder=$flight
end_recorder INT
log=again
expect_status "the flight recorder ends well" 0
try end strata list
expect_no_line "no channel is left in Xen" end 'channel [0-9]'
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
