#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One user's programs hold more in a flight recorder's rings than the disk has room for: the memory can be cleared all the same, and
# is empty then.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

strata=$PWD/out/bin/strata
programs=()
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "${programs[@]}" 2>/dev/null
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
}
trap end_all EXIT

# events NAME: those of a snapshot.
snapshot_events() { cat "$work"/flight/snapshot-*/recording.json | jq '[.sources[]?.streams[]?.events] | add // 0'; }
is() { [ "$1" = "$2" ] || { echo "# \"$1\", not \"$2\"" && false; }; }

mount -t tmpfs -o size=6m disk "$work"
"$strata" create --snapshot --output "$work/flight" flight
"$strata" enable-channel --session flight --app --buffer 256Kx8
"$strata" enable-event --session flight --app all all
"$strata" start flight
for _ in 1 2 3 4 5 6; do
	become "$mallory" $bin/victim 1000000000 0 &
	programs+=($!)
done
# written: all of them write; in the second after that they fill their rings many times.
written() { "$strata" status --json flight | jq -e '[.sessions[0].channels[0].status.sources[]? | select(.name | startswith("app-victim"))] | length == 6'; } >/dev/null
await written
sleep 1
kill -STOP "${programs[@]}"
dd if=/dev/zero of="$work/filler" bs=1k status=none 2>/dev/null
check "the disk is full" test "$(df --output=avail -k "$work" | tail -1)" -lt 16
check "a flight recorder's memory is cleared all the same" "$strata" clear flight
rm "$work/filler"
check "a snapshot is taken" "$strata" snapshot --session flight
check "the memory was empty" is "$(snapshot_events)" 0
finish
