#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processes whose mappings cannot be read for as long as their user likes do not prevent the recorder from finding other users'
# programs.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"
unset STRATA_APP_SOCKET

# start USER COMMAND...: in the background; it ends with the script.
start() {
	become "$@" &
	attackers+=($!)
}

# lock_with_fuse: three processes of mallory's that the kernel lets nobody look at.
lock_with_fuse() {
	start "$mallory" $bin/locked_exec 3 "$(home "$mallory")" >"$work/locked"
	await grep -q locked "$work/locked"
}

# lock_with_pipe NAME: the same on any machine: whoever opens /proc/PID/NAME waits for a writer, who never comes.  A recorder that
# has a /proc of its own does not meet that pipe.
lock_with_pipe() {
	rm -f "$work/never"
	mkfifo "$work/never"
	for _ in 1 2 3; do
		start "$mallory" sleep 1000
		await is_of_user "${attackers[-1]}" "$mallory"
		mount --bind "$work/never" "/proc/${attackers[-1]}/$1"
	done
}

# shellcheck disable=SC2317 # await calls it
is_of_user() { grep -q "^Uid:.$2" "/proc/$1/status"; }

# search HOW: beside such processes.
search() {
	rm -f "$(home "$victim")/last"
	start "$victim" $bin/app/program forever 0 "$(home "$victim")/last"
	await test -s "$(home "$victim")/last"
	begin "$1" --app all
	check "a recorder that starts finds another user's program ($1)" await came "$1"
	check "list ends beside a recorder ($1)" listed
	check "it has listed another user's program ($1)" grep -q 'program: 10 events' "$work/listed"
	[ "$1" = status ] || check "what could not be looked at is said ($1)" grep -q "user $mallory's process" "$work/listed.log"
	end_recording
	check "list ends without a recorder ($1)" listed
	check "it lists another user's program ($1)" grep -q 'program: 10 events' "$work/listed"
	end_attacks
}

# shellcheck disable=SC2317 # check calls it
came() { jq -e ".sources[]? | select(. != null and .uid == $victim)" "$work/$1/recording.json" >/dev/null 2>&1; }
# shellcheck disable=SC2317 # check calls it
listed() { timeout -s KILL "$limit_s" "$strata" list --apps >"$work/listed" 2>"$work/listed.log"; }

if fuse_for_all; then
	lock_with_fuse
	search fuse
else
	echo "# no /dev/fuse"
fi
lock_with_pipe maps
LD_PRELOAD=$bin/no_own_proc.so search pipe
lock_with_pipe maps
LD_PRELOAD="$bin/no_own_proc.so $bin/unkillable.so" search unkillable
lock_with_pipe status
LD_PRELOAD=$bin/no_own_proc.so search status
finish
