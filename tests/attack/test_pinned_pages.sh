#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user whose programs attach, move references to all pages of their rings into sockets that nobody reads, and hang up: the
# kernel keeps these pages, and charges them to the control group in which they were made.  That is a group of this user's, and
# not the recorder's: what he keeps is part of his share.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Control groups of either version.
top=/sys/fs/cgroup recorder_group=""
make_groups() {
	limit=memory.max usage=memory.current
	if [ -e $top/memory/memory.limit_in_bytes ]; then
		top=$top/memory limit=memory.limit_in_bytes usage=memory.usage_in_bytes
	else
		echo +memory >$top/cgroup.subtree_control || return 1
	fi
	recorder_group=$(mktemp -d $top/strata-attack-XXXXXX)
}
# shellcheck disable=SC2317 # await calls it
no_group() {
	rmdir "$recorder_group" 2>/dev/null
	[ ! -e "$recorder_group" ]
}
# of_user UID: MiB in the groups for a user's rings, of all recorders.
of_user() { cat "$top"/strata/*/"$1/$usage" 2>/dev/null | awk '{ sum += $1 } END { print int(sum / 1048576) }'; }
mib() { echo $(($(cat "$1/$usage") >> 20)); }
at_least() { [ "$1" -ge "$2" ] || { echo "# $1, less than $2"; return 1; }; }
at_most() { [ "$1" -le "$2" ] || { echo "# $1, more than $2"; return 1; }; }

# begin_in_group NAME OPTIONS...: the recorder's control group is its own.
begin_in_group() {
	echo 0 >"$recorder_group/cgroup.procs"
	begin "$@"
	echo 0 >$top/cgroup.procs
}

make_groups || {
	check "control groups can be made" false
	finish
}
# A program has rings of 0.5 to 1 MiB.  A user may have 16 MiB of them, besides some 24 MiB that are no rings or made ahead.
echo 256M >"$recorder_group/$limit"
buffer=64
while [ $((buffer * $(nproc --all))) -gt 128 ] && [ "$buffer" -gt 4 ]; do buffer=$((buffer / 2)); done
begin_in_group pinned --app all --app-buffer "${buffer}Kx8"
attack pin 46 "$(nproc --all)"
pinned=$(($(sed -n 's/^pinned //p' "$work/attack-$attacks") >> 10))
check "the attacker has pinned what he may have" at_least "$pinned" 12
check "he gets no more" at_most "$pinned" 44
check "a group of his is charged for it" at_least "$(of_user "$mallory")" "$((pinned * 9 / 10))"
check "the recorder's is not" at_most "$(mib "$recorder_group")" 100
check "the recorder says why" said pinned 'no memory for its rings, [0-9]* KiB: programs of its user that have ended still use theirs'
for _ in {1..20}; do
	as "$victim" $bin/victim 100 0
done
check "the recorder goes on" kill -0 "$recorder"
end_attacks
# What he gives back is his again.
# shellcheck disable=SC2317 # await calls it
is_free() { [ "$(of_user "$mallory")" -le 12 ]; }
check "his share is free when he gives the pages up" await is_free
as "$mallory" $bin/victim 100 0
end_recording
check "all events of another user's programs are there, and those of his later one" is "$(readable_steps pinned)" 2100
await no_group
finish
