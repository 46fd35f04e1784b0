#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processes whose mappings nobody can look at, for as long as their user likes, keep nobody from finding the programs of others.
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

# On most machines everybody may use it.
if ! mknod /tmp/fuse c 10 229 || ! chmod 666 /tmp/fuse || ! mount --bind /tmp/fuse /dev/fuse; then
	echo "ok 1 - processes that nobody can look at # SKIP no /dev/fuse"
	count=1
	finish
	exit
fi 2>/dev/null

start "$mallory" $bin/locked_exec 3 "$(home "$mallory")" >"$work/locked"
await grep -q locked "$work/locked"
start "$victim" $bin/app/program forever 0 "$(home "$victim")/last"
await test -s "$(home "$victim")/last"

begin search --app all
came() { jq -e ".sources[]? | select(. != null and .uid == $victim)" "$work/search/recording.json" >/dev/null 2>&1; }
check "a recorder that starts finds another user's program" await came
listed() { timeout -s KILL 20 "$strata" list --apps >"$work/listed" 2>"$work/listed.log"; }
check "list ends beside a recorder" listed
check "it has listed another user's program" grep -q ' program$' "$work/listed"
check "what could not be looked at is said" grep -q "user $mallory's process" "$work/listed.log"
end_recording
check "list ends without a recorder" listed
check "it lists another user's program" grep -q 'program: 4 events' "$work/listed"
end_attacks
finish
