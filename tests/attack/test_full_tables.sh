#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's many programs make the tables of a recording large, and then the disk is full: the last tables are written nevertheless.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=128m disk "$work"
table_bytes() { stat -c %s "$work/full/recording.json"; }
# Longer than the space that a recorder reserves at first.
is_long() { [ "$(table_bytes)" -gt 300000 ]; }

begin full --app all
for _ in 1 2 3 4 5 6 7 8 9; do
	attack hold 100 2
	end_attacks
done
victimise 2000 20
victim_ends
check "one user's programs make the tables long" await is_long
await jq -e '.sources[] | select(. != null and (.name | startswith("app-victim")))' "$work/full/recording.json" >"$work/there"
dd if=/dev/zero of="$work/filler" bs=1M status=none 2>/dev/null
dd if=/dev/zero of="$work/filler" oflag=append conv=notrunc bs=1k status=none 2>/dev/null
check "the disk is full" test "$(df --output=avail -k "$work" | tail -1)" -lt 16
end_recording
check "the last tables are written all the same" jq -e .ended_ticks "$work/full/recording.json"
check "they have another user's events" is "$(steps full)" 2000
rm "$work/filler"
check "and the recording is whole" is "$(readable_steps full)" 2000
finish
