#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What happens to whole domains while one recording runs, one thing after the other. In each phase a guest makes 100 marked
# calls; test_domains.sh looks for them in the recording.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Domains are named: whoever comes under such a name is recorded, too. Large buffers: on a busy machine dom0 waits for its turn while guests boot.
start_recorder life --output "$LAB_OUT/life" --xen-buffer 256Kx32 --xen sched,hvm --xen-domain 'dom0,g?'
mark g1 1 1
mark g2 2 1
save_and_restore g2 PVH 3

echo "a guest reboots"
xl reboot g1
await_console g1 "^LAB guest g1 ready" 2
mark g1 4 1
expect_line "a guest that reboots goes" life 'domain [0-9]+ \(g1\) goes: domain rebooted'
expect_no_zombie "a reboot"

# After its reboot: xl no longer minds a guest that was saved so.
echo "a guest is saved, and goes on"
try checkpoint xl save -c g1 /tmp/saved
expect_status "a guest is saved that goes on" 0
mark g1 5 1
rm /tmp/saved

echo "a guest is destroyed"
xl destroy g2
expect_no_zombie "a destroyed guest"
await_line life '\(g2\) goes: domain destroyed'
expect_line "a guest that is destroyed goes" life '\(g2\) goes: domain destroyed'

end_life
