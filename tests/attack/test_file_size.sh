#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's stream file reaches the limit of a file's size (ulimit -f, or that of a file system).  Only his later events are lost,
# and counted.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# small OPTIONS...: a recorder whose files may be small.
# shellcheck disable=SC2317 # refused calls it
small() (
	ulimit -f 1000
	"$strata" record "$@"
)

# lost_of USER RECORDING: events of that user's that are counted as lost.
lost_of() { jq "[.sources[]? | select(. != null and .uid == $1) | .streams[].lost] | add" "$work/$2/recording.json"; }

check "a recorder does not begin where its tables may not fit" refused 'files may have 1000 KiB here' small --app all --output "$work/small"
largest_file=25000
begin limited --app all --app-buffer 16Kx8
largest_file=unlimited
victimise 8000 200
become "$mallory" $bin/app/program numbered 1000000000 &
attackers+=($!)
check "a user's stream reaches the limit" await said limited 'File too large; the later events of this CPU are lost and counted'
check "another user's program is recorded to its end" victim_ends
check "one that starts then, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "the recorder ends as usual, and says what was lost" is "$status" 3
check "no event of theirs is lost" is "$(steps limited)" 8100
check "those of the user are counted" test "$(lost_of "$mallory" limited)" -gt 0
check "they can be read" is "$("$strata" convert --format json "$work/limited" --event step 2>/dev/null | grep -c '"step"')" 8100
finish
