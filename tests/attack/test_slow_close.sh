#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# On a kernel where the close of a socket takes long, a user whose many connections end costs another user no event.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

LD_PRELOAD=$bin/slow_close.so begin closing --app all --app-buffer 16Kx8
attack silent 200
victimise 60000 50
end_attacks
check "a program is recorded while connections of another user end" victim_ends
end_recording
check "it loses no event" is "$(steps closing)" 60000
finish
