#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whoever starts a recorder may have it inherit that timers may be late by seconds (PR_SET_TIMERSLACK): it does not wait longer for that,
# and so loses no event of anybody.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# late COMMAND...: this shell becomes it, with timers that may be four seconds late.
late() {
	exec /usr/bin/python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(29, ctypes.c_ulong(4000000000))
os.execv(sys.argv[1], sys.argv[1:])' "$@"
}

late "$strata" record --output $work/late --app all --app-buffer 4Kx8 2>$work/late.log &
recorder=$!
await begun_or_ended $work/late.log
check "the recorder's timers are as exact as usual" is "$(cat "/proc/$recorder/timerslack_ns")" 50000
as "$victim" $bin/victim 15000 10
end_recording
check "no event is lost" is "$(steps late)" 15000
finish
