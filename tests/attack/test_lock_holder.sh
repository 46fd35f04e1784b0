#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user who holds the kernel's locks of his rings' memory as long as possible does not delay the recorder: sealing, reading and
# unmapping that memory needs none of these locks.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin held --app all --app-buffer 16Kx8
victimise 20000 50
become "$mallory" $bin/lock_holder "$STRATA_APP_SOCKET" 20 >"$work/attack-1" &
attackers+=($!)
await attacked "$work/attack-1" $!
check "a user has his memory" is "$(connections 1)" 3
check "the kernel goes through none of his mappings for him" is "$(sed -n 's/^held //p' "$work/attack-1")" 0
check "a program is recorded beside him" victim_ends
check "one that starts, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "no event of theirs is lost" is "$(steps held)" 20100
finish
