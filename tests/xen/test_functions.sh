#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which calls of kernels' functions are recorded, and compares them with kprobes of the same functions; traces
# functions that the recording calls itself, and thousands. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/functions

# sql RECORDING STATEMENT: its rows.
sql() { out/bin/strata sql --csv "$OUT/$1" "$2" 2>/dev/null | tail -n +2; }
# as_kprobes RECORDING EVENT FUNCTION: the calls of the function are at the times of its kprobe's hits, as many.
as_kprobes() {
	local address calls hits
	address=$(sql "$1" "SELECT DISTINCT ip FROM probe_$3")
	calls=$(sql "$1" "SELECT count(*) FROM $2 WHERE ip - $address BETWEEN 0 AND 4")
	hits=$(sql "$1" "SELECT count(*) FROM probe_$3")
	echo "$calls calls at $address, $hits hits"
	[ "$calls" -gt 0 ] && [ "$calls" = "$hits" ]
}
# has RECORDING EVENT NUMBER: it has at least so many of the event.
has() {
	local found
	found=$(sql "$1" "SELECT count(*) FROM $2")
	echo "$found events"
	[ "$found" -ge "$3" ]
}
# distinct RECORDING EVENT FIELD NUMBER: the field has at least so many values.
distinct() {
	local found
	found=$(sql "$1" "SELECT count(DISTINCT $3) FROM $2")
	echo "$found values"
	[ "$found" -ge "$4" ]
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/functions.lab" "$OUT"
for function in vfs_open vfs_read; do
	check "calls of $function are those that a kprobe sees" as_kprobes guest calls $function
done
check "also by a pattern with an argument" as_kprobes guest opens vfs_open
check "and in dom0" as_kprobes dom0 calls vfs_open
check "a pattern takes several functions" distinct guest calls ip 4
check "each call has its caller" distinct guest calls parent_ip 4
check "and the contexts of its channel" bash -c "out/bin/strata view '$OUT/guest' | grep ' calls ' | grep -q 'procname=\"\\?cat'"
for event in spins of_xen; do
	check "functions that the recording calls itself are recorded: $event" has self $event 100
done
check "thousands of functions are recorded" distinct many thousands ip 50
# names RECORDING: of its sources.
names() { jq -r '[.sources[].name] | sort | join(" ")' "$OUT/$1/recording.json"; }
check "Xen records the clock of a guest, if no events" test "$(names self)" = "g1 xen"
check "so the guest's times are known" merged_cleanly "$OUT/self" "$OUT/self-merged"
check "dom0's kernel needs no clock of Xen's" test "$(names dom0)" = dom0
check "a session has the calls of its functions" has session reads 10
check "functions: merges, no violation" merged_cleanly "$OUT/guest" "$OUT/merged"
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount|segfault|rcu.*stall' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
