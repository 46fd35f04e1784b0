#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user has so many programs that their files, which each rotation makes anew, would use up the inodes of the disk. Before that they
# are left out; the recording rotates on, and others are recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=64m,nr_inodes=400 disk "$work"
free_files() { df --output=iavail "$work" | tail -1; }
pieces() { find "$work/many" -mindepth 1 -maxdepth 1 -name 'recording-*' | wc -l; }
has_pieces() { [ "$(pieces)" -ge "$1" ] || said many 'cannot rotate'; }

"$strata" record --app all --rotate-time 3s --output "$work/many" 2>"$work/many.log" &
recorder=$!
await begun_or_ended "$work/many.log"
for _ in {1..32}; do
	become $mallory $bin/victim 1000000 20000 &
	attackers+=($!)
done
await has_pieces 5
check "the recording rotates" is "$(grep -c 'cannot rotate' "$work/many.log")" 0
check "one user's programs leave a quarter of the files at least" test "$(free_files)" -ge 100
check "the recorder says whose programs are left out" said many 'user 61001 has created as many files .* not in the new recording'
check "another user's program is recorded then" as "$victim" $bin/victim 1000 20
end_attacks
end_recording
check "it loses no event" is "$(jq '[.sources[]? | select(. != null and .uid == 61002) | .streams[].events] | add // 0' \
	"$work"/many/*/recording.json | awk '{ n += $1 } END { print n }')" 1000
check "the recorder says that not all is recorded" is "$status" 3
each_has_ended() { [ "$(jq 'has("ended_ticks")' "$work"/many/*/recording.json | sort -u)" = true ]; }
check "each recording is complete" each_has_ended
finish
