#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What root sees of a session: its status is one line of bounded length.  A user whose programs are more than it has room for
# hides only programs of his own.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

strata=$PWD/out/bin/strata
programs=()
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "${programs[@]}" 2>/dev/null
	wait "${programs[@]}" 2>/dev/null
	"$strata" destroy crowd 2>/dev/null
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
}
trap end_all EXIT

# linger USER NAME: a program of that user's that stays.
linger() {
	local file
	file=$(home "$1")/$2
	cp $bin/app/program "$bin/$2"
	setpriv --reuid "$1" --regid "$1" --clear-groups --inh-caps=-all -- "$bin/$2" linger 5 "$file" &
	programs+=($!)
	await test -e "$file"
}
sources() { "$strata" status --json crowd | jq -r '.sessions[0].channels[0].status.sources[].name'; }

"$strata" create --output "$work/crowd" crowd
"$strata" enable-event --session crowd --app all all
"$strata" start crowd
check "a session records" sources
linger "$victim" victims
for number in {1..70}; do
	linger "$mallory" "mallorys-$number"
done
sources >"$work/sources"
check "the status has no room for all programs of a user" test "$(grep -c mallorys "$work/sources")" -lt 70
check "it shows some" test "$(grep -c mallorys "$work/sources")" -gt 10
check "and another user's, which came first" grep -qx app-victims "$work/sources"
finish
