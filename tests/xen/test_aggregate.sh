#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which channels of Xen and of a kernel count events while another one records them, and checks that both have the same.
# Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/aggregate

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/aggregate.lab" "$OUT"
same() {
	local recording=$OUT/$1 source=$2 counts=$OUT/$3.json
	shift 3
	"$here/same_counts.py" "$recording" "$source" "$counts" "$@"
}

check "counts by event and domain are those of the recording" same beside xen counts
check "and counts by event" same beside xen all
check "counts in tables that are renewed again and again miss nothing" same beside xen few renewed
check "times between two events of a vCPU are those of the recording" same beside xen times vm_exit vm_entry
check "counts of a kernel are those of the recording" same kbeside g3 kcounts
check "times of its threads are those of the recording" same kbeside g3 ktimes sys_enter sys_exit
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
