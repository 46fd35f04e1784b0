#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user who fills the machine's memory has his own processes killed, not the recorder, whose mappings hold the rings of all users.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# The kernel kills the process with the largest score.
score() { cat "/proc/$1/oom_score"; }
less() { [ "$1" -lt "$2" ] || { echo "# $1, not less than $2"; return 1; }; }

# Rings that are full: 32 MiB of memory that the recorder maps, as does the program.
begin scored --app all --app-buffer 1Mx16
attack refill 1 2
if (echo -1 >/proc/self/oom_score_adj) 2>/dev/null; then
	as "$mallory" sleep 1000 &
	attackers+=($!)
	check "a program that sleeps is killed before the recorder" less "$(score "$recorder")" "$(score $!)"
	check "the program whose rings they are, too" less "$(score "$recorder")" "$(score "${attackers[0]}")"
fi
check "another user's program is recorded" as "$victim" $bin/victim 100 0
end_attacks
end_recording
check "all of its events are there" is "$(readable_steps scored)" 100

# A recorder whose control group has a limit: pages that nobody has touched before it are charged to that group.
top=/sys/fs/cgroup group=""
make_group() {
	if [ -e $top/memory/memory.limit_in_bytes ]; then
		top=$top/memory
		limit=memory.limit_in_bytes
	else
		echo +memory >$top/cgroup.subtree_control || return 1
		limit=memory.max
	fi
	group=$(mktemp -d $top/strata-attack-XXXXXX) && echo $((64 * $(nproc --all)))M >"$group/$limit"
}
# shellcheck disable=SC2317 # await calls it
no_group() { rmdir "$group" 2>/dev/null || [ ! -e "$group" ]; }

if make_group 2>"$work/why"; then
	echo 0 >"$group/cgroup.procs"
	begin limited --app all --app-buffer 256Kx4
	echo 0 >$top/cgroup.procs
	attack holes 200 "$(nproc --all)"
	victimise 20000 50
	check "a program is recorded beside one who has the recorder's group charged for his rings" victim_ends
	end_attacks
	end_recording
	check "the recorder has not been killed" said limited '^strata: recorded 20000 events'
	check "it loses no event (limited)" is "$(steps limited)" 20000
	await no_group
else
	echo "# no control groups: $(tr '\n' ' ' <"$work/why")"
fi

# The command that a recorder starts is a program like others.
adjusted() {
	"$strata" record --output "$work/command" --app all -- sh -c "cat /proc/self/oom_score_adj >$work/adjustment" 2>"$work/command.log"
	[ -s "$work/adjustment" ] && is "$(cat "$work/adjustment")" "$(cat /proc/self/oom_score_adj)"
}
check "a command that is recorded has no better score than others" adjusted
finish
