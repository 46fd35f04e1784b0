#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records the hypervisor, dom0, both guests of demo.lab and the service in dom0 while g1 asks it a thousand times; g2 is paused
# for the second half. Runs in dom0; the recording is $LAB_OUT/raw.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

# Each look is a process in dom0, which the service shares its CPU with.
LOOK_US=1000000

strata list || exit
# Of a CPU that both want, g2 may have four times as much.
xl sched-credit2 -d g2 -w 1024
await_console g1 '^ask: page '
# shellcheck disable=SC2046 # several words
set -- $(sed -n 's/^ask: page \([0-9]*\) port \([0-9]*\).*/\1 \2/p' "$LAB_OUT/guest-g1.log" | tail -n 1)
# Before the recorder and whatever else dom0 does.
"$LAB_OUT/server" "$(xl domid g1)" "$1" "$2" -10 >server.log 2>&1 &
server=$!
await -p $server 60 has_lines server.log '^server: ready' || {
	cat server.log
	exit 1
}

# What begins a request of g1's application, and what ends it, are functions of its kernel.
start_recorder record.log --output "$LAB_OUT/raw" --app server \
	--xen 'all,!credit2_*,!pv_emulate_privop' --kernel '*:default,xen/xen_evtchn_upcall' --kprobe g1:evtchn_ioctl --kretprobe g1:evtchn_write
await_console g1 '^ask: half'
xl pause g2
echo "g1 has asked 500 times; g2 is paused"
tell g1 go
await_console g1 '^ask: done'
xl unpause g2
echo "g1 has asked 1000 times; g2 goes on"
end_recorder INT
cat record.log
kill $server
exit "$status"
