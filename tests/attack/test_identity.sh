#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The origin of events: a program writes the pid of another user's process into its records. Every output format must show the
# pid and user that the kernel reports, and mark the program's own values as its claim.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

end_all() {
	local pid
	for pid in $recorder $forger $program; do
		kill -KILL "$pid" 2>/dev/null
	done
}
trap end_all EXIT
forger="" program=""
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; }

# start USER COMMAND...: in the background, as that user; $! is the number of the process itself.
start() {
	local user=$1
	shift
	setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all -- "$@" &
}

begin forged --app all --app-memory file --app-file-users "$mallory,$victim"
start "$victim" $bin/app/program linger 5 "$(home "$victim")/lingers"
program=$!
await test -e "/tmp/home-$victim/lingers"
start "$mallory" $bin/forger "$program" >/tmp/forger.out
forger=$!
await grep -q 'done' /tmp/forger.out
# Killed with its programs: what `strata recover` finds in the files of rings.
tables_know() { jq -e --argjson pid "$forger" '.sources[] | select(.pid == $pid and .uid == '"$mallory"')' "$work/forged/recording.json"; }
check "the tables of the recording have the kernel's pid and uid" await tables_know
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
"$strata" recover "$work/forged" >/dev/null 2>&1
check "and so have those of what is recovered" is \
	"$(jq -c '[.sources[] | [.pid, .uid]] | sort' "$work/forged-recovered/recording.json")" \
	"$(jq -nc --argjson a "[$program,$victim]" --argjson b "[$forger,$mallory]" '[$a, $b] | sort')"

recovered=$work/forged-recovered
json() { "$strata" convert --format json "$recovered" "$@"; }
check "JSON has the true pid, and the forged one as the program's own word" is \
	"$(json --event forged | jq -c '[.packet.pid, .stream_context.vpid]' | sort | uniq -c | tr -s ' ')" " 100 [$forger,$program]"
check "the victim's events are not mixed with forged ones" is "$(json --process "$program" | jq -r .event | sort | uniq -c | tr -s ' ')" " 5 plain"
check "a filter finds the forger by its true pid" is "$(json --process "$forger" | grep -c .)" 100
check "also as a context" is "$(json --filter "\$ctx.pid == $forger" | grep -c .)" 100
check "view shows it in each line" is \
	"$("$strata" view "$recovered" --event forged | grep -c "\[ comm=\"forger\" pid=$forger vpid=$program vtid=$program \]")" 100
check "babeltrace2 reads it" is "$(babeltrace2 "$recovered" 2>/dev/null | grep -c "forged: .* pid = $forger }, { vpid = $program,")" 100
"$strata" convert --format perfetto --events -o "$work/perfetto" "$recovered" 2>/dev/null
check "Perfetto's trace has the program's word under that name" grep -qa vpid "$work/perfetto"
"$strata" merge "$recovered" -o "$work/merged" >/dev/null 2>&1
check "so has the merged timeline" is \
	"$(grep -c " forged .*comm=\"forger\" pid=$forger vpid=$program vtid=$program \]" "$work/merged/timeline.txt")" 100
check "and the merged trace" is "$(babeltrace2 "$work/merged" 2>/dev/null | grep -c "forged: .* pid = $forger }, { vpid = $program,")" 100
check "in which a filter finds it, too" is "$("$strata" convert --format json "$work/merged" --process "$program" | grep -c plain)" 5
finish
