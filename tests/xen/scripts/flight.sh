#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Guests that panic, hang and are destroyed while a flight recorder flies over them. Runs in dom0; what it records goes to
# $LAB_OUT, where checks/flight.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Xen's rings are small, so that they are overwritten; a guest's hold some 7,000 calls.
FLIGHT="--overwrite --xen-buffer 64Kx4"

# Has guest $1 make calls $2 to $3, and then do $4.
number() {
	tell "$1" "numbered $2 $3 $4"
	await_console "$1" "^numbered: $2 to $3 begin"
}

# Starts a flight recorder, which writes its messages to file $1, into $2: with a slash, as a shell completes it.
fly() {
	# shellcheck disable=SC2086 # a list of words
	start_recorder "$1" $FLIGHT --output "$LAB_OUT/$2/"
}

a_snapshot_holds_what_was_and_recording_goes_on() {
	number idler 1 1000 wait
	await_console idler "^numbered: 1000 done"
	try snapshot strata snapshot --output "$LAB_OUT/snapshot"
	expect_status "a snapshot is taken" 0
	expect_line "and says what it holds" snapshot '^strata: [0-9]+ events .* are in /out/.*snapshot'
	number idler 1001 2000 wait
	await_console idler "^numbered: 2000 done"
	try again strata snapshot --output "$LAB_OUT/again"
	expect_status "and another one" 0
}

# How often the recorder's loop has gone to sleep.
sleeps() { awk '/^voluntary/ { print $2 }' "/proc/$recorder/status"; }

# Awake it goes to sleep 50 times a second.
it_sleeps_while_nothing_happens_to_domains() {
	sleep 2
	before=$(sleeps)
	sleep 4
	nr=$(($(sleeps) - before))
	if [ "$before" -gt 0 ] && [ "$nr" -le 40 ]; then
		passed "a flight recorder sleeps"
	else
		missed "a flight recorder sleeps" "it woke $nr times in 4 s" fly
	fi
}

what_is_recorded_changes_while_it_is() {
	try select strata select --kernel 'idler:sched_*' --xen sched
	expect_status "what is recorded can be changed" 0
	sleep 1
	number idler 9001 9100 wait
	await_console idler "^numbered: 9100 done"
	try changed strata snapshot --output "$LAB_OUT/changed"
	expect_status "a snapshot of that is taken" 0
	try back strata select --kernel idler:default --xen all
	expect_status "and changed back" 0
	try nonsense strata select --kernel idler:no_such_event
	expect_status "what does not exist is refused" 1
	expect_line "and named" nonsense '"no_such_event" names no event'
	try none strata select --kernel none
	expect_status "and none of nobody, which would change nothing" 1
	expect_line "with what was meant" none "'\*:none' means all domains"
	try nobody strata select --kernel nobody:default
	expect_status "and so is a domain that is not there" 1
	expect_line "and named" nobody 'no domain "nobody" runs here'
	sleep 1
}

a_panic_leaves_its_last_moments() {
	number g1 1 3000 panic
	await_line fly "its final events are in .*-died-g1"
	expect_line "a panic is seen" fly 'domain [0-9]+ \(g1\) goes: .*recorded up to the last committed record'
	expect_no_zombie "the panic"
}

a_guest_that_hangs_is_read_all_the_same() {
	number idler 2001 5000 hang
	sleep 3
	try hung strata snapshot --output "$LAB_OUT/hung"
	expect_status "a snapshot does not wait for a guest that hangs" 0
	expect_line "and names it" fly "domain $(xl domid idler) does not answer: .*up to the last committed record"
}

a_dead_recorder_leaves_the_rings_flying() {
	number g2 1 1500 wait
	await_console g2 "^numbered: 1500 done"
	end_recorder KILL
	number g2 1501 3000 wait
	await_console g2 "^numbered: 3000 done"
	fly taken second
	expect_line "the next recorder takes Xen's rings over" taken "continuing Xen's flight recorder"
	xl destroy g2
	await_line taken "its final events are in .*-died-g2"
	expect_line "a destroyed guest is seen" taken 'domain [0-9]+ \(g2\) goes'
	expect_no_zombie "the destroyed guest"
	end_recorder INT
	expect_status "the recorder ends, and says that a guest hangs" 3
	expect_line "by its name" taken 'domain [0-9]+ \(idler\) is left out: its module never confirmed'
	expect_line "and says that all is there" taken 'the recording so far is complete'
	xl destroy idler
	expect_no_zombie "a guest destroyed without a recorder"
}

what_an_event_costs() {
	insmod "$LAB_OUT/strata_bench.ko"
	dmesg >kernel.log
	grep strata_bench kernel.log | tail -n 1
	expect_line "the cost of an event in both modes is measured" kernel.log 'strata_bench: an event of 8 bytes: discard [0-9]+ ticks, overwrite'
}

fly fly first
it_sleeps_while_nothing_happens_to_domains
a_snapshot_holds_what_was_and_recording_goes_on
what_is_recorded_changes_while_it_is
a_panic_leaves_its_last_moments
a_guest_that_hangs_is_read_all_the_same
a_dead_recorder_leaves_the_rings_flying
what_an_event_costs

try nobody strata snapshot --output "$LAB_OUT/nobody"
expect_status "without a recorder there is no snapshot" 1
expect_line "and it is said what to do" nobody 'no flight recorder is running; start one: strata record --overwrite'
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
cp fly taken "$LAB_OUT"
end_checks
