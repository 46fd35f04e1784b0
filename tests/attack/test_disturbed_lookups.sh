#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user makes look-ups in the kernel's cache of names fail, without end: another user's programs find their recorder all the same.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

starts=200
begin disturbed --app all
become "$mallory" $bin/disturber 2 >"$work/disturber" &
attackers+=($!)
await grep -q disturbs "$work/disturber"
check "programs start meanwhile" as "$victim" bash -c "for ((i = 0; i < $starts; i++)); do $bin/victim 10 0 || exit; done"
check "look-ups are disturbed" grep -q '^fails' "$work/disturber"
end_attacks
end_recording
check "all of them are recorded" is "$(steps disturbed)" $((starts * 10))
finish
