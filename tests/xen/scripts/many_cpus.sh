#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Creates a guest with 120 possible CPUs, loads its module, and records it. Runs in dom0; test_many_cpus.sh looks at the recording
# $LAB_OUT/life.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CPUS=120
LAST=119

mkdir -p /tmp/logs
cd /tmp/logs || exit

echo "a guest with $CPUS possible CPUs"
echo "maxvcpus = $CPUS" >>/lab/guests/g1.cfg
try create xl create /lab/guests/g1.cfg
expect_status "is created" 0
await_console g1 "^LAB guest g1 ready"
console=$LAB_OUT/guest-g1.log
# shellcheck disable=SC2016 # the guest expands it
tell g1 'echo "possible $(cat /sys/devices/system/cpu/possible), online $(cat /sys/devices/system/cpu/online)"'
await_console g1 '^possible'
expect_line "has them" "$console" "^possible 0-$LAST, online 0"
# shellcheck disable=SC2016 # likewise
tell g1 'insmod /lib/strata.ko && result=in || result=out; dmesg | grep "strata:"; echo "module is $result"'
await_console g1 '^module is (in|out)'
expect_line "loads the module" "$console" '^module is in'
grep -q '^module is in' "$console" || end_checks
expect_line "with a ring for each" "$console" "strata: $CPUS rings of 8 sub-buffers of 64 KiB"
expect_line "and is told that it has fewer sub-buffers" "$console" \
	'grant references for only 8 sub-buffers of each CPU instead of 16'

start_recorder life --output "$LAB_OUT/life" --xen sched
mark g1 1 1
end_life
