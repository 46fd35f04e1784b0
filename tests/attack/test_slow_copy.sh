#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the threads that close sockets get no CPU for long, a user whose many connections end costs another user no event.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

LD_PRELOAD=$bin/slow_copy.so begin copied --app all --app-buffer 16Kx8
attack knock 256
victimise 80000 20
check "a program is recorded while connections of another user end" victim_ends
check "one that comes meanwhile, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "no event of theirs is lost" is "$(steps copied)" 80100
finish
