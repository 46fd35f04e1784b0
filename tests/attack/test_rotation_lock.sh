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
mkdir -m 755 $place/existing

if ! fuse_for_all; then
	echo "1..0 # SKIP no /dev/fuse"
	exit 0
fi

# shellcheck disable=SC2317 # await calls it
locked_or_refused() { grep -qsE 'locked|Permission denied' "$work/locked" || has_ended "$1"; }
# has_two NAME: recordings, or the recorder says that it has no second one.  The links are counted: to list a locked directory would wait.
has_two() { [ "$(stat -c %h "$place/$1")" -ge 4 ] || said "$1" 'cannot rotate'; }

for name in new existing; do
	"$strata" record --app all --rotate-time 1s --output $place/$name 2>"$work/$name.log" &
	recorder=$!
	await begun_or_ended "$work/$name.log"
	rm -f "$work/locked"
	become "$mallory" $bin/dir_holder "$(home "$mallory")" $place/$name >"$work/locked" 2>&1 &
	attackers+=($!)
	await locked_or_refused $!
	check "another user cannot lock the $name directory" grep -q 'Permission denied' "$work/locked"
	await has_two $name
	check "the recording rotates" is "$(grep -c 'cannot rotate' "$work/$name.log")" 0
	end_attacks
	end_recording
	check "the recorder ends as usual" is "$status" 0
done
finish
