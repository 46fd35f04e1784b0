#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records calls of kernels' functions in the guest and in dom0, also of thousands, and of those that the recording calls itself.
# Runs in dom0; what is recorded goes to $LAB_OUT, where test_functions.sh compares it with kprobes of the same functions.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Has the guest open and read files, in phase $1.
work() {
	tell g1 "for i in 1 2 3 4 5 6 7 8 9 10; do cat /proc/version /proc/uptime >/dev/null; done; echo worked $1"
	await_console g1 "^worked $1"
}

# shellcheck disable=SC2016 # for the kernel
calls_are_recorded() {
	start_recorder guest --output "$LAB_OUT/guest" --xen sched --xen-buffer 64Kx8 --kernel g1:none \
		--function 'g1:calls=vfs_*' --function 'g1:opens=vfs_ope? flags=$arg2:x64' --kernel-context g1:procname \
		--kprobe g1:vfs_open --kprobe g1:vfs_read
	work 1
	end_whole guest "$recorder"
	start_recorder dom0 --output "$LAB_OUT/dom0" --xen none --kernel dom0:none --function 'dom0:calls=vfs_*' --kprobe dom0:vfs_open
	cat /proc/version >/dev/null
	end_whole dom0 "$recorder"
}

# Functions that the recording calls itself, in each context: clocks, event channels, locks, stacks of calls; and then thousands at
# once, in every context that a kernel has.
recording_does_not_record_itself() {
	start_recorder self --output "$LAB_OUT/self" --xen none --kernel g1:none --function 'g1:spins=*spin_lock*' \
		--function 'g1:channels=*evtchn*' --function 'g1:of_xen=xen_*' --function 'g1:stacks=stack_trace*' \
		--function 'g1:clocks=*sched_clock*' --kernel-context g1:callstack-kernel,procname
	work 2
	end_recorder INT
	expect_status "functions that the recording calls are traced" 0
	start_recorder all --overwrite --output "$LAB_OUT/all" --xen none --kernel g1:none --function 'g1:thousands=s*'
	work 3
	try snapshot strata snapshot --output "$LAB_OUT/many"
	expect_status "thousands of functions are traced" 0
	end_recorder INT
	expect_line "and no longer" all 'recorded [1-9][0-9]* events'
	work 4
	passed "the guest lives on"
}

# expect_refused NAME FUNCTION REASON: a pattern is refused, and the guest's log has REASON.
expect_refused() {
	try refused strata record --duration 1s --xen none --kernel g1:none --function "g1:$2" --output "$LAB_OUT/refused" --force
	expect_line "$1 is refused" refused '\(g1\) is left out: its module refuses function '
	expect_line "and the kernel's log says why" "$LAB_OUT/guest-g1.log" "$3"
}

# shellcheck disable=SC2016
sessions_have_functions() {
	stratad >daemon 2>&1 &
	try created strata create --output "$LAB_OUT/session" functions
	try added strata enable-event --kernel g1 none
	try added strata enable-event --kernel g1 --function 'reads=vfs_read bytes=$arg3:u64'
	try started strata start
	expect_status "a session with a function starts" 0
	work 5
	try stopped strata stop
	expect_status "and stops" 0
	strata status functions >shown
	expect_line "it shows the pattern" shown 'function g1:reads=vfs_read bytes='
}

calls_are_recorded
recording_does_not_record_itself
expect_refused "a pattern without functions" 'nosuch_*' 'no function nosuch_\* with "" \(error -22\)'
expect_refused "another pattern of that name" 'calls=ksys_*' 'no function ksys_\* with "" \(error -17\)'
sessions_have_functions

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
