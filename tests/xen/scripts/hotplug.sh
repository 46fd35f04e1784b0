#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Takes CPUs offline, brings them online and adds new ones while it is recorded and followed; on each, the guest makes marked
# calls. Runs in dom0; test_hotplug.sh looks at the recordings in $LAB_OUT.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Brings CPU $1 online.
online() {
	try "online-$1" xen-hptool cpu-online "$1"
	expect_status "CPU $1 comes online" 0
}

# As try; returns the status.
# shellcheck disable=SC2317 # await calls it
tried() {
	try "$@"
	return "$status"
}

# Takes CPU $1 offline, on which no guest is to run. It goes when Xen has moved what ran there, so it may need another try.
offline() {
	xl vcpu-pin g1 0 0
	await 60 tried "offline-$1" xen-hptool cpu-offline "$1"
	expect_status "CPU $1 goes offline" 0
}

# Has the guest make the marked calls of phase $2 on CPU $1.
run_on() {
	xl vcpu-pin g1 0 "$1"
	mark g1 "$2" 1
}

# Adds CPU $1, as the firmware of a real host would.
add_cpu() {
	echo "host: add CPU $1"
	await 60 test -e "$LAB_OUT/added-$1"
	try "hotadd-$1" "$LAB_OUT/hotadd" "$1"
	expect_status "CPU $1 is added" 0
	online "$1"
}

offline 1
start_recorder added --output /tmp/added --xen sched --kernel g1:sys_enter
strata view --live --from 0 /tmp/added >"$LAB_OUT/followed.txt" 2>"$LAB_OUT/logs/followed" &
viewer=$!
online 1
run_on 1 1
add_cpu 2
run_on 2 2
offline 2
online 2
run_on 2 3
end_recorder INT
log=added
expect_status "a recording ends well in which CPUs came and went" 0
expect_no_line "and nothing is missing from it" added 'not recorded|cannot be|left out'
expect_line "and nothing lost" added 'recorded [1-9][0-9]* events .*, 0 lost'
# On a busy machine it may leave a guest behind that sleeps, and says so.
wait "$viewer"
expect_line "it is followed to its end" "$LAB_OUT/logs/followed" 'view: [1-9][0-9]* events; '
cp -r /tmp/added "$LAB_OUT/added"

start_recorder flight --overwrite --output "$LAB_OUT/flight"
add_cpu 3
run_on 3 4
try snapshot strata snapshot --output "$LAB_OUT/snapshot"
expect_status "a snapshot is taken of a CPU that was added" 0
run_on 3 5
end_recorder INT
log=flight
expect_status "and the rest is written at the end" 0
expect_no_line "and nothing is missing" flight 'not recorded|cannot be|left out'

cp added flight "$LAB_OUT/logs"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
