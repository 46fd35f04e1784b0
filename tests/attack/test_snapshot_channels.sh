#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A snapshot of a session with several channels, while another user keeps the disk busy (slow_disk.c): each channel's rings are
# read at once, and not when the disk has the channels before it.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

cp -a out/bin/strata-consumerd $bin/
# strata starts stratad, which starts the consumers.
export LD_PRELOAD=$bin/slow_disk.so
"$strata" create --snapshot --output "$work/web" web 2>/dev/null
for channel in one two; do
	"$strata" enable-channel $channel --app --buffer 16Kx8 2>/dev/null
	"$strata" enable-event -c $channel --app victim step 2>/dev/null
done
check "a session with two channels starts" "$strata" start web
unset LD_PRELOAD
# Some 900 events a second: the number of an event says when it was written.
become "$victim" $bin/victim 100000 1000 "$(home "$victim")/begun" &
attackers+=($!)
# newest CHANNEL: the number of its newest event in the snapshot.
newest() { "$strata" view "$work/snapshot/$1" 2>/dev/null | sed -n '$s/.* number=//p'; }
# shellcheck disable=SC2317 # await calls it
records() { "$strata" status --json web | jq -e '[.sessions[0].channels[].status.sources // [] | select(length > 0)] | length == 2' >/dev/null; }
await records
check "a snapshot of it is written" "$strata" snapshot -s web --output "$work/snapshot"
end_attacks
between=$(($(newest two) - $(newest one)))
check "both channels' rings are read before the disk has the first one's" test "${between#-}" -lt 1000
"$strata" destroy web 2>/dev/null
kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
finish
