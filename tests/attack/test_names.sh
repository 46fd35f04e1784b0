#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However one user's programs name their fields, the recording and its merge stay readable.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

begin named --app all
as "$mallory" $bin/namer
as "$victim" $bin/victim 100 0
end_recording
"$strata" merge "$work/named" -o "$work/merged" >/dev/null 2>&1

# read_by_babeltrace DIR NAME: how many events of that name it finds.
read_by_babeltrace() { babeltrace2 "$1" 2>/dev/null | grep -c "[ :]$2: {"; }
check "all events of the victim are recorded" is "$(readable_steps named)" 100
check "another tool reads the merged trace" is "$(read_by_babeltrace "$work/merged/ctf" step)" 100
check "events whose names cannot be read are left out" is "$(read_by_babeltrace "$work/merged/ctf" before)" 0
for name in behind length_before event; do
	check "$name: the others of their program are not" is "$(read_by_babeltrace "$work/merged/ctf" $name)" 1
done
check "and read as recorded" is "$(read_by_babeltrace "$work/named/app-namer" behind)" 1
check "the recorder says which are left out" said named 'app-namer: events are left out: .* one would have the name of the other'
finish
