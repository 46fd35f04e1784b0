#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user swaps out the pages of his rings and exhausts the memory of their control group, so that the pages cannot be read back: the
# recorder does not wait for them. On Debian each user can do that with the control groups of his session. The kernel's own memory
# is never swapped out: these recorders have anonymous memory, as in a container.
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
	mkdir "$groups/in" "$groups/other" && chown -R "$mallory" "$groups" || return 1
	[ -e "$groups/in/memory.swap.max" ] || [ -e "$groups/in/memory.swappiness" ]
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

# take_pages ATTACK COMMAND...: a hostile program whose rings' pages are taken by COMMAND.
take_pages() {
	local attack=$1
	shift
	(
		echo 0 >"$groups/other/cgroup.procs"
		# shellcheck disable=SC2086 # a list of words
		become "$mallory" $bin/hostile "$STRATA_APP_SOCKET" $attack "$(nproc --all)" "$groups/in" "$groups/other"
	) >"$work/attack-$recording" &
	attackers+=($!)
	await grep -q filled "$work/attack-$recording"
	"$@"
	kill -USR1 "${attackers[0]}"
	await attacked "$work/attack-$recording" "${attackers[0]}"
}

# goes_on HOW: a recorder that waits in a page fault records nothing of programs that are there, and of one that comes now.
goes_on() {
	victimise 20000 50
	check "a program is recorded beside rings whose pages nobody can have back ($1)" victim_ends
	check "one that comes later is recorded, too ($1)" as "$victim" timeout 60 $bin/victim 100 0
}

# ends_well HOW
ends_well() {
	end_attacks
	end_recording
	check "the recorder loses no event ($1)" is "$(steps "$recording")" 20100
}

gives_up() { await said "$recording" 'its memory cannot be read'; }

# leave_if_possible: pages that the recorder keeps stay where they are.
leave_if_possible() {
	for _ in {1..50}; do
		! leave_without_memory || return 0
		sleep 0.02
	done
}

if add_swap 2>"$work/why" && make_groups 2>>"$work/why"; then
	recording=swapped
	LD_PRELOAD=$bin/no_kernel_memory.so begin $recording --app all --app-buffer 16Kx64
	take_pages 'starve 4' await leave_without_memory
	goes_on 'swapped out'
	check "the recorder says what it gives up (swapped out)" gives_up
	ends_well 'swapped out'
	await no_groups

	# Pages that the recorder has read are not taken from it.
	make_groups
	recording=collapsed
	LD_PRELOAD=$bin/no_kernel_memory.so begin $recording --app all --app-buffer 256Kx16
	take_pages 'collapse 1' leave_if_possible
	goes_on replaced
	check "nobody replaces pages that the recorder has read" grep -qx 'collapsed 0' "$work/attack-collapsed"
	ends_well replaced
	await no_groups
else
	echo "# no swap or control groups: $(tr '\n' ' ' <"$work/why")"
	[ -z "$groups" ] || no_groups
fi

# The same on any machine.  Here a recorder that touches a page before it asked for it ends at once.
recording=refused
groups=$(mktemp -d /tmp/groups-XXXXXX)
mkdir "$groups/in" "$groups/other"
touch "$groups/in/cgroup.procs" "$groups/other/cgroup.procs"
chmod -R a+rwX "$groups"
export PAGES_GONE=$work/pages-gone
LD_PRELOAD="$bin/no_kernel_memory.so $bin/swapped_out.so" begin $recording --app all --app-buffer 16Kx64
take_pages 'starve 4' touch "$PAGES_GONE"
goes_on refused
check "the recorder says what it gives up (refused)" gives_up
ends_well refused
rm -rf "$groups"
finish
