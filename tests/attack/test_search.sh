#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A starting recorder searches the mappings of all processes for programs. However long one user's mappings take to read,
# programs of other users are found meanwhile.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"
unset STRATA_APP_SOCKET

# start USER COMMAND...: in the background; it ends with the script.
start() {
	local user=$1
	shift
	setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all -- "$@" &
	attackers+=($!)
}

start "$mallory" $bin/crowded_maps 4 30000 "$(home "$mallory")" >"$work/crowd"
await grep -q mapped "$work/crowd"
for number in 1 2 3 4; do
	start "$victim" $bin/app/program forever 0 "$(home "$victim")/last-$number"
	await test -s "$(home "$victim")/last-$number"
done

begin search --app all
# came USER: since when the recorder has each of a user's programs, in order.
came() {
	jq -r ".sources[]? | select(. != null and .uid == $1) | .since_ticks" "$work/search/recording.json" 2>/dev/null | sort -n
}
has() { [ "$(came "$1" | wc -l)" -ge "$2" ]; }
check "another user's programs are found" await has "$victim" 4
check "so are those whose mappings take long to read" await has "$mallory" 4
in_time() { [ "$(came "$victim" | tail -1)" -lt "$(came "$mallory" | sed -n 2p)" ]; }
check "nobody's programs wait for all of another user's" in_time
end_attacks
end_recording
finish
