#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that did not wait until a busy recorder had selected its events is named: what it wrote before is missing. One
# that waited is not, nor one that was there before its recorder.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
started=""
# shellcheck disable=SC2317,SC2086 # the trap calls it; these may be no word
end_all() {
	kill -CONT $recorder 2>/dev/null
	kill -KILL $started $recorder 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# linger NAME: a program that writes 100 events, says so, and stays.
linger() {
	"$program" linger 100 "$work/$1" &
	started+=" $!"
	await test -e "$work/$1"
}
late() { grep -c "application program (process $1) went on before it was recorded" "$work/$2.log"; }
end_recorder() {
	kill -INT "$recorder"
	await has_ended "$recorder"
	wait "$recorder"
}

linger before
earlier=$!
begin busy --app all
linger waits
waits=$!
kill -STOP "$recorder"
STRATA_APP_WAIT_MS=50 linger hurries
hurries=$!
kill -CONT "$recorder"
check "a program that went on is named" await grep -q "(process $hurries) went on" "$work/busy.log"
end_recorder
check "the recording ends well" is "$?" 0
check "once" is "$(late "$hurries" busy)" 1
check "not one that waited" is "$(late "$waits" busy)" 0
check "nor one that was there before the recorder" is "$(late "$earlier" busy)" 0
check "the events of the one that waited are recorded" is "$(babeltrace2 "$work/busy" 2>/dev/null | grep -c " plain: ")" 100
finish
