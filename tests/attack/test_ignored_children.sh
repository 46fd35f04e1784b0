#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Whoever starts `strata record -- COMMAND`, for example by sudo, may ignore the ends of his children (SIGCHLD), which every program
# inherits.  The recorder sees the end of its command nevertheless, and sends no signal to a process that has its number later.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

# record NAME COMMAND...: in the background, $recorder.
record() {
	env --ignore-signal=CHLD "$strata" record --output "$work/$1" -- "${@:2}" 2>"$work/$1.log" &
	recorder=$!
}
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "$recorder" "$other" 2>/dev/null
}
other=""
trap end_all EXIT
# with_number PID: starts a process of another user's with this number, $other.  Nothing else starts here meanwhile.
with_number() {
	echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
	become "$victim" /bin/sleep 1000000 &
	other=$!
}

record ends $bin/victim 100 0
check "the recording ends with its command" await has_ended "$recorder"
kill -KILL "$recorder" 2>/dev/null
record fails sh -c 'exit 7'
check "also if it fails" await has_ended "$recorder"
kill -KILL "$recorder" 2>/dev/null
wait "$recorder"
check "with its status" is "$?" 7

# The number is free when the command has ended; a recorder that does not see that goes on.
record old sh -c "echo \$\$ >$work/number"
await test -s $work/number
await has_ended "$(cat $work/number)"
with_number "$(cat $work/number)"
check "another user's process has the number of the command" is "$other" "$(cat $work/number)"
kill -INT "$recorder" 2>/dev/null
await has_ended "$recorder"
check "it has no signal of the recorder's" test -e "/proc/$other/status"
finish
