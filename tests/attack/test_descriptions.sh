#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However much programs of one user describe, what is recorded can be read, and the other users' programs are in it.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin bomb --app all
attack describe 11
as "$victim" $bin/victim 1000 0
end_recording
end_attacks
check "some descriptions are left out" is "$status" 3
check "the recorder says whose they are, and what the share is" said bomb 'user 61001 .* share of .* bytes of event descriptions'

check "stat reads the recording" "$strata" stat "$work/bomb"
check "view reads it" "$strata" view "$work/bomb"
check "merge reads it" "$strata" merge "$work/bomb" -o "$work/merged"
check "recover reads it" "$strata" recover "$work/bomb" -o "$work/recovered"
check "all events of the victim are recorded" is "$(readable_steps bomb)" 1000
check "and recovered" is "$(readable_steps recovered)" 1000
finish
