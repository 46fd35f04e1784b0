#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user has the pages of his rings swapped out and leaves their control group without memory, so that nobody can have them back: the
# recorder does not wait for them.  On Debian each user may do that with the groups of his session.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Swap cannot lie on a tmpfs.
swap=$PWD/out/tests/attack-swap
groups=""

# no_groups: a group can be removed when its processes have ended.
# shellcheck disable=SC2317 # await calls it
no_groups() {
	rmdir "$groups/in" "$groups/other" "$groups" 2>/dev/null
	[ ! -e "$groups" ]
}

remove_all() {
	limit_s=20
	end_all
	[ -z "$groups" ] || await no_groups
	swapoff "$swap" 2>/dev/null
	rm -f "$swap"
}
trap remove_all EXIT

add_swap() {
	rm -f "$swap"
	(umask 077 && dd if=/dev/zero of="$swap" bs=1M count=64 status=none) && mkswap -q "$swap" && swapon "$swap"
}

# The user's control groups, of either version.
make_groups() {
	local top=/sys/fs/cgroup
	if [ -e $top/memory/memory.limit_in_bytes ]; then
		groups=$(mktemp -d $top/memory/strata-attack-XXXXXX)
	else
		echo +memory >$top/cgroup.subtree_control || return 1
		groups=$(mktemp -d $top/strata-attack-XXXXXX)
		echo +memory >"$groups/cgroup.subtree_control"
	fi
	mkdir "$groups/in" "$groups/other" && chown -R "$mallory" "$groups"
}

# leave_without_memory: what is in the group goes to swap, and nothing can come back.
# shellcheck disable=SC2317 # await calls it
leave_without_memory() {
	if [ -e "$groups/in/memory.max" ]; then
		echo 64K >"$groups/in/memory.max" && echo 0 >"$groups/in/memory.swap.max"
	else
		echo 64K >"$groups/in/memory.limit_in_bytes" && echo 0 >"$groups/in/memory.swappiness"
	fi
} 2>/dev/null

if ! add_swap 2>"$work/why" || ! make_groups 2>>"$work/why"; then
	echo "ok 1 - pages of rings that nobody can have back # SKIP no swap or control groups: $(tr '\n' ' ' <"$work/why")"
	count=1
	finish
	exit
fi

# new_turn: a recorder that waits in a page fault records nothing of a program that comes now.
# shellcheck disable=SC2317 # check calls it
new_turn() { as "$victim" timeout 60 $bin/victim 100 0 && await said swapped 'its memory cannot be had'; }

begin swapped --app all --app-buffer 16Kx64
(
	echo 0 >"$groups/other/cgroup.procs"
	become "$mallory" $bin/hostile "$STRATA_APP_SOCKET" starve 4 "$(nproc --all)" "$groups/in" "$groups/other"
) >"$work/starve" &
attackers+=($!)
await grep -q filled "$work/starve"
await leave_without_memory
kill -USR1 "${attackers[0]}"
await attacked "$work/starve" "${attackers[0]}"
victimise 20000 50
check "a program is recorded beside rings whose pages nobody can have back" victim_ends
check "the recorder goes on, and says what it gives up" new_turn
end_attacks
end_recording
check "it loses no event" is "$(steps swapped)" 20100
finish
