#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Events with times at which their program did not exist are refused: they move neither the begin nor the end of the timeline.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

trap 'kill -9 $recorder $forger 2>/dev/null' EXIT
forger=""
chmod 1777 $work

# forged HOW: that program is recorded beside the victim's; its times cannot be.
forged() {
	local status=0
	begin "$1" --app all --switch-timer 0 || return 1
	as "$victim" $bin/app/program numbered 100
	as "$mallory" env STRATA_APP_MODE=single-store $bin/forge_times "$1" "$work/$1.done" &
	await test -e "$work/$1.done" || return 1
	forger=$(pgrep -f '^[^ ]*/forge_times')
	as "$victim" $bin/app/program numbered 100
	kill -9 "$forger"
	await has_ended "$forger"
	forger=""
	kill -INT "$recorder"
	wait "$recorder" || status=$?
	recorder=""
	cat "$work/$1.log"
	[ "$status" = 3 ]
}

# span NAME: seconds between the first and the last event that is shown.
span() {
	"$strata" convert --format json "$work/$1" 2>/dev/null | jq -s 'map(.ns | tonumber) | (max - min) / 1e9 | floor'
}

for how in past future; do
	check "$how: the recorder says that something is left out" forged $how
	check "$how: it names the source and why" grep -q 'app-forge_times: ring of CPU [0-9]*: packet left out: its time is ' "$work/$how.log"
	check "$how: the timeline is as long as the recording was" test "$(span $how)" -lt 600
	events() { "$strata" convert --format json "$work/$how" --event numbered 2>/dev/null | grep -c '"numbered"'; }
	check "$how: all events of the victim are there" test "$(events)" = 200
	check "$how: the packet counts as a bad one of the forger alone" test 1 = "$(jq '[.sources[] | select(any(.streams[]; .bad_packets > 0))] | length' "$work/$how/recording.json")"
done
finish
