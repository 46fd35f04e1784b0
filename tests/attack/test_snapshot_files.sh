#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One user's programs need more files in a snapshot than their share of the disk has left: the snapshot leaves their rings out, and
# contains all others.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=64m,nr_inodes=700 disk "$work"

begin flies --app all --overwrite
attack hold 70 2
held() { [ "$(jq '[.sources[] | select(. != null and (.name | startswith("app-hostile")))] | length' "$work/flies/recording.json")" = 70 ]; }
await held
victimise 2000 50
victim_waits() { kill -STOP "$victim_pid"; }
victim_waits
status=0
"$strata" snapshot --output "$work/snapshot" >"$work/said" 2>&1 || status=$?
check "a snapshot is taken" test -e "$work/snapshot/recording.json"
check "it says that not all is in it" is "$status $(grep -c 'used up its share' "$work/said")" "3 1"
check "another user's program is in it" test "$(steps snapshot)" -ge 200
check "the recorder says whose programs are not" said flies "is not recorded on all CPUs: user $mallory has created as many files"
kill -CONT "$victim_pid"
victim_ends
end_attacks
end_recording
check "the recorder says at its end that shares were used up" is "$status" 3
finish
