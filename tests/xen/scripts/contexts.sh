#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder without contexts beside one that has its kernels write all contexts. Runs in dom0; what they record goes to $LAB_OUT,
# where checks/contexts.sh compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CTL=/local/domain/0/data/strata
ALL=procname,pid,prio,nice,need_reschedule,migratable,callstack-kernel,callstack-user,cpu-migrations,context-switches,minor-faults,major-faults
COUNTERS=perf:cpu:cpu-clock,perf:cpu:task-clock,perf:cpu:page-faults,perf:cpu:minor-faults,perf:cpu:context-switches
EVENTS=sched_switch,sched_waking,sys_enter,irq_handler_entry,xen_evtchn_upcall,page_fault_kernel

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Has a program in the guest and in dom0 make its calls of phase $1.
stacked_calls() {
	tell g1 "stacked 100 $1"
	await_console g1 "^stacked: phase $1 "
	/boot/bin/stacked 100 "$1" >"$LAB_OUT/stacked-dom0-$1"
}

contexts_beside_a_witness() {
	start_recorder witness --xen none --kernel "g1:$EVENTS" --output "$LAB_OUT/witness"
	witness=$recorder
	start_recorder contexts --xen sched --xen-buffer 64Kx8 --kernel "g1:$EVENTS" --kernel "dom0:$EVENTS" --event-header compact \
		--kernel-context "*:$ALL" --kprobe g1:__x64_sys_getpriority --kernel-filter 'g1:sys_enter: id != 35' \
		--output "$LAB_OUT/contexts"
	contexts=$recorder
	stacked_calls 1
	end_whole contexts $contexts
	end_whole witness $witness
}

# The same channel with other contexts, and then with none.
other_contexts_follow() {
	start_recorder few --xen none --kernel "g1:$EVENTS" --kernel-context g1:pid --kernel-context '*:prio,pid' --output "$LAB_OUT/few"
	few=$recorder
	stacked_calls 2
	end_whole few $few
	start_recorder none --xen none --kernel "g1:$EVENTS" --output "$LAB_OUT/none"
	none=$recorder
	stacked_calls 3
	end_whole none $none
}

# shellcheck disable=SC2317 # await calls it
is_answered() {
	xenstore-read "$CTL/state" | grep -q 4294967000
}

module_refuses_unknown_contexts() {
	xenstore-write "$CTL/ctl" "start 4294967000 discard 0 1 contexts=1000"
	await 100 is_answered
	xenstore-read "$CTL/state" >state
	expect_line "the module refuses a context that it does not know" state '^refused 4294967000$'
}

# Counters of each CPU, beside what the kernel counts of each thread. The processor has none here. A CPU goes and comes back.
counters_count() {
	start_recorder counters --xen none --kernel g1:sched_switch,sys_enter,page_fault_user \
		--kernel-context "g1:minor-faults,major-faults,perf:cpu:cycles,$COUNTERS" --output "$LAB_OUT/counters"
	tell g1 "dd if=/dev/zero of=/dev/null bs=512k count=1; echo counted"
	await_console g1 "^counted"
	tell g1 "until echo 0 >/sys/devices/system/cpu/cpu1/online; do usleep 100000; done"
	tell g1 "until echo 1 >/sys/devices/system/cpu/cpu1/online; do usleep 100000; done; echo cpu1 is back"
	await_console g1 "^cpu1 is back"
	tell g1 "taskset 2 sh -c 'sleep 1; echo after'"
	await_console g1 "^after"
	end_recorder INT
	log=counters
	expect_status "a missing counter leaves the recording incomplete" 3
	expect_line "and is named, with what it needs" counters \
		'domain [0-9]+ \(g1\) is recorded without perf:cpu:cycles: its kernel has no such counter, or .* if .vpmu. is on its command line'
	expect_no_line "all others are there" counters 'without perf:cpu:[^c]|left out|refused'
}

# Nothing of them is left: the module goes, and comes back.
module_unloads() {
	tell g1 "rmmod strata; echo gone: \$?; insmod /lib/strata.ko; echo back: \$?"
	await_console g1 "^back: "
	expect_line "the module unloads after it has counted" "$LAB_OUT/guest-g1.log" '^gone: 0'
	expect_line "and loads again" "$LAB_OUT/guest-g1.log" '^back: 0'
}

# A session keeps its contexts, and gets others only while it is stopped.
session_has_contexts() {
	stratad >daemon 2>&1 &
	try created strata create --output "$LAB_OUT/session" contexts
	try rules strata enable-event --kernel g1 "$EVENTS"
	try added strata add-context --kernel g1 -t procname,callstack-user,perf:cpu:page-faults
	expect_status "contexts are added to a session" 0
	try started strata start
	expect_status "the session starts" 0
	stacked_calls 4
	try late strata add-context --kernel g1 -t pid
	expect_line "but not while it records" late 'context cannot be changed while session contexts records; stop it first'
	try stopped strata stop
	expect_status "the session stops" 0
	strata status contexts >shown
	expect_line "and shows them" shown 'context g1:perf:cpu:page-faults$'
}

# A recorder takes over the rings of one that died, with the contexts of the records in them.
flight_recorder_keeps_its_contexts() {
	start_recorder flight --overwrite --xen none --kernel "g1:$EVENTS" --kernel-context g1:pid,callstack-kernel,perf:cpu:faults --output "$LAB_OUT/died"
	stacked_calls 5
	end_recorder KILL
	start_recorder taken --overwrite --xen none --kernel "g1:$EVENTS" --kernel-context g1:nice --output "$LAB_OUT/taken"
	stacked_calls 6
	end_recorder INT
	expect_line "the recorder that takes over says so" taken '\(g1\) goes on with the contexts of its flight recorder'
	expect_line "and refuses no packet" taken 'recorded [1-9][0-9]* events'
	expect_no_line "of that guest" taken 'bad|refused|left out'
}

cp /proc/kallsyms "$LAB_OUT/kallsyms"
contexts_beside_a_witness
other_contexts_follow
flight_recorder_keeps_its_contexts
module_refuses_unknown_contexts
counters_count
session_has_contexts
module_unloads

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
