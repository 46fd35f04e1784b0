#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What happens to modules and CPUs while one recording runs, one thing after the other. In each phase a guest makes 100 marked
# calls; test_lifecycle.sh looks for them in the recording.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Large buffers: on a busy machine dom0 waits for its turn while guests boot.
start_recorder life --output "$LAB_OUT/life" --xen-buffer 256Kx32 --xen sched
# The first and the last event of a CPU that goes and comes.
mark g1 1 1

echo "a guest appears"
try create xl create /lab/guests/g2.cfg
expect_status "a guest is created while it records" 0
await_console g2 "^LAB guest g2 ready"
mark g2 2 1
expect_line "a guest that appears takes part" life 'domain [0-9]+ \(g2\) is recorded from now on, as g2$'

echo "a module is loaded anew"
tell g1 "rmmod strata; insmod /lib/strata.ko; echo again"
mark g1 3
expect_line "a module that is unloaded goes" life 'domain 1 \(g1\) goes: module unloaded$'
expect_line "and comes again" life 'domain 1 \(g1\) is recorded from now on, as g1-1$'

echo "a vCPU goes and comes"
mark g1 4 2
xl vcpu-set g1 1
mark g1 5 1
xl vcpu-set g1 2
# The kernel makes it present; to bring it up is for user space (on other systems udev).
tell g1 "until echo 1 >/sys/devices/system/cpu/cpu1/online; do usleep 100000; done"
mark g1 6 2

echo "a guest is paused"
xl pause g2
sleep 1
xl unpause g2
mark g2 7 1

save_and_restore g2 PV 8

echo "a physical CPU goes and comes"
xen-hptool cpu-offline 1 >hptool 2>&1
mark g1 9
xen-hptool cpu-online 1 >>hptool 2>&1
# Xen took g1's vCPUs off the CPU that went, and lets them run on any since. On two they can hang where their kernel is patched (see
# lifecycle.lab), which it is when the recording ends.
xl vcpu-pin g1 all 1
mark g1 10
expect_line "a physical CPU goes" hptool 'CPU 1 offlined successfully'
expect_line "and comes" hptool 'CPU 1 onlined successfully'

echo "dom0's module is loaded anew"
rmmod strata
await_line life 'domain 0 \(dom0\) goes: module unloaded'
insmod /lib/strata.ko
await_line life 'domain 0 \(dom0\) is recorded'
await_line /sys/module/strata/parameters/recording 1
# shellcheck disable=SC2317 # await calls it
dom0_has_started() {
	xenstore-read /local/domain/0/data/strata/state | grep -q started
}
await -p "$recorder" 300 dom0_has_started

echo "a guest is about to start another kernel"
tell g2 "restart_as 'kexec reboot'"
await_line life 'domain [0-9]+ \(g2\) goes: module unloaded'
expect_line "a guest that is to start another kernel takes its rings back" life 'domain [0-9]+ \(g2\) goes: module unloaded$'
expect_no_zombie "a guest that has taken its rings back"
console=$LAB_OUT/guest-g2.log
expect_no_line "nobody can write into the next kernel's memory" "$console" 'still maps'
expect_line "where grants are few each CPU gets fewer sub-buffers" "$console" 'grant references for only (32|16) sub-buffers of each CPU instead of 64'

end_life
