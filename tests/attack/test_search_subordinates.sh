#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's subordinate user ids, as in /etc/subuid, count as this user: his programs do not get the turns of many users in the
# search of a starting recorder.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"
unset STRATA_APP_SOCKET

first=700000 many=40
echo "$mallory:$first:65536" >/tmp/subuid
mount --bind /tmp/subuid /etc/subuid

# start USER COMMAND...: in the background; it ends with the script.
start() {
	become "$@" &
	attackers+=($!)
}

for ((number = 1; number <= many; number++)); do
	start $((first + number)) $bin/crowded_maps 1 200 "$(home $((first + number)))" >"$work/crowd-$number"
done
for ((number = 1; number <= many; number++)); do
	await grep -q mapped "$work/crowd-$number"
done
for number in 1 2 3 4; do
	start "$victim" $bin/app/program forever 0 "$(home "$victim")/last-$number"
	await test -s "$(home "$victim")/last-$number"
done

begin search --app all
# came FIRST LAST: since when the recorder has each of the programs of users from FIRST to LAST, in order.
came() {
	jq -r ".sources[]? | select(. != null and .uid >= $1 and .uid <= $2) | .since_ticks" "$work/search/recording.json" 2>/dev/null | sort -n
}
has() { [ "$(came "$1" "$2" | wc -l)" -ge "$3" ]; }
check "another user's programs are found" await has "$victim" "$victim" 4
check "so are those of subordinate users" await has $first $((first + 65535)) $many
in_time() { [ "$(came "$victim" "$victim" | tail -1)" -lt "$(came $first $((first + 65535)) | sed -n $((many / 2))p)" ]; }
check "nobody's programs wait for all of another user's subordinates" in_time
end_attacks
end_recording
finish
