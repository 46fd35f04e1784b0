#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Floods a host with NMIs while it records, with a hypervisor built for this, and checks that each NMI is recorded completely or
# counted as lost, and that a faulty recorder would be detected. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/nmi

build_helper() {
	# shellcheck disable=SC2046 # several arguments
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Imerge -Idom0-tools \
		-Ixen-patch/src/common/strata "tests/xen/helpers/$1.c" out/build/{consumerd,merge}.a -o "$OUT/$1" \
		$(pkg-config --libs xencall xenforeignmemory xengnttab xenevtchn xenstore xentoollog json-c)
}

build_helpers() {
	build_helper flood && build_helper nmi_check && build_helper nmi_mutate
}

# Each NMI of recording $1 is there or counted as lost.
each_nmi_is_accounted_for() {
	"$OUT/nmi_check" "$OUT/$1" "$OUT/$1.before" "$OUT/$1.after" >"$OUT/$1.check"
	status=$?
	sed "s/^/# $1: /" "$OUT/$1.check" >&3
	return $status
}

# What all CPUs counted in a column of the counts, over both recordings.
counted() {
	cat "$OUT"/{few,many}."$2" | awk -v "column=$1" '{ n += $column } END { print n }'
}

# at_least NUMBER COLUMN: of the counts, before and after.
at_least() {
	local number=$(($(counted "$2" after) - $(counted "$2" before)))
	echo "$number"
	[ "$number" -ge "$1" ]
}

# Xen prints the same numbers of NMIs as it told the test.
xen_says_the_same() {
	grep -q 'CPU.NMI' "$OUT/xl-dmesg" && awk '/CPU\tNMI/ { n = 0 } /^\(XEN\) +[0-9]+\t/ { said[n++] = $2 " " $3 } END { for (i = 0; i < n; i++) print said[i] }' \
		"$OUT/xl-dmesg" | diff - <(awk '{ print $1, $2 }' "$OUT/many.after")
}

merges() {
	merged_cleanly "$OUT/$1" "$OUT/$1-merged"
}

# The merged timeline has as many of them as the streams.
timeline_has_each_nmi() {
	local found
	found=$(columns "$OUT/$1-merged/timeline.txt" 'event == "nmi"' | wc -l)
	awk -v "found=$found" '/ NMIs by / { sub(/.*; recorded /, ""); n += $1 } END { print found, n + 0; exit !n || found != n }' "$OUT/$1.check"
}

some_are_lost() {
	jq -e '[.streams[] | .lost > 0] | all' "$OUT/$1-merged/summary.json"
}

# The checker finds fault $1 in a recording that had none, and says what $2 matches.
fault_is_found() {
	rm -rf "$OUT/fault"
	cp -r "$OUT/many" "$OUT/fault"
	"$OUT/nmi_mutate" "$1" "$OUT/fault" || return
	! "$OUT/nmi_check" "$OUT/fault" "$OUT/many.before" "$OUT/many.after" >"$OUT/fault.check" || return
	cat "$OUT/fault.check"
	grep -qE "$2" "$OUT/fault.check"
}

late_stamps_are_found() {
	! "$OUT/nmi_check" "$OUT/late" "$OUT/late.before" "$OUT/late.after" >"$OUT/late.check" || return
	cat "$OUT/late.check"
	grep -q "packets were refused" "$OUT/late.check"
}

exec 3>&1
rm -rf "$OUT"
mkdir -p "$OUT"
check "the hypervisor for tests builds" xen-patch/build.sh --test
check "the helpers build" build_helpers
boot "$here/nmi.lab" "$OUT" --xen out/xen/test/xen
for name in few many; do
	check "$name: each NMI is recorded whole, or counted as lost" each_nmi_is_accounted_for "$name"
	check "$name: merges, no violation" merges "$name"
	check "$name: the timeline has each that is recorded" timeline_has_each_nmi "$name"
done
check "10,000 NMIs hit" at_least 10000 2
check "100 of them between a reserve and its commit" at_least 100 3
check "Xen prints the same counts" xen_says_the_same
check "few sub-buffers lose records on each CPU" some_are_lost few
check "a torn record is found" fault_is_found torn 'is torn'
check "an NMI that is there twice is found" fault_is_found twice 'follows NMI'
check "an NMI that is not there is found" fault_is_found missing 'are missing before|check records and'
check "time that goes back is found" fault_is_found back 'bad packet'
check "a packet that is not there is found" fault_is_found packet 'packets were refused, 1 are missing'
check "a recording function that stamps late is found" late_stamps_are_found
check "Xen did not complain" bash -c "test -s '$OUT/xl-dmesg' && ! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
