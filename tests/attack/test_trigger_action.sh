#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user meets the condition of a session's trigger all the time, so that the trigger asks for snapshots, each of which waits for
# the disk for 2 s (slow_disk.c).  Meanwhile the trigger hears programs that start: they do not wait for it, and their events count.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

unset STRATA_APP_SOCKET STRATA_APP_WAIT_MS
trap 'end_all; pkill -KILL -x stratad; pkill -KILL strata-consumer' EXIT
cp -a out/bin/strata-consumerd $bin/
# tries NAME [ATTACK]: three programs of a user, five seconds apart, meet the condition once.
tries() {
	local longest=0 begun ms times
	LD_PRELOAD=$bin/slow_disk.so "$strata" create --snapshot --output "$work/$1" "$1" 2>/dev/null
	"$strata" enable-channel -s "$1" one --app --buffer 64Kx8 2>/dev/null
	"$strata" enable-event -s "$1" -c one --app all all 2>/dev/null
	"$strata" add-trigger -s "$1" --name rare --app all:step --pause 1s --interval 50ms count 2>/dev/null
	"$strata" start "$1" 2>/dev/null
	if [ -n "${2-}" ]; then
		become "$mallory" $bin/victim 100000 50000 &
		attackers+=($!)
	fi
	for _ in {1..3}; do
		begun=$(date +%s%N)
		as "$victim" $bin/victim 5 0
		ms=$((($(date +%s%N) - begun) / 1000000))
		[ $ms -le $longest ] || longest=$ms
		sleep 5.$((RANDOM % 10))
	done
	times=$(grep -c "user $victim" "/run/strata/sessions/$1:rare.log")
	echo "# the longest start took $longest ms; the trigger saw $times programs"
	check "programs do not wait for the trigger ($1)" test $longest -lt 500
	check "each has its action ($1)" is "$times" 3
	end_attacks
	"$strata" destroy "$1" 2>/dev/null
	pkill -KILL -x stratad
}
tries without
tries with attack
finish
