#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user wants to keep the directory locked in which a recording rotates (dir_holder.c). He cannot open it.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

place=/tmp/place
mkdir $place

if ! fuse_for_all; then
	echo "1..0 # SKIP no /dev/fuse"
	exit 0
fi

# shellcheck disable=SC2317 # await calls it
locked_or_refused() { grep -qsE 'locked|Permission denied' "$work/locked" || has_ended "$1"; }
# has_two: recordings, or the recorder says that it has no second one.  The links are counted: to list a locked directory would wait.
has_two() { [ "$(stat -c %h $place/new)" -ge 4 ] || said new 'cannot rotate'; }

"$strata" record --app all --rotate-time 1s --output $place/new 2>"$work/new.log" &
recorder=$!
await begun_or_ended "$work/new.log"
become "$mallory" $bin/dir_holder "$(home "$mallory")" $place/new >"$work/locked" 2>&1 &
attackers+=($!)
await locked_or_refused $!
check "another user cannot lock the directory of a recording that rotates" grep -q 'Permission denied' "$work/locked"
await has_two
check "the recording rotates" is "$(grep -c 'cannot rotate' "$work/new.log")" 0
end_attacks
end_recording
check "the recorder ends as usual" is "$status" 0

# One that exists may be everybody's, as /tmp is.
mkdir -m 755 $place/existing
"$strata" record --app all --rotate-time 1s --output $place/existing 2>"$work/existing.log" &
recorder=$!
await begun_or_ended "$work/existing.log"
check "of one that exists, others can; it is said" grep -q 'existing: other users may open it' "$work/existing.log"
check "and it stays as it is" is "$(stat -c %a $place/existing)" 755
# The first attempt leaves a process behind that waits for the lock to be its alone: whoever wants it after that waits, too.
become "$mallory" $bin/dir_holder "$(home "$mallory")" $place/existing >"$work/locked" 2>&1 &
attackers+=($!)
await locked_or_refused $!
# shellcheck disable=SC2317 # await calls it
tried_twice() { [ "$(grep -c 'cannot rotate' "$work/existing.log")" -ge 2 ]; }
check "whoever keeps it locked keeps the recording from rotating" await tried_twice
check "programs are recorded meanwhile" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "that recorder ends as usual, too" is "$status" 0
check "no event is lost" is "$(jq -s '[.[].sources[]? | select(. != null) | .streams[].events] | add' $place/existing/*/recording.json)" 100
finish
