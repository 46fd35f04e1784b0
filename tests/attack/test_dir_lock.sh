#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user keeps directories locked in which the recorder makes others (dir_holder.c). It says so and ends, or goes on.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Where root records: others may read this directory.
place=/tmp/place
mkdir $place

# lock DIR: until end_attacks.
lock() {
	rm -f "$work/locked"
	become "$mallory" $bin/dir_holder "$(home "$mallory")" "$1" >"$work/locked" 2>/dev/null &
	attackers+=($!)
	await locked $!
}

# shellcheck disable=SC2317 # await calls it
locked() { grep -qs locked "$work/locked" || has_ended "$1"; }

# refuses NAME PATTERN: a recorder does not begin, says why, and ends.
refuses() {
	"$strata" record --app all --output "$place/$1" 2>"$work/$1.log" &
	recorder=$!
	await has_ended $recorder || return 1
	said "$1" "$2"
}

if ! fuse_for_all; then
	echo "1..0 # SKIP no /dev/fuse"
	exit 0
fi

# stays_alone: no child of the recorder's gets the memory of rings.
# shellcheck disable=SC2317 # check calls it
stays_alone() {
	awk '/bpf-map|memfd:strata/ { ring = 1 }
		/^VmFlags/ && ring { all++; bad += !/ dc/; ring = 0 }
		END { exit bad || !all }' "/proc/$recorder/smaps"
}

lock /run
check "a user keeps /run locked" grep -q locked "$work/locked"
check "a recorder says so and ends" refuses run 'another process keeps /run locked'
end_attacks

lock $place
check "he keeps the directory locked in which root records" grep -q locked "$work/locked"
check "a recorder says so and ends, too" refuses made 'kept locked by another process'
end_attacks

begin flies --app all --overwrite
lock $place
victimise 2000 50
check "a child that is blocked would keep no ring" stays_alone
check "a snapshot fails, with a reason" refused 'kept locked by another process' "$strata" snapshot --output $place/snapshot
check "a program that runs is recorded to its end" victim_ends
check "one that starts then, too" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "the recorder ends as usual" is "$status" 0
check "no event of theirs is lost" is "$(steps flies)" 2100
finish
