#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Log levels of applications' events: selected by level in recordings and sessions, changed while a program writes, listed, and kept in
# each form of the trace.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
levels=$PWD/out/tests/app/levels
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
remove_all() {
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null
	"$strata" destroy leveled >"$work/end.log" 2>&1
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	rm -rf "$work"
}
trap remove_all EXIT

# events DIRECTORY: the names of the recorded events, each once.
events() { babeltrace2 "$1" 2>/dev/null | grep -oE ' (on_fire|slow_disk|begun|step|detail): ' | tr -d ' :' | sort -u | paste -sd' '; }

# recorded SELECTION: the names of the events that a recording of the program with that selection has.
recorded() {
	rm -rf "$work/recorded"
	"$strata" record --app "levels:$1" -o "$work/recorded" -- "$levels" 2>"$work/recorded.log" || sed 's/^/# /' "$work/recorded.log"
	events "$work/recorded"
}

check "events of a level and of more severe ones are recorded" is "$(recorded '*@info')" "begun on_fire slow_disk"
check "whatever the case of the level's name" is "$(recorded '*@WARNING')" "on_fire slow_disk"
check "of one level" is "$(recorded '*@=info')" "begun"
check "of a level alone, without a name" is "$(recorded '@emerg')" "on_fire"
check "an event without a level has that of a line's trace" is "$(recorded '*@debug_line') $(recorded '*@=debug_line')" "begun on_fire slow_disk step step"
check "the last level is the one of debug" is "$(recorded '*@debug')" "begun detail on_fire slow_disk step"
check "a level belongs to one name of several" is "$(recorded 's*@warning,detail,levels/begun@err')" "detail slow_disk"
check "a name that has another level gives nothing" is "$(recorded 'detail@info')" ""
check "a level that does not exist is refused, and those that do are listed" refused '"loud" is no log level; they are emerg, .* debug$' \
	"$strata" record --app 'levels:*@loud' -o "$work/refused"
check "so is an empty one" refused '"" is no log level' "$strata" record --app 'levels:step@' -o "$work/refused"
check "and so it is where a selection is changed" refused '"loud" is no log level' "$strata" top --app 'levels:x@loud' count

"$strata" record --app levels -o "$work/all" -- "$levels" 2>"$work/all.log"
"$strata" merge "$work/all" -o "$work/merged" >"$work/merge.log" 2>&1
"$strata" convert --format ctf "$work/all" -o "$work/converted" >"$work/convert.log" 2>&1
babeltrace2 --fields loglevel "$work/all" >"$work/shown"
show() { sed 's/^/# /' "$1" | head -n 5; }
check "babeltrace2 shows the levels of a recording" test "$(grep -cE '(EMERG|WARNING|INFO|DEBUG)' "$work/shown")" = 4 || show "$work/shown"
check "metadata of a merge has them" is "$(grep -rhoE 'loglevel = [0-9]+' "$work/merged" | sort -u | paste -sd,)" "loglevel = 0,loglevel = 14,loglevel = 4,loglevel = 6"
check "and of a conversion" is "$(grep -rhoE 'loglevel = [0-9]+' "$work/converted" | sort -u | paste -sd,)" "loglevel = 0,loglevel = 14,loglevel = 4,loglevel = 6"

# While a program writes.
"$strata" create --output "$work/sessions" leveled 2>"$work/create.log"
check "a session takes a level" "$strata" enable-event --session leveled --app levels --loglevel err '*'
check "and another one for one event" "$strata" enable-event -s leveled --app levels --loglevel-only=INFO 'beg*,slow*'
check "one that does not exist is refused" refused '"loud" is no log level' "$strata" enable-event -s leveled --app levels --loglevel loud '*'
check "an empty word names no event, whatever its level" is "$("$strata" enable-event -s leveled --app levels --loglevel err 'nothing1,,nothing2' 2>/dev/null
	"$strata" save leveled | jq -c '[.channels[0].app.rules[].text | select(startswith("@"))]')" "[]"
check "so is one for a kernel" refused "loglevel is of an application's EVENTS" "$strata" enable-event -s leveled --kernel '*' --loglevel err '*'
check "and two" refused "an unknown option, or two" "$strata" enable-event -s leveled --app levels --loglevel err --loglevel-only err '*'
"$strata" start leveled 2>"$work/start.log"
"$levels" "$work/enough" &
writer=$!
check "it is listed with the level of each event" await bash -c "'$strata' list --apps --events 2>/dev/null | grep -q 'levels/slow_disk (warning)'"
check "without one where it has none" bash -c "'$strata' list --apps --events | grep -q 'levels/step\$'"
check "JSON has the same, for scripts" is "$("$strata" list --apps --events --long --json levels/slow_disk detail |
	jq -c '[.applications[] | select(.name == "levels") | del(.pid)]')" \
	'[{"name":"levels","uid":0,"answers":true,"nr_events":5,"events":[{"name":"slow_disk","group":"levels","loglevel":"warning","fields":[{"name":"number","type":"u32"}]},{"name":"detail","group":"levels","loglevel":"debug","fields":[{"name":"text","type":"string"},{"name":"number","type":"u32"}]}]}]'
# is_recorded EVENT: it is in the recording of the session, which goes on.
is_recorded() { babeltrace2 "$work"/sessions/* 2>/dev/null | grep -q " $1: "; }
await is_recorded begun
"$strata" enable-event -s leveled --app levels --loglevel warning 'slow*' 2>"$work/more.log"
check "an event of a level is added while a program writes" await is_recorded slow_disk
: >"$work/enough"
wait "$writer"
"$strata" stop leveled 2>"$work/stop.log"
check "no other event was recorded" is "$(events "$work"/sessions/*)" "begun on_fire slow_disk"
check "a saved session keeps the levels" bash -c "'$strata' save -o '$work/saved' leveled 2>/dev/null; grep -q '@=INFO' '$work/saved'"
finish
