#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The processes of a user take the kernel 12 ms each to tell of, and connect without end.  The looks at them leave the CPUs to
# others: another user's programs start as beside one who connects as often with few groups.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# starts_beside NUMBER: beside processes with as many groups; $took: the milliseconds in which 30 programs start and end.
starts_beside() {
	local began i
	rm -f "$work/groups"
	$bin/many_groups "$STRATA_APP_SOCKET" "$mallory" "$1" >"$work/groups" &
	attackers+=($!)
	await grep -qs connections "$work/groups"
	began=$(date +%s%N)
	for ((i = 0; i < 30; i++)); do
		as "$victim" $bin/victim 10 0
	done
	took=$((($(date +%s%N) - began) / 1000000))
	end_attacks
	echo "# beside $1 groups: $took ms"
}

begin costly --app all
starts_beside 0
few=$took
starts_beside 65536
check "programs start beside costly looks" test "$took" -lt $((1000 + 5 * few))
end_recording
check "all are recorded" is "$(steps costly)" 600
finish
