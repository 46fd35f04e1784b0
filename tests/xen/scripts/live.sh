#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What of a few events is on the disk, shown, and reported on, while recording goes on, with a switch timer and without one; and what
# a switch timer does to guests that sleep. checks/live.sh looks at what was recorded.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Has something of each guest come to the disk in recording $1?
# shellcheck disable=SC2317 # await calls it
has_of_both() {
	[ "$(cat "$1"/g1/cpu_* 2>/dev/null | wc -c)" -gt 0 ] && [ "$(cat "$1"/g2/cpu_* 2>/dev/null | wc -c)" -gt 0 ]
}

# Records 20 marked calls of each guest with switch timer $2, and keeps what is on the disk of them before recording ends.
record_live() {
	start_recorder "$1" --output "/tmp/$1" --switch-timer "$2" --xen none --kernel 'g?:sys_enter'
	for guest in g1 g2; do
		tell $guest "marked 20 $2"
		await_console $guest "^marked: phase $2 done"
	done
	# What comes now comes by the timer alone, if there is one; then for many periods more.
	[ "$2" = 0 ] || await -p "$recorder" 60 has_of_both "/tmp/$1"
	sleep 2
	cp -r "/tmp/$1" "$LAB_OUT/$1-before"
	end_recorder INT
	log=$1
	expect_status "what happens is recorded with --switch-timer $2" 0
	cp -r "/tmp/$1" "$LAB_OUT/$1"
}

# Follows a recording from its beginning; keeps what has been shown by then while it goes on, and all of it.
follow() {
	start_recorder followed --output /tmp/followed --xen sched --kernel 'g?:sys_enter'
	strata view --live --json --from 0 /tmp/followed >"$LAB_OUT/followed.json" 2>"$LAB_OUT/followed.log" &
	viewer=$!
	for guest in g1 g2; do
		tell $guest "marked 20 3"
		await_console $guest "^marked: phase 3 done"
	done
	sleep 3
	cp "$LAB_OUT/followed.json" "$LAB_OUT/followed-before.json"
	end_recorder INT
	log=followed
	expect_status "what is followed is recorded" 0
	status=0
	wait $viewer || status=$?
	echo "$status" >"$LAB_OUT/followed.status"
	cp -r /tmp/followed "$LAB_OUT/followed"
}

# Reports on windows of a recording while it goes on, until four are complete; each guest has events after them. It records few events,
# because the recorder and the reports share dom0's CPU.
report_live() {
	start_recorder reported --output /tmp/reported --xen 'runstate_*' --kernel 'g?:sched_switch,sched_waking'
	strata report --live --json --from 0 --window 1 steal,schedule,wakeups /tmp/reported >reports 2>"$LAB_OUT/reported.log" &
	reporter=$!
	for guest in g1 g2; do
		mark $guest 4
	done
	await -p "$recorder" 60 has_lines reports . 4
	for guest in g1 g2; do
		mark $guest 5
	done
	end_recorder INT
	log=reported
	expect_status "what is reported on is recorded" 0
	status=0
	wait $reporter || status=$?
	echo "$status" >"$LAB_OUT/reported.status"
	cp reports "$LAB_OUT/reported.json"
	cp -r /tmp/reported "$LAB_OUT/reported"
}

record_live live 100
follow
report_live
record_live late 0
for period in 0 10; do
	try "idle-$period" strata record --output "$LAB_OUT/idle-$period" --duration 6s --switch-timer $period \
		--xen sched,xen_timer_expire
	expect_status "guests that sleep are recorded with --switch-timer $period" 0
done
try wrong strata record --output /tmp/wrong --switch-timer 5
expect_status "a period that is too short is refused" 2
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
