#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces functions of the kernel in the guest and in dom0. Runs in dom0; what is recorded goes to $LAB_OUT, where checks/functions.sh
# compares it with the calls that a program makes.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CALL=__x64_sys_getpriority
# Its last argument, behind the pointer to the registers of the program that it gets.
# shellcheck disable=SC2016 # for the kernel
PHASE='phase=+96($arg1):u32'

mkdir -p /tmp/logs
cd /tmp/logs || exit
cp /boot/bin/marked /tmp/marked
cp /proc/kallsyms "$LAB_OUT/kallsyms"

# Has the guest's kernel log go to its console, up to the message of a mark.
show_guest_log() {
	tell g1 "dmesg | grep strata; echo logged: $1"
	await_console g1 "^logged: $1"
}

# The function is hooked by two patterns and a kretprobe, and __do_sys_getpriority, which it jumps to, by one.
functions_are_traced() {
	start_recorder guest --xen sched --xen-buffer 64Kx8 --kernel g1:none --function "g1:$CALL" --function 'g1:vfs_*' \
		--function 'g1:twice=*sys_getpriority' --kretprobe "g1:probed=$CALL" --kernel-context g1:procname --output "$LAB_OUT/guest"
	guest=$recorder
	# The functions of a module of its kernel: the recording itself goes over 9p.
	start_recorder dom0 --xen none --kernel dom0:none --function "dom0:get=$CALL" --function 'dom0:p9_client_w*' \
		--output "$LAB_OUT/dom0"
	dom0=$recorder
	mark g1 1
	/tmp/marked 100 1
	end_whole guest $guest
	end_whole dom0 $dom0
	show_guest_log 1
	expect_line "the guest's kernel says how many functions match" "$LAB_OUT/guest-g1.log" \
		'strata: function vfs_\*: [1-9][0-9]+ functions'
}

name_is_filtered() {
	start_recorder filtered --xen none --kernel g1:none --function 'g1:twice=*sys_getpriority' \
		--kernel-filter "g1:twice_exit: name == \"$CALL\" && ret > 0xfffffffffffff000" \
		--kernel-filter 'g1:twice_entry: name == "no_such"' --output "$LAB_OUT/filtered"
	mark g1 2
	end_whole filtered $recorder
	expect_events "a filter tests the name and the returned value" "$LAB_OUT/filtered" twice_exit 100
	expect_events "and another the name" "$LAB_OUT/filtered" twice_entry 0
}

arguments_are_recorded() {
	# shellcheck disable=SC2016 # for the kernel
	start_recorder arguments --xen none --kernel g1:none --function "g1:marks=*sys_getpriorit? $PHASE" \
		--function "g1:$CALL $PHASE" --function 'g1:byname=vfs_write $arg*' --kernel-filter 'g1:marks_exit: name == "no_such"' \
		--kernel-filter "g1:marks_entry: name == \"$CALL\" && phase == 7" --output "$LAB_OUT/arguments"
	mark g1 7
	end_whole arguments $recorder
}

# What the recording calls itself is not recorded, and what it interrupts and is interrupted by is.
recorder_is_traced() {
	start_recorder own --xen none --kernel g1:none --function 'g1:lock=_raw_spin_*lock*' --function 'g1:*irq_work*' \
		--function 'g1:clock=*sched_clock*' --function 'g1:*evtchn*' --function 'g1:xen_*IPI*' \
		--kernel-context g1:callstack-kernel --output "$LAB_OUT/own"
	mark g1 3
	end_recorder INT
	log=own
	expect_status "the functions that the recording calls are recorded" 0
	# The probes of trace points call the same functions.
	start_recorder both --xen none --kernel g1:default --function 'g1:lock=_raw_spin_*lock*' --function 'g1:*irq_work*' \
		--function 'g1:clock=*sched_clock*' --kernel-context g1:callstack-kernel,callstack-user --output "$LAB_OUT/both"
	mark g1 4
	end_recorder INT
	log=both
	expect_status "they are, together with trace points and call stacks" 0
	start_recorder self --xen none --kernel dom0:none --function 'dom0:*irq_work*' --function 'dom0:*evtchn*' \
		--function 'dom0:vfs_*' --output "$LAB_OUT/self"
	/tmp/marked 100 3
	end_recorder INT
	log=self
	expect_status "and those of dom0's recorder" 0
}

