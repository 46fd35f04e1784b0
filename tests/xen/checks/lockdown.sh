#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# A guest's kernel was locked down for confidentiality. Checks that domain 0 could not add kprobes to it from then on, that the user
# was told, and that everything else was recorded as before. Sourced by check_scripts of tests/tap.sh.

# calls RECORDING GUEST PHASE: the timeline has all 100 marked calls.
calls() {
	local found
	found=$(grep -cE " $2/0 +sys_enter .*args=\\[0x5354,0x52415441,0x$3," "$OUT/$1-merged/timeline.txt")
	echo "$found of 100"
	[ "$found" = 100 ]
}

for name in known new locked; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
done
check "the other guest is recorded while a probe is refused" calls known g2 2
check "of a return, too" calls new g2 3
check "the locked kernel records all calls" calls locked g1 4
check "and the other kernel" calls locked g2 5
check "no kernel complained" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg' '$OUT'/guest-g?.log"
check "Xen did not complain" bash -c "test -s '$OUT/xl-dmesg' && ! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
