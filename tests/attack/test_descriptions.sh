#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However many event classes one user's programs describe, the recording stays readable and contains the other users'
# programs.
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
check "the recorder says whose they are, and what the share is" said bomb "user $mallory .* share of .* bytes of event descriptions"

check "stat reads the recording" "$strata" stat "$work/bomb"
check "view reads it" "$strata" view "$work/bomb"
check "merge reads it" "$strata" merge "$work/bomb" -o "$work/merged"
check "recover reads it" "$strata" recover "$work/bomb" -o "$work/recovered"
# grows_less_than KIB: the recorder's own memory.
grows_less_than() { [ "$(awk '/^RssAnon/ { print $2 }' "/proc/$recorder/status")" -lt "$1" ]; }

# All programs of a user that are connected at once: the recorder keeps what they describe.
begin many --app all --app-buffer 4Kx2
attack describe 40
check "a user's programs get no more of the recorder's memory than his share" is "$(connections 2)" 21
check "the recorder does not grow" grows_less_than 65536
as "$victim" $bin/victim 100 0
end_attacks
attack describe 1
check "the share is given back" is "$(connections 3)" 1
end_recording
end_attacks
check "another user's program is recorded beside them" is "$(steps many)" 100

check "all events of the victim are recorded" is "$(readable_steps bomb)" 1000
check "and recovered" is "$(readable_steps recovered)" 1000
finish
