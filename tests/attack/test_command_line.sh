#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Nobody can read the command line of the recorder, nor of the processes that work for it: the kernel would read it out of their
# memory, and keep the lock of their address space for as long as the reader waits for a CPU (consumerd/host/command_line.h).
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# The arguments that a user reads of all processes of strata.
arguments() {
	local pid
	for pid in $(pgrep -x strata); do
		as "$mallory" cat "/proc/$pid/cmdline"
	done | tr '\0' ' '
}

begin hidden --app all
check "there is a helper besides the recorder" test "$(pgrep -x strata | wc -l)" -ge 2
check "nobody reads their arguments" is "$(arguments)" ""
as "$victim" $bin/victim 100 0
end_recording
check "the recorder works as ever" is "$(steps hidden)" 100
silent() { ! said hidden "cannot be hidden"; }
check "and says nothing of it" silent
finish
