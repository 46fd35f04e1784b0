#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user who writes events in an endless loop cannot fill the disk: other users get as much space.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=24m disk "$work"
disk_is_shared() { said full "user $mallory has written as much as is left|writing pauses until there is room"; }
free_kib() { df --output=avail -k "$work" | tail -1; }

begin full --app all
for _ in 1 2; do
	setpriv --reuid "$mallory" --regid "$mallory" --clear-groups --inh-caps=-all -- \
		$bin/app/program numbered 1000000000 &
	attackers+=($!)
done
await disk_is_shared
check "one user's events leave a third of the disk free at least" test "$(free_kib)" -ge 7000
victimise 20000 20
check "another user's program is recorded then" victim_ends
end_attacks
end_recording
check "it loses no event" is "$(steps full)" 20000
check "the recorder says who had no room" said full "user $mallory has written as much as is left on the disk"
check "and that not all is recorded" test "$status" = 3
check "the recording is whole" is "$(readable_steps full)" 20000
finish
