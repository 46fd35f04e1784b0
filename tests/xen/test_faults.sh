#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which one fault after the other occurs, and checks that none of them loses
# recorded events. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/faults
MARKED=10000

build_helpers() {
	gcc -static -O2 -Wall -Wextra -Werror tests/xen/workloads/as_nobody.c -o "$OUT/as_nobody" &&
		make --no-print-directory out/tests/other_abi/strata out/tests/other_abi/stratad &&
		mkdir -p "$OUT/other_abi" && cp out/tests/other_abi/strata out/tests/other_abi/stratad "$OUT/other_abi"
}

# Each marked system call was recorded once, or counted as lost.
marked_add_up() {
	local recorded lost
	recorded=$(grep -cE 'sys_enter.*0x5354.*0x52415441' "$OUT/marked-merged/timeline.txt")
	lost=$(jq '.lost' "$OUT/marked-merged/summary.json")
	echo "recorded $recorded + lost $lost, of $MARKED"
	[ "$lost" -gt 0 ] && [ "$recorded" -gt 0 ] && [ $((recorded + lost)) = "$MARKED" ]
}

# A merge refuses to write over the table of what it merges, also behind a link.
table_is_not_written_over() {
	ln -sf "$PWD/$OUT/beside/recording.json" "$OUT/link"
	cp "$OUT/beside/recording.json" "$OUT/table"
	! out/bin/strata merge "$OUT/beside" --format text -o "$OUT/beside/recording.json" &&
		! out/bin/strata merge "$OUT/beside" --format text -o "$OUT/link" &&
		cmp "$OUT/beside/recording.json" "$OUT/table"
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the helpers build" build_helpers
boot "$here/faults.lab" "$OUT"
check "the recording with losses merges" out/bin/strata merge "$OUT/marked" -o "$OUT/marked-merged"
check "marked calls: N = recorded + lost" marked_add_up
for name in interrupted beside; do
	check "$name: merges, no violation" merged_cleanly "$OUT/$name" "$OUT/$name-merged"
	check "$name: babeltrace2 opens it without a warning" opens "$OUT/$name-merged/ctf"
done
check "the recording that is merged is not written over" table_is_not_written_over
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
