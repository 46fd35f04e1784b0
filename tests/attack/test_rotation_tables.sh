#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's programs describe many events, whose metadata each rotation writes again, megabytes of them. They count in his share of the
# disk: the tables of others are written to the end.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=24m disk "$work"
pieces() { find "$work/many" -mindepth 1 -maxdepth 1 -name 'recording-*' | wc -l; }
has_pieces() { [ "$(pieces)" -ge "$1" ] || said many "disk is full|cannot rotate"; }

"$strata" record --app all --rotate-time 2s --output "$work/many" 2>"$work/many.log" &
recorder=$!
await begun_or_ended "$work/many.log"
attack describe 3
# shellcheck disable=SC2119 # of the last attack
check "three programs describe many events" is "$(connections)" 3
victimise 8000 1000
await has_pieces 6
check "another user's program is recorded beside them" victim_ends
check "their metadata leave a third of the disk free at least" test "$(df --output=avail -k "$work" | tail -1)" -ge 7000
end_attacks
end_recording
check "no event of his is lost" is "$(jq '[.sources[]? | select(. != null and .uid == 61002) | .streams[].events] | add // 0' \
	"$work"/many/*/recording.json | awk '{ n += $1 } END { print n }')" 8000
check "all tables are written" is "$(grep -c 'disk is full' "$work/many.log")" 0
check "the recorder says whose events are not described" said many 'app-hostile.*: its events cannot be read: user 61001 has written as much'
check "and that not all is recorded" is "$status" 3
finish
