#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that is stopped while it has a sub-buffer open does not stop `strata view --live` for the others.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

stopped="" viewer=""
# shellcheck disable=SC2086 # any of them may be none
trap 'kill -9 $recorder $viewer $stopped 2>/dev/null' EXIT

has_lines() { [ "$(grep -c "$2" "$1")" -ge "$3" ]; }

# Nothing of what it writes is in the file until it goes on: it hands nothing over by itself.
begin followed --app all --switch-timer 0
"$strata" view --live --json --from 0 --late 1s "$work/followed" >$work/shown 2>$work/says &
viewer=$!
chmod 1777 $work
as "$mallory" env STRATA_APP_MODE=reserve-commit $bin/app/program linger 3 $work/written &
await test -e $work/written
stopped=$(pgrep -f '^[^ ]*/program linger')
kill -STOP "$stopped"

as "$victim" env STRATA_APP_MODE=single-store $bin/app/program numbered 200
check "what others write is shown while one is stopped" await has_lines $work/shown '"numbered"' 200
was_left_behind() { grep -q 'no longer waited for' $work/says; }
check "the stopped one is named" await was_left_behind
check "once" test 1 = "$(grep -c 'no longer waited for' $work/says)"

kill -9 "$stopped"
await has_ended "$stopped"
stopped=""
check "when what it wrote comes, it is shown" await has_lines $work/shown '"plain"' 3
check "as late" has_lines $work/shown '"late":true.*"plain"\|"plain".*"late":true' 3
as "$victim" env STRATA_APP_MODE=single-store $bin/app/program numbered 200
check "and all goes on" await has_lines $work/shown '"numbered"' 400
kill -INT "$recorder"
wait "$recorder"
recorder=""
wait "$viewer"
viewer=""
cat $work/says
check "the victim's events are not late" test 0 = "$(grep '"numbered"' $work/shown | grep -c '"late":true')"
check "the late ones are counted" grep -qE '[1-9][0-9]* came late' $work/says
finish
