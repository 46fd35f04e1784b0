#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording that rotates writes the tables of all programs again, and makes their files again.  One user's programs cannot fill the
# disk with that, neither its bytes nor its files: he has his share of the disk in all recordings together.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# parts NAME: the recordings that one became.
parts() { ls -d "$work/$1"/recording-*; }
# steps_of NAME: events of the honest program in all of them, as their reader finds them.
steps_of() {
	parts "$1" | while read -r part; do "$strata" convert --format json "$part" 2>/dev/null; done | grep -c '"step"'
}
# lost_of NAME: what the tables of all of them say that it lost.
lost_of() {
	parts "$1" | while read -r part; do cat "$part/recording.json"; done |
		jq -s '[.[].sources[]? | select(. != null and (.name | startswith("app-victim"))) | .streams[].lost] | add'
}
# refused NAME: the rotations that failed, except where a busy disk took long to make a directory: these are tried again.
refused() { grep 'cannot rotate' "$work/$1.log" | grep -v 'the disk is too busy'; }
# has_rotated NAME TIMES
has_rotated() { [ "$(parts "$1" | wc -l)" -gt "$2" ] || [ -n "$(refused "$1")" ]; }

# rotate_beside NAME ATTACK...: records while one user attacks and another writes, through eight rotations.
rotate_beside() {
	local name=$1
	shift
	STRATA_APP_SOCKET=/run/strata-hostile.sock "$strata" record --app all --rotate-time 1s --output "$work/$name" 2>"$work/$name.log" &
	recorder=$!
	await begun_or_ended "$work/$name.log"
	attack "$@"
	victimise 30000 300
	await has_rotated "$name" 8
	victim_ends
	end_attacks
	end_recording
	check "$name: the recording rotates all the time" is "$(refused "$name")" ""
	check "$name: another user's program loses no event" is "$(steps_of "$name") $(lost_of "$name")" "30000 0"
	check "$name: the recorder ends, and says that shares were used up" is "$status" 3
}

mount -t tmpfs -o size=80m disk "$work"
rotate_beside tables describe 3
check "tables: a third of the disk is left" test "$(df --output=avail -k "$work" | tail -1)" -ge 25000
umount "$work"

# On a busy machine there are many rotations, each with some ten files of root's and the other user's.
mount -t tmpfs -o size=64m,nr_inodes=2000 disk "$work"
rotate_beside files refill 60 1
check "files: a quarter of the files is left" test "$(df --output=iavail "$work" | tail -1)" -ge 500
finish
