#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086 # $WELL is a list of words
#
# What goes wrong on a real host, one thing after the other. Runs in dom0; what it records goes to $LAB_OUT, where
# test_faults.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

# The kernels whose buffers are large enough.
WELL="--kernel dom0 --kernel g1"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Runs a command; its output goes to file $1, its status to $status.
try() {
	log=$1
	shift
	status=0
	"$@" >"$log" 2>&1 || status=$?
}

# Checks the status of the last try(), or of the recorder whose $log it was.
expect_status() {
	if [ "$status" = "$2" ]; then
		passed "$1"
	else
		missed "$1" "status $status, not $2" "$log"
	fi
}

# Waits, in the background of a recorder, until its log $1 says that it records.
await_recording() {
	tries=0
	until grep -q "recording .* sources into" "$1" || [ $tries -gt 100 ]; do
		usleep 100000
		tries=$((tries + 1))
	done
}

list_shows_what_is_there() {
	try list strata list
	expect_status "strata list works" 0
	expect_line "it shows the hypervisor" list '^hypervisor  Xen 4\.[0-9.]+.* with Strata \(ABI 2\), 2 CPUs, TSC [0-9.]+ MHz: idle'
	expect_line "it shows dom0's module" list '^domain 0 +Domain-0 +strata.ko \(version 2\): '
	expect_line "it shows g1's two rings" list '^domain 1 +g1 +strata.ko \(version 2\): .*, 2 rings of 1024 KiB'
	expect_line "it says that g2 has none" list '^domain 2 +g2 +no module: load strata.ko'
	expect_line "it shows g3's small rings" list '^domain 3 +g3 .* rings of 8 KiB'
	try events strata list --events
	expect_line "it lists a kernel's events" events '^ +sched/sched_switch$'
	expect_line "it lists Xen's classes" events '^ +sched +scheduler'
}

small_buffer_counts_what_it_loses() {
	strata record --output "$LAB_OUT/marked" --xen none --kernel g3:sys_enter >marked 2>&1 &
	recorder=$!
	# The program says that it is done when the recorder has had time to take what is left.
	tries=0
	until grep -q "^marked: done" "$LAB_OUT/guest-g3.log" || [ $tries -gt 300 ]; do
		usleep 200000
		tries=$((tries + 1))
	done
	kill -INT $recorder
	wait $recorder
	status=$?
	log=marked
	expect_status "a buffer that is too small is recorded" 0
	expect_line "losses come with a next step" marked 'larger buffers lose less'
}

guest_without_module_is_named() {
	try without strata record --duration 1s --output /tmp/without --kernel g2
	expect_status "recording a guest without the module says that it is not all" 3
	expect_line "and names the guest" without 'domain 2 \(g2\) is left out: no strata.ko is loaded'
	try unknown strata record --duration 1s --output /tmp/unknown --kernel nobody
	expect_status "a domain that is not there is refused" 1
	expect_line "and named" unknown 'no domain "nobody" runs here'
	xenstore-write /local/domain/2/data/strata/version 99
	try other strata record --duration 1s --output /tmp/other --kernel g2
	expect_status "a module of another version is left out" 3
	expect_line "and its version named" other 'domain 2 \(g2\) is left out: its strata.ko speaks version 99'
	try otherlist strata list
	expect_line "list names it, too" otherlist '^domain 2 +g2 +strata.ko speaks version 99'
	xenstore-rm /local/domain/2/data/strata
}

second_recorder_is_refused() {
	strata record --duration 4s --output /tmp/first $WELL >first 2>&1 &
	first=$!
	await_recording first
	try second strata record --duration 1s --output /tmp/second
	expect_status "a second recorder is refused" 1
	expect_line "and told who is first" second "strata record, process $first records already"
	try busylist strata list
	expect_line "list shows who records" busylist "recording by strata record, process $first"
	wait $first
	status=$?
	log=first
	expect_status "the first one is not disturbed" 0
	expect_no_line "VIRQ and event channels wake it" first 'polled'
}

interrupt_keeps_what_was_recorded() {
	strata record --output "$LAB_OUT/interrupted" $WELL >interrupted 2>&1 &
	recorder=$!
	await_recording interrupted
	sleep 2
	kill -INT $recorder
	wait $recorder
	status=$?
	log=interrupted
	expect_status "Ctrl-C ends a recording well" 0
	expect_line "and says so" interrupted 'ended by a signal; what was recorded is complete'
}

killed_recorder_makes_way() {
	strata record --output /tmp/killed $WELL >killed 2>&1 &
	recorder=$!
	await_recording killed
	kill -KILL $recorder
	wait $recorder
	try after strata record --duration 2s --output "$LAB_OUT/after" $WELL
	expect_status "after kill -9 the next recorder records" 0
	expect_line "and frees what was left" after 'freeing the rings in Xen that "strata record, process'
}

output_is_refused_early() {
	try nowhere strata record --duration 1s --output /proc/nowhere
	expect_status "an output that cannot be written is refused" 1
	expect_line "with a next step" nowhere 'name a directory that can be written with --output'
	mkdir -p /tmp/full
	mount -t tmpfs -o size=2m tmpfs /tmp/full
	try full strata record --duration 60s --output /tmp/full/recording
	expect_status "a full disk ends the recording" 1
	expect_line "it says why" full 'No space left on device'
	cp -r /tmp/full/recording "$LAB_OUT/full"
	umount /tmp/full
}

no_right_is_said() {
	try nobody "$LAB_OUT/as_nobody" strata record --duration 1s --output /tmp/nobody
	expect_status "without the right, nothing is recorded" 1
	expect_line "and the reason is said" nobody 'no right to trace: .*run strata as root in dom0'
	try abi "$LAB_OUT/strata_other_abi" list
	expect_status "a tool of another version is refused" 1
	expect_line "and both versions are named" abi 'this Xen has Strata of ABI version 2, and this tool speaks version 99'
}

module_unloads_while_mapped() {
	strata record --duration 5s --output "$LAB_OUT/unloaded" $WELL >unloaded 2>&1 &
	recorder=$!
	await_recording unloaded
	sleep 1
	try rmmod rmmod strata
	expect_status "the module unloads while it is mapped and recording" 0
	wait $recorder
	status=$?
	log=unloaded
	expect_status "the recorder says that something is missing" 3
	try again insmod /lib/strata.ko
	expect_status "the module loads again" 0
	try reload strata record --duration 2s --output "$LAB_OUT/reloaded" --kernel dom0
	expect_status "and records again" 0
}

xentrace_works_beside() {
	strata record --duration 5s --output "$LAB_OUT/beside" $WELL >beside 2>&1 &
	recorder=$!
	await_recording beside
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
second_recorder_is_refused
interrupt_keeps_what_was_recorded
killed_recorder_makes_way
output_is_refused_early
no_right_is_said
module_unloads_while_mapped
xentrace_works_beside

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
