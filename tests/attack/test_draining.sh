#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However fast one user fills rings or sends messages, another user's events are recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

cpus=$(nproc --all)

# Five processes that fill 200 rings again and again.
begin refilled --app all --app-buffer 16Kx16
for _ in 1 2 3 4 5; do
	attack refill $((40 / cpus + 1)) "$cpus"
done
victimise 20000 50
check "a program is recorded beside 200 rings that are refilled" victim_ends
end_attacks
end_recording
check "it loses no event" is "$(steps refilled)" 20000

begin ready --app all --app-buffer 16Kx16
attack ready 50
attack ready 50
victimise 20000 50
check "a program is recorded beside a storm of READY messages" victim_ends
end_attacks
end_recording
check "it loses no event" is "$(steps ready)" 20000
finish
