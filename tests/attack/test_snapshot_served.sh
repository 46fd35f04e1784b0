#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While a snapshot writes rings, the recorder serves programs: however long that takes each time, the rings come first again.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

LD_PRELOAD=$bin/slow_accept.so begin flight --app all --overwrite --app-buffer 4Kx256
# Two programs fill 512 sub-buffers at least.
for i in 1 2; do
	become "$mallory" $bin/victim 10000000 0 "$(home "$mallory")/filled-$i" &
	attackers+=($!)
done
for i in 1 2; do
	await test -e "$(home "$mallory")/filled-$i"
done
kill -STOP "${attackers[@]}"
began=$SECONDS
"$strata" snapshot --output "$work/snapshot" 2>/dev/null
took=$((SECONDS - began))
end_attacks
end_recording
packets=$(jq '[.sources[]? | select(. != null) | .streams[].packets] | add' "$work/snapshot/recording.json")
check "a snapshot of many sub-buffers is written" test "$packets" -ge 500
check "it does not wait for a look at programs behind each of them" test "$took" -le 5
finish
