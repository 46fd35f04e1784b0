#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While a snapshot writes what one user's programs have left in their rings, to a disk that is busy, another user's programs start
# and are recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

LD_PRELOAD=$bin/slow_disk.so begin flight --app all --overwrite --app-buffer 256Kx8
# Four programs, each of which has filled its rings on some CPUs many times.
for i in {1..4}; do
	become "$mallory" $bin/victim 100000000 0 "$(home "$mallory")/filled-$i" &
	attackers+=($!)
done
for i in {1..4}; do
	await test -e "$(home "$mallory")/filled-$i"
done
kill -STOP "${attackers[@]}"
"$strata" snapshot --output "$work/snapshot" 2>/dev/null &
snapshot=$!
await test -e "$work/snapshot/recording.json"
# Programs wait no longer than they usually do.
started=0
until has_ended "$snapshot"; do
	STRATA_APP_WAIT_MS=1000 as "$victim" $bin/victim 100 0
	started=$((started + 1))
done
wait "$snapshot"
end_attacks
end_recording
of_victim() { jq "[.sources[]? | select(. != null and .uid == $victim) | .streams[].events] | add // 0" "$work/flight/recording.json"; }
check "programs start while a snapshot is written" test "$started" -ge 3
check "they are recorded" is "$(of_victim)" $((100 * started))
finish
