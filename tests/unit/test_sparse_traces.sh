#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Foreign traces whose files have holes are read beside another trace, all of whose events are shown: holes are neither decoded as
# events, nor do they multiply slices or memory.
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

streams=1000      # of the honest trace beside the stream of 1 TiB
limit_kb=1200000  # address space; 100 windows of 16 MiB are more
hangs_s=120

check "traces with holes" python3 tests/unit/make_sparse_traces.py "$work" $streams

limited() { (ulimit -v $limit_kb && exec timeout $hangs_s "$strata" "$@" 2>"$work/err"); }

# beside ATTACK HONEST LINES MESSAGE: all events of the honest trace are shown, with status 3 and such a message.
beside() {
	local lines status=0
	limited view --threads 2 --event honest "$work/$1" "$work/$2" >"$work/lines" || status=$?
	lines=$(grep -c honest "$work/lines")
	[ "$status $lines" = "3 $3" ] && grep -q "$4" "$work/err" && return
	echo "status $status, $lines lines of $3:"
	cat "$work/err"
	return 1
}
check "view beside a stream of 1 TiB without a packet" beside slices many $((4 * streams)) "left out, up to the end of the file"
check "view beside a packet of 1 TiB that is a hole" beside hole few 1000 "a hole in the file"
check "view beside a hundred events of 15 MB" beside windows few 1000 "readers have no memory left for it"

# ends_beside VERB...: each trace with holes is read to its end, and its damage is status 3.
ends_beside() {
	local attack status
	for attack in slices hole windows; do
		status=0
		limited "$@" "$work/$attack" "$work/few" >"$work/out" || status=$?
		[ "$status" = 3 ] && continue
		echo "$attack: status $status"
		cat "$work/err"
		return 1
	done
}
check "report ends" ends_beside report schedule
check "stat ends" ends_beside stat
check "convert ends" ends_beside convert --threads 2 --format count
finish
