#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While calls on one user's sockets do not return, other users' programs come, are recorded and go, and the recording ends.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

export SLOW_TALK=$work/slow-talk SLOW_USER=$mallory
LD_PRELOAD=$bin/slow_talk.so begin talking --app all --app-buffer 16Kx8
# One user has programs that send, one that says nothing and ends, and then connections beyond a share.
attack ready 2
attack silent 100
victimise 60000 50
touch "$SLOW_TALK"
{ kill -KILL "${attackers[1]}" && wait "${attackers[1]}"; } 2>/dev/null
attack silent 300
check "a program is recorded while calls on another user's sockets do not return" victim_ends
check "one that comes then is, too" as "$victim" $bin/victim 100 0
kill -INT "$recorder"
check "the recording ends meanwhile" await has_ended "$recorder"
rm "$SLOW_TALK"
await has_ended "$recorder"
recorder=""
check "no event of theirs is lost" is "$(steps talking)" 60100
finish
