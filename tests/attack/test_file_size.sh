#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's stream file reaches the limit of a file's size (ulimit -f, or that of a file system).  Only his later events are lost,
# and counted.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# lost_of USER RECORDING: events of that user's that are counted as lost.
lost_of() { jq "[.sources[]? | select(. != null and .uid == $1) | .streams[].lost] | add" "$work/$2/recording.json"; }

largest_file=1000
begin limited --app all --app-buffer 16Kx8
largest_file=unlimited
victimise 4000 200
become "$mallory" $bin/app/program crowd 2 "$(home "$mallory")/last" &
attackers+=($!)
check "a user's stream reaches the limit" await said limited 'File too large; the later events of this CPU are lost and counted'
check "another user's program is recorded to its end" victim_ends
check "one that starts then, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "the recorder ends as usual, and says what was lost" is "$status" 3
check "no event of theirs is lost" is "$(steps limited)" 4100
check "those of the user are counted" test "$(lost_of "$mallory" limited)" -gt 0
check "the recording can be read" is "$(readable_steps limited)" 4100
finish
