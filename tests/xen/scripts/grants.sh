#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A guest keeps the lock of its grant table busy, which dom0 needs for each page that it maps or unmaps of it; then it loads
# the module. Meanwhile another guest makes marked calls. Runs in dom0; checks/grants.sh looks at what is recorded.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Prints in hundredths of a second, while the recorder runs, the longest time for which dom0 stood still.
watch_dom0() {
	longest=0
	last=$(tr -d . </proc/uptime)
	last=${last%% *}
	while kill -0 "$recorder" 2>/dev/null; do
		usleep 20000
		now=$(tr -d . </proc/uptime)
		now=${now%% *}
		[ $((now - last)) -le $longest ] || longest=$((now - last))
		last=$now
		echo $longest >longest
	done
}

start_recorder life --output "$LAB_OUT/life" --xen sched --kernel g2:sys_enter --kernel g3:sys_enter
watch_dom0 &
mark g2 1 1

echo "a guest is mapped and unmapped"
tell g3 "insmod /lib/strata.ko subbuf_kb=64 nr_subbufs=64"
await_line life '\(g3\) is recorded from now on, as g3$'
expect_line "a guest that comes takes part" life '\(g3\) is recorded from now on, as g3$'
tell g3 "rmmod strata; echo unloaded"
await_line life '\(g3\) goes: module unloaded'
await_console g3 '^unloaded'
echo "dom0 stood still for $(cat longest) hundredths of a second"

echo "its grant table's lock is kept busy"
tell g3 "insmod /lib/modules-for-tests/grantlock.ko; insmod /lib/strata.ko subbuf_kb=64 nr_subbufs=64; dmesg | grep grantlock; echo busy"
await_console g3 '^busy'
sed -n 's/.*grantlock: \(one .*\)/\1/p' "$LAB_OUT/guest-g3.log"
expect_line "the lock is busy" "$LAB_OUT/guest-g3.log" 'grantlock: one request takes'
# The recorder is at it.
sleep 5
mark g2 2 1
mark g2 3 1
echo "dom0 stood still for $(cat longest) hundredths of a second"
grep '(g3)' life
end_recorder INT
expect_line "a recording ends" life 'recorded [0-9]+ events'
cp life "$LAB_OUT/life.log"
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
