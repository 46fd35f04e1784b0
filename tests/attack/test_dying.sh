#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The kernel has a process that reads another one's /proc/PID/status free that one's memory if it ends meanwhile, and close what it had
# mapped, which may take for ever.  The recorder does not wait for that.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin dying --app all --app-buffer 16Kx8
# It becomes mallory, with all groups that mallory may own.
$bin/dying "$STRATA_APP_SOCKET" 200 "$mallory" >"$work/attack-dying" &
attackers+=($!)
victimise 20000 50
check "a program is recorded while processes of another user end in front of the recorder" victim_ends
check "they do end" await grep -q '^tried 200$' "$work/attack-dying"
check "one that comes later is recorded, too" as "$victim" $bin/victim 100 0
end_attacks
end_recording
nothing_is_left() { ! pgrep -x strata >/dev/null; }
check "no process that looked at another one is left" await nothing_is_left
check "no event of theirs is lost" is "$(steps dying)" 20100
finish
