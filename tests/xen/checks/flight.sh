#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# A flight recorder flew over guests that panicked, hung and were destroyed. Checks that every record committed before is found
# afterwards. Sourced by check_scripts of tests/tap.sh.

# numbers DOMAIN RECORDING...: the numbered calls of a guest, from merged recordings, in order.
numbers() {
	local domain=$1
	shift
	for recording in "$@"; do
		grep -hE " $domain/[0-9]+ +sys_enter .*\[0x5354,0x52415441," "$OUT/$recording-merged/timeline.txt"
	done | sed -E 's/.*\[0x5354,0x52415441,(0x[0-9a-f]+).*/\1/' | while read -r hex; do
		echo $((hex))
	done
}

# has_all DOMAIN FIRST LAST RECORDING...: each number once, in this order, and no other.
has_all() {
	local domain=$1 first=$2 last=$3
	shift 3
	diff <(seq "$first" "$last") <(numbers "$domain" "$@") | head -n 5
	numbers "$domain" "$@" | cmp -s - <(seq "$first" "$last")
}

sed -n 's/.*LAB > .*strata_bench: /# in the kernel, /p' "$OUT/../progress.log"
for name in snapshot again changed first-died-g1 hung second-died-g2 second; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
	check "$name: babeltrace2 opens it without a warning" opens "$OUT/$name-merged/ctf"
done
check "a snapshot has each call once" has_all idler 1 1000 snapshot
check "the next one has the ones after it" has_all idler 1001 2000 again
check "changed to sched_*: no call is recorded" bash -c "! grep -qE ' idler/0 +sys_enter .*0x5354,0x52415441,' '$OUT/changed-merged/timeline.txt'"
check "while others are recorded as before" grep -qE " dom0/[0-9]+ +sys_enter" "$OUT/changed-merged/timeline.txt"
check "but who runs is" grep -qE " idler/.*sched_switch" "$OUT/changed-merged/timeline.txt"
check "a panic: each call until then" has_all g1 1 3000 snapshot again first-died-g1
check "a guest that hangs: each call until then" has_all idler 2001 5000 first-died-g1 hung
check "destroyed, recorder killed and restarted: each call until then" has_all g2 1 3000 second-died-g2
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
