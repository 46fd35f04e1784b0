#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user makes each close of an anonymous file, anybody's, take tens of milliseconds (range_locks.c), and keeps the memory of his
# rings.  The recorder's loop closes no such file: a program that comes then is recorded at once, and loses nothing.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin locked --app all --app-buffer 16Kx8
attack keep 64
become "$mallory" $bin/range_locks 150000 >"$work/locks" &
attackers+=($!)
await grep -qs locked "$work/locks"
began=$SECONDS
victimise 20000 50
# It took 100 s and more, and longer on a slow machine.
check "a program starts beside him" test $((SECONDS - began)) -lt 60
check "it is recorded to its end" victim_ends
check "one that starts then, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "no event of theirs is lost" is "$(steps locked)" 20100
finish
