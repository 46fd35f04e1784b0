#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user keeps the kernel's lock of control groups busy (group_lock_holder.c): whoever begins a process in a group, or moves one
# there, waits for it.  So does the maker of a user's memory, once; nevertheless, another user's programs that start are recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Less than the lock is kept busy for one who waits for it.
export STRATA_APP_WAIT_MS=6000

top=/sys/fs/cgroup memory=$top unified=$top
make_groups() {
	if [ -e $top/memory/memory.limit_in_bytes ]; then
		memory=$top/memory unified=$top/unified
	fi
	recorder_group=$(mktemp -d $memory/strata-attack-XXXXXX) && victims=$(mktemp -d $memory/strata-attack-XXXXXX) &&
		mallorys=$(mktemp -d $unified/strata-attack-XXXXXX) &&
		chmod 755 "$mallorys" && chown "$mallory" "$mallorys" "$mallorys"/cgroup.{procs,threads,subtree_control}
}
# shellcheck disable=SC2317 # await calls it
no_groups() {
	find "$mallorys" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
	rmdir "$recorder_group" "$victims" "$mallorys" 2>/dev/null
	[ ! -e "$recorder_group" ] && [ ! -e "$victims" ] && [ ! -e "$mallorys" ]
}

# run_victims NAME NUMBER: runs NUMBER programs of the victim, one after the other, in a shell that has entered the victim's group.
run_victims() {
	local began
	began=$(date +%s%N)
	echo "$2" >&"${victims_shell[1]}"
	read -r <&"${victims_shell[0]}"
	echo "# $1: $((($(date +%s%N) - began) / 1000000)) ms for $2 programs"
}
# shellcheck disable=SC2317 # the shell of the victim's programs
serve_victims() {
	local nr i
	echo 0 >"$victims/cgroup.procs"
	while read -r nr; do
		for ((i = 0; i < nr; i++)); do as "$victim" $bin/victim 100 0; done
		echo ended
	done
}

make_groups || {
	check "control groups can be made" false
	finish
}
echo 0 >"$recorder_group/cgroup.procs"
begin grouped --app all
echo 0 >$memory/cgroup.procs
coproc victims_shell { serve_victims; }
nr=${VICTIMS:-10}
# The first program of a user is the one whose start needs that lock.
become "$mallory" $bin/group_lock_holder "$mallorys" "${GROUPS_HELD:-20000}" "${HOLDERS:-300}" >"$work/holder" &
attackers+=($!)
await grep -qs held "$work/holder"
sed 's/^/# /' "$work/holder"
run_victims beside "$nr"
victims_in=${victims_shell[1]}
exec {victims_in}>&-
end_attacks
end_recording
check "all events of another user's programs are there" is "$(readable_steps grouped)" $((nr * 100))
grep 'left out' "$work/grouped.log" | sed 's/^/# /'
await no_groups
finish
