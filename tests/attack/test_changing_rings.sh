#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's programs change the words of their rings while the recorder reads them. That spoils only their own traces, also in a
# flight recorder.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# record NAME OPTIONS...: beside such programs.
record() {
	local name=$1
	begin "$@" --app all --app-buffer 16Kx8
	attack change 8
	check "programs change their rings ($name)" is "$(connections "$attacks")" 8
	victimise 20000 50
	[ "$name" != flies ] || check "a snapshot is taken" taken
	check "a program is recorded beside them ($name)" victim_ends
	end_attacks
	end_recording
	check "the recorder ends, and says what it left out ($name)" is "$status" 3
}

# taken: bad packets may be left out of it.
# shellcheck disable=SC2317 # check calls it
taken() { "$strata" snapshot --output "$work/snapshot" || [ $? = 3 ]; }

record drains
check "no event of its is lost" is "$(steps drains)" 20000
check "its events can be read" is "$(readable_steps drains)" 20000
record flies --overwrite
check "a flight recorder can be read" test "$(readable_steps flies)" -gt 0
check "so can its snapshot" test "$(readable_steps snapshot)" -gt 0
finish
