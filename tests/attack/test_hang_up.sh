#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Connections beyond one user's share, with as many queued messages as a socket accepts, cost another user no event.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin queued --app all --app-buffer 16Kx8
attack queue 300
for _ in 1 2 3; do
	attack queue 1
done
victimise 60000 50
check "a program is recorded beside connections that are full of messages" victim_ends
end_attacks
end_recording
check "it loses no event" is "$(steps queued)" 60000
check "the refusal says who holds how much of what" said queued "user $mallory holds 256 of its share of [0-9]+ connections"
finish
