#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Messages that programs cause are limited, and the recorder does not wait for their reader.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin flooded --app all --app-buffer 4Kx2
attack lies 250
end_recording
check "250 lies make no more than 60 lines" test "$(wc -l <"$work/flooded.log")" -le 60
check "the others are summed up" said flooded "user $mallory caused [0-9]+ more messages like these"

# A pipe that nobody reads, and that is full already.
mkfifo "$work/pipe"
exec {reader}<>"$work/pipe"
dd if=/dev/zero bs=4096 count=16 of="$work/pipe" 2>/dev/null
"$strata" record --output "$work/unread" --app all --duration 4 2>"$work/pipe" &
recorder=$!
await test -S "$STRATA_APP_SOCKET"
attack lies 50
as "$victim" $bin/victim 100 0
check "a recorder whose messages nobody reads ends at its duration" await has_ended "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
exec {reader}<&-
check "and has recorded" is "$(readable_steps unread)" 100
finish
