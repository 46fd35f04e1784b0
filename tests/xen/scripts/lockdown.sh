#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Asks g1's kernel for probes before and after it is locked down. Lockdown comes after insmod, because a locked kernel loads signed
# modules only. Runs in dom0; checks/lockdown.sh looks at the recordings in $LAB_OUT.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CALL=__x64_sys_getpriority

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Records probe --$2 g1:$3 and both guests' trace points as $1; g2 makes the marked calls of phase $4.
record_probe() {
	start_recorder "$1" --output "$LAB_OUT/$1" --xen none --kernel g1:sys_enter --kernel g2:sys_enter "--$2" "g1:$3"
	mark g2 "$4" 1
	end_recorder INT
}

echo "the kernel of g1 is not locked down"
start_recorder unlocked --output "$LAB_OUT/unlocked" --xen none --kernel g1:none --kprobe "g1:$CALL"
mark g1 1 1
end_recorder INT
expect_status "a probe is recorded" 0
expect_events "each of its hits" "$LAB_OUT/unlocked" "probe_$CALL" 100

echo "the kernel of g1 is locked down"
tell g1 "mount -t securityfs securityfs /sys/kernel/security"
tell g1 "echo confidentiality >/sys/kernel/security/lockdown; cat /sys/kernel/security/lockdown; echo locked"
await_console g1 '^locked'
expect_line "the kernel says so" "$LAB_OUT/guest-g1.log" '^none integrity \[confidentiality\]'

record_probe known kprobe "$CALL" 2
expect_status "a probe that was there before is refused" 3
expect_line "the user is told that, and why it may be" known \
	"\\(g1\\) is left out: its module refuses kprobe $CALL \\(.* locked down.*its kernel log says why"
expect_line "and the kernel's log says why" "$LAB_OUT/guest-g1.log" 'strata: no kprobe: this kernel is locked down'
record_probe new kretprobe do_sys_openat2 3
expect_status "a new probe on a return is refused" 3
expect_line "and named" new "\\(g1\\) is left out: its module refuses kretprobe do_sys_openat2 \\(.* locked down"
expect_line "as a kretprobe" "$LAB_OUT/guest-g1.log" 'strata: no kretprobe: this kernel is locked down'
record_probe program uprobe /bin/marked:main 6
expect_status "a probe on a program is refused" 3
expect_line "and named as a uprobe" "$LAB_OUT/guest-g1.log" 'strata: no uprobe: this kernel is locked down'
record_probe called function 'vfs_*' 7
expect_status "functions are refused" 3
expect_line "and named as functions" "$LAB_OUT/guest-g1.log" 'strata: no function: this kernel is locked down'

start_recorder locked --output "$LAB_OUT/locked" --xen none --kernel g1:sys_enter --kernel g2:sys_enter
mark g1 4 1
mark g2 5 1
end_recorder INT
expect_status "trace points of a locked kernel are recorded" 0

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
