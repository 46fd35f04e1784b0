#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086 # $WELL is a list of words
#
# What goes wrong on a real host, one thing after the other. Runs in dom0; what it records goes to $LAB_OUT, where
# test_faults.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

# The kernels whose buffers are large enough.
WELL="--kernel dom0 --kernel g1"

mkdir -p /tmp/logs
cd /tmp/logs || exit

list_shows_what_is_there() {
	try list strata list
	expect_status "strata list works" 0
	expect_line "it shows the hypervisor" list '^hypervisor  Xen 4\.[0-9.]+.* with Strata \(ABI 7\), 2 CPUs, TSC [0-9.]+ MHz$'
	expect_line "it shows dom0's module" list '^domain 0 +dom0 +strata.ko \(version 10\): '
	expect_line "it shows g1's two rings" list '^domain 1 +g1 +strata.ko \(version 10\): .*, 2 rings of 1024 KiB'
	expect_line "it says that g2 has none" list '^domain 2 +g2 +no module: load strata.ko'
	expect_line "it shows g3's small rings" list '^domain 3 +g3 .* rings of 8 KiB'
	try events strata list --events
	expect_line "it lists a kernel's events" events '^ +sched/sched_switch$'
	expect_line "it lists Xen's classes" events '^ +sched +scheduler'
}

small_buffer_counts_what_it_loses() {
	start_recorder marked --output "$LAB_OUT/marked" --xen none --kernel g3:sys_enter
	# The program says that it is done when the recorder has had time to take what is left.
	await_console g3 "^marked: done"
	end_recorder INT
	log=marked
	expect_status "a buffer that is too small is recorded" 0
	expect_line "losses come with a next step" marked 'larger buffers lose less'
}

guest_without_module_is_named() {
	try without strata record --duration 1s --output /tmp/without --kernel g2
	expect_status "recording a guest without the module says that it is not all" 3
	expect_line "and names the guest" without 'domain 2 \(g2\) is left out: no strata.ko is loaded'
	try unknown strata record --duration 1s --output /tmp/without --kernel nobody
	expect_status "a domain that is not there is refused" 1
	expect_line "and named" unknown 'no domain "nobody" runs here'
	try foreign strata record --duration 1s --output /tmp/without --xen-domain nobody
	expect_status "and so it is as one whose events are wanted of Xen" 1
	expect_line "and named" foreign 'no domain "nobody" runs here'
	try filter strata record --duration 1s --output /tmp/without --tid none:1
	expect_status "none is no domain to filter" 1
	ls /tmp/without/xen >kept
	expect_line "neither costs the recording that was there" kept '^cpu_0$'
	xenstore-write /local/domain/2/data/strata/version 5
	try older strata record --duration 1s --output /tmp/older --kernel g2
	expect_status "a module of an older version is left out" 3
	expect_line "and both versions named" older 'its strata.ko speaks version 5, and this tool 10; load the module of these sources'
	xenstore-write /local/domain/2/data/strata/version 99
	try other strata record --duration 1s --output /tmp/other --kernel g2
	expect_status "a module of another version is left out" 3
	expect_line "and its version named" other 'domain 2 \(g2\) is left out: its strata.ko speaks version 99'
	try otherlist strata list
	expect_line "list names it, too" otherlist '^domain 2 +g2 +strata.ko uses interface version 99'
	xenstore-rm /local/domain/2/data/strata
}

second_recorder_disturbs_nobody() {
	start_recorder first --duration 6s --output /tmp/first $WELL
	try busylist strata list
	expect_line "list shows who records" busylist "channel 0: recording by recorder 0, process $recorder"
	try second strata record --duration 1s --output /tmp/second $WELL
	expect_status "a second recorder of the same kernels records" 0
	wait $recorder
	status=$?
	log=first
	expect_status "the first one is not disturbed" 0
	expect_no_line "event channels wake it" first 'polled'
}

interrupt_keeps_what_was_recorded() {
	start_recorder interrupted --output "$LAB_OUT/interrupted" $WELL
	sleep 2
	end_recorder INT
	log=interrupted
	expect_status "Ctrl-C ends a recording well" 0
	expect_line "and says so" interrupted 'ended by a signal; the recording so far is complete'
	start_recorder hangup --output /tmp/hangup $WELL
	end_recorder HUP
	log=hangup
	expect_status "and so does a terminal that goes away" 0
	expect_line "and says so, too" hangup 'ended by a signal; the recording so far is complete'
}

output_is_refused_early() {
	try nowhere strata record --duration 1s --output /proc/nowhere
	expect_status "an output that cannot be written is refused" 1
	expect_line "with a next step" nowhere 'name another directory with -o'
}

no_right_is_said() {
	try nobody "$LAB_OUT/as_nobody" strata record --duration 1s --output /tmp/nobody
	expect_status "without the right, nothing is recorded" 1
	expect_line "and the reason is said" nobody 'not permitted to trace: .*run strata as root in dom0'
	try abi "$LAB_OUT/other_abi/strata" list
	expect_status "a tool of another version is refused" 1
	expect_line "and both versions are named" abi 'this Xen has ABI version 7 of Strata, but this tool needs version 99'
}

xentrace_works_beside() {
	start_recorder beside --duration 5s --output "$LAB_OUT/beside" $WELL
	try xentrace xentrace -D -T 2 -e 0x0002f000 /tmp/xentrace.bin
	wait $recorder
	status=$?
	log=beside
	expect_status "strata records beside xentrace" 0
	wc -c </tmp/xentrace.bin >xentrace.size
	expect_line "xentrace records beside strata" xentrace.size '^[1-9][0-9]{3,}'
}

list_shows_what_is_there
small_buffer_counts_what_it_loses
guest_without_module_is_named
second_recorder_disturbs_nobody
interrupt_keeps_what_was_recorded
output_is_refused_early
no_right_is_said
xentrace_works_beside

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
