#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# While a snapshot writes what one user's programs have left in their rings, another user's program loads a library with events:
# these, and what lies beside them in its rings, are in the snapshot.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

LD_PRELOAD=$bin/slow_disk.so begin flight --app all --overwrite --app-buffer 256Kx8
become "$mallory" $bin/victim 100000000 0 "$(home "$mallory")/filled" &
attackers+=($!)
await test -e "$(home "$mallory")/filled"
kill -STOP "${attackers[@]}"
# It fills several sub-buffers, so the newest one, into which it will write, is written late.
loads=$(home "$victim")/loads
# shellcheck disable=SC2154 # of common.sh
become "$victim" $bin/library_loader 40000 "$loads" $bin/app/library.so &
attackers+=($!)
await test -e "$loads.1"
"$strata" snapshot --output "$work/snapshot" 2>"$work/said" &
snapshot=$!
await test -e "$work/snapshot/recording.json"
as "$victim" touch "$loads.2"
await test -e "$loads.3"
during=$(has_ended "$snapshot" || echo yes)
snapshot_status=0
wait "$snapshot" || snapshot_status=$?
end_attacks
end_recording
count() { "$strata" convert --format json "$work/snapshot" 2>/dev/null | grep "loader" | grep -c "\"$1\""; }
check "it loads the library while the snapshot is written" is "$during" yes
check "the events of the library are in the snapshot" is "$(count loaded)" 10
check "so are those beside them" is "$(count step)" 40000
check "nothing is left out" is "$snapshot_status" 0
finish
