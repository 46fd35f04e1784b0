#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Setting up rings for one user costs another user no event.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# A CPU count that no machine has: 4,096 rings in one connection.
begin claimed --app all --app-buffer 16Kx8
victimise 40000 50
attack hold 4 4096
check "a program is recorded while another claims 4,096 CPUs" victim_ends
end_recording
end_attacks
check "it loses no event" is "$(steps claimed)" 40000
check "the recorder says what is wrong with the claim" said claimed 'it claims 4096 CPUs, but this machine has [0-9]+'

# As many rings as a share allows, by as many connections as it takes.
begin allowed --app all --app-buffer 16Kx8
victimise 40000 50
attack hold 250 "$(nproc --all)"
check "a program is recorded while another makes 250 times its rings" victim_ends
end_attacks
end_recording
check "it loses no event" is "$(steps allowed)" 40000
finish
