#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# If users take all processes of the machine, so that no thread can be created to close sockets, the recorder does not wait for a
# close.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

export NO_THREADS=$work/no-threads
LD_PRELOAD="$bin/no_threads.so $bin/takes_files.so" begin threads --app all --app-buffer 16Kx8
victimise 40000 50
touch "$NO_THREADS"
attack queue 300
await said threads 'cannot create a thread to close sockets'
# It waits in connect() when the recorder accepts nobody any more.
become "$mallory" $bin/hostile "$STRATA_APP_SOCKET" linger 20 >"$work/attack-linger" &
attackers+=($!)
check "a program is recorded beside sockets that nobody closes" victim_ends
end_attacks
rm "$NO_THREADS"
check "one that comes when threads can be made again, too" as "$victim" $bin/victim 100 0
end_recording
check "no event of theirs is lost" is "$(steps threads)" 40100
finish
