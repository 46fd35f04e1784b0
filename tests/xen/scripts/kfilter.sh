#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder without filters beside one that has its kernels filter events by their fields. Runs in dom0; what they record goes to
# $LAB_OUT, where checks/kfilter.sh compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CTL=/local/domain/0/data/strata

mkdir -p /tmp/logs
cd /tmp/logs || exit

EVENTS=sched_switch,sched_waking,sys_enter,irq_handler_entry,xen_evtchn_upcall
# shellcheck disable=SC2016 # $arg1 is the probe's
CALL='g1:call=__x64_sys_getpriority which=+0x70($arg1):s32 who=+0x68($arg1):x32 phase=+0x60(%di):u8'

# shellcheck disable=SC2016 # $ctx is the filter's
OF_CALL='g1:call: phase == 2 && $ctx.tid > 1'

# Starts a recorder with the other arguments. Its process goes to $recorder, its recording to $1.
start_one() {
	name=$1
	shift
	start_recorder "$name" --kernel "g1:$EVENTS" --kprobe "$CALL" --output "$LAB_OUT/$name" "$@" ||
		missed "$name begins" "it does not record" "$name"
}

# As many comparisons as a filter may have, in a command that is longer than what a guest may write to xenstore.
long_filter() {
	echo "g1:sys_enter: id == 140 && args[2] == 2 && (args[1] == 0x52415441 || id == $(seq -s ' || id == ' 1000 1060))"
}

filters_beside_a_witness() {
	start_one witness --xen none
	witness=$recorder
	start_one filtered --xen sched --xen-buffer 64Kx8 \
		--kernel-filter 'g1:sched_switch: prev_prio < 120 || next_comm == "[l-n]ark*"' \
		--kernel-filter "$(long_filter)" \
		--kernel-filter 'g1:irq_handler_entry: name != "timer*"' \
		--kernel-filter 'g1:xen_*: port < irq && port != 1' \
		--kernel-filter "$OF_CALL"
	filtered=$recorder
	mark g1 1
	mark g1 2
	try selected strata select --recorder 1 --kernel-filter 'g1:sys_enter: args[2] == 3 && (id < 0 || id >= 140) && !(id != 140)'
	expect_status "a filter is replaced while it records" 0
	expect_line "and the selection is shown" selected 'kernel-filter g1:sys_enter: args.2. == 3'
	mark g1 3
	filters_what_is_counted
	end_whole filtered $filtered
	end_whole witness $witness
}

# What is counted beside a recorder is what passes: the marked calls of one phase.
filters_what_is_counted() {
	strata top --json --xen none --kernel g1:sys_enter \
		--kernel-filter 'g1:sys_enter: id == 140 && args[1] == 0x52415441 && args[2] == 4' count >counted 2>counting &
	top=$!
	await -p "$top" 60 has_lines counting '^strata: counting'
	for phase in 4 5; do
		mark g1 $phase
	done
	kill -INT "$top"
	wait "$top"
	tail -n 1 counted >last
	expect_line "of the events only those that pass are counted" last '"event": ?"sys_enter".*"count": ?100[ ,}]'
}

# refuses NAME FILTER PATTERN: a filter that a kernel cannot have is refused, with its reason.
refuses() {
	try refused strata record --output "$LAB_OUT/refused" --force --duration 1s --xen none --kernel dom0:sched_switch --kernel-filter "dom0:$2"
	expect_line "$1" refused "$3"
}

# The module verifies what it is sent: here a test that leads to itself.
module_verifies() {
	xenstore-write "$CTL/ctl" "start 4294967000 discard 0 1 where=0:0100000000000000080000000100000000000000"
	await 100 is_answered
	xenstore-read "$CTL/state" >state
	expect_line "the module refuses a program with a loop" state '^refused 4294967000$'
	dmesg >messages
	expect_line "and says why" messages 'strata: no filter for the fields of .*: a test does not lead to a later one'
}

# shellcheck disable=SC2317 # await calls it
is_answered() {
	xenstore-read "$CTL/state" | grep -q 4294967000
}

filters_beside_a_witness
refuses "a field that no event has is named" 'sched_switch: prev_prioo < 120' 'no event has a field prev_prioo; the nearest is prev_prio'
refuses "so is what a kernel cannot test" 'sched_switch: prev_prio < 120.5' 'column 13: 120.5: a kernel compares integers only'
refuses "an expression is parsed before anything is recorded" 'sched_switch: prev_prio <' '^strata: --kernel-filter: column 12: expected a field'
module_verifies

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