# expect_refused NAME PATTERN REASON: functions of the guest are refused, and its kernel's log has REASON.
expect_refused() {
	try refused strata record --duration 100ms --xen none --kernel g1:none --function "g1:$2" --output "$LAB_OUT/refused" --force
	expect_line "$1 is refused" refused '\(g1\) is left out: its module refuses function '
	expect_line "and the kernel's log says why" "$LAB_OUT/guest-g1.log" "$3"
}

# Thousands of functions at once, in every context that a kernel has.
thousands_are_traced() {
	start_recorder all --overwrite --xen none --kernel g1:none --function 'g1:thousands=s*' --output "$LAB_OUT/all"
	mark g1 8
	try snapshot strata snapshot --output "$LAB_OUT/many"
	expect_status "thousands of functions are traced" 0
	end_recorder INT
	log=all
	expect_line "and no longer" all 'recorded [1-9][0-9]* events'
	# Longer than the functions stay hooked.
	tell g1 'sleep 15; echo alive: yes'
	await_console g1 '^alive: yes'
	expect_line "the guest lives on when they are hooked no longer" "$LAB_OUT/guest-g1.log" '^alive: yes'
}

# shellcheck disable=SC2016 # for the kernel
what_cannot_be_traced_is_refused() {
	expect_refused "a pattern without a function" 'no_such_*' \
		'strata: no function no_such_\*: it matches no function that the function tracer of this kernel can hook'
	expect_refused "a function that cannot be hooked" 'irqentry_enter' 'strata: no function irqentry_enter: it matches no function'
	expect_refused "the hook of returns" '*rethook_trampoline*' 'strata: no function \*rethook_trampoline\*: it matches no function'
	expect_refused "data" 'jiffies' 'strata: no function jiffies: it matches no function'
	expect_refused "a pattern of too many functions" '*' \
		'strata: no function \*: it matches more than 16384 functions'
	expect_refused "another pattern of a name" 'call_vfs=vfs_w*' \
		'strata: no function vfs_w\*: another pattern, or one with other arguments, has an event call_vfs_entry'
	expect_refused "an argument of a name that each event has" 'named=vfs_w* name=$arg1' 'strata: no function vfs_w\* with "name=\$arg1" \(error -22\)'
	expect_refused "a returned value at the entry" 'late=vfs_w* late=$retval' 'strata: no function vfs_w\* with "late=\$retval" \(error -22\)'
}

session_has_functions() {
	stratad >daemon 2>&1 &
	try created strata create --output "$LAB_OUT/session" functions
	try added strata enable-event --kernel g1 none
	try added strata enable-event --kernel g1 --function "again=$CALL $PHASE"
	try started strata start
	expect_status "a session with functions starts" 0
	mark g1 5
	try stopped strata stop
	expect_status "and stops" 0
	strata status functions >shown
	expect_line "it shows the pattern" shown "function g1:again=$CALL phase="
	try removed strata disable-event --kernel g1 --function "again=$CALL $PHASE"
	expect_status "which can be removed" 0
}

# A call returns through its hook when the module is gone.
module_leaves() {
	start_recorder sleepers --xen none --kernel g1:none --function 'g1:*nanosleep' --output "$LAB_OUT/sleepers"
	tell g1 'sleep 8 & sleep 1; echo sleeps: now'
	await_console g1 '^sleeps: now'
	end_recorder INT
	log=sleepers
	expect_status "calls that sleep are recorded" 0
	tell g1 'rmmod strata; echo gone: $?; wait; echo woken: $?'
	await_console g1 '^gone: 0'
	await_console g1 '^woken: 0'
	expect_line "they return when the module is gone" "$LAB_OUT/guest-g1.log" '^woken: 0'
	tell g1 'insmod /lib/strata.ko; echo back: $?'
	await_console g1 '^back: 0'
	start_recorder reloaded --xen none --kernel g1:none --function "g1:again=$CALL" --output "$LAB_OUT/reloaded"
	mark g1 6
	end_whole reloaded $recorder
	expect_events "the next module traces functions again" "$LAB_OUT/reloaded" again_exit 100
}

functions_are_traced
name_is_filtered
arguments_are_recorded
recorder_is_traced
thousands_are_traced
what_cannot_be_traced_is_refused
session_has_functions
module_leaves

show_guest_log 2
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
