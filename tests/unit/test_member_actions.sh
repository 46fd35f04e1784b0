#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Members of the group tracing rotate and clear their own sessions, within their shares: not more often than once a second, and with
# places for the new recordings.  It needs root, to become members, and a /run of its own: tests/run.sh gives it one.  Its groups and
# /var/lib are its own, too.  Speaks TAP.
# shellcheck disable=SC2086 # users are numbers
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh
# shellcheck source=tests/tracing_group.sh
. tests/tracing_group.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
export LD_LIBRARY_PATH=$PWD/out/lib
work=$(mktemp -d)
chmod 711 "$work"
alice=54331 bob=54332 tracing=54339
running=""
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	[ -z "$running" ] || kill -KILL "$running"
	sed 's/process //' /run/strata/session-*.lock 2>/dev/null | xargs -r kill -KILL 2>/dev/null
	umount /etc/group /var/lib
	rm -rf "$work"
}
trap end_all EXIT
make_tracing_group "$work/group" || exit 1

# member USER COMMAND...; of USER VERB...: root's stratad is asked by that member.
member() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing -- "${@:2}"; }
of() { member "$1" "$strata" --system "${@:2}"; }
# twice USER VERB...: at once.
twice() { of "$@" && of "$@"; }
# raw USER REQUEST: what it answers to a request that no tool of ours makes.
raw='import socket, sys
one = socket.socket(socket.AF_UNIX)
one.connect("/run/strata/members.sock")
one.sendall(sys.argv[1].encode() + b"\n")
print(one.makefile().readline())'
raw() { member "$1" /usr/bin/python3 -c "$raw" "$2"; }

# This machine may have no Xen, so root gives members' sessions, in their files, applications that they may not have.
mkdir -p /run/strata/sessions && chmod 755 /run/strata && chmod 700 /run/strata/sessions
# given NAME JSON: a session of alice's.
given() {
	jq -n --arg name "$1@$alice" --arg output "/var/lib/strata/$alice/$1" "{strata_session: 2, \$name, \$output,
		rotation: {bytes: 67108864, keep: 8}} + $2" >"/run/strata/sessions/$1@$alice.json"
}
# channel NAME EVENTS
channel() { echo "{name: \"$1\", app: {rules: [{kind: \"event\", target: \"program\", text: \"$2\"}]}}"; }
given series "{channels: [$(channel channel0 plain)]}"
given pair "{channels: [$(channel channel0 plain), $(channel more all)]}"
given flight "{snapshot: true, rotation: {}, channels: [$(channel channel0 plain)]}"
"$strata" create --output "$work/roots" roots 2>/dev/null
dir=/var/lib/strata/$alice
# parts SESSION: its directories.
parts() { find "$dir/$1" -mindepth 1 -maxdepth 1 -name 'recording-*' | sort -V; }
nr_parts() { parts "$1" | wc -l; }
# acts VERB...: false while his share does not let him.
acts() { of $alice "$@" 2>/dev/null; }

for verb in rotate clear; do
	check "$verb: another member's session is refused" refused "there is no session series@$alice" of $bob $verb "series@$alice"
	check "$verb: so is one whose name ends in both numbers" refused "there is no session" of $bob $verb "series@$alice@$bob"
	check "$verb: root's is out of reach" refused "there is no session roots@$bob" of $bob $verb roots
	check "$verb: a path is no name" refused "" of $bob $verb ../series
	check "$verb: a session that does not record says so" refused "does not record; .strata start" of $alice $verb series
	check "$verb: and takes no turn by that" refused "does not record; .strata start" of $alice $verb series
	check "$verb: nor a directory" test ! -e $dir/series
done
check "when a session rotates by itself is root's to say" refused "automatic rotation is root's alone: members .* rotate, clear" \
	of $alice enable-rotation --session series --size 1M

# A recording.
forever
check "a member's recording starts" of $alice start series
first=$(parts series)
more_of 100
check "he rotates it, but not twice at once" refused "series@$alice: a member of the group tracing rotates a recording every 1000 ms; try again" twice $alice rotate series
check "that has made one part" is "$(nr_parts series)" 2
check "clearing takes its turn, too" refused "clears a session every 1000 ms" twice $alice clear series
check "what ended stays root's" is "$(stat -c '%u %a' "$first")" "0 750"
check "while the session records he does not read it" refused "Permission denied" member $alice cat "$first/recording.json"
more_of 100
names_directory() {
	raw $alice "{\"verb\": \"rotate\", \"name\": \"series\", \"output\": \"$work/elsewhere\"}" | jq -r .message |
		grep -q "recording continues in $dir/series/recording-"
}
check "a request that names a directory rotates into his own" await names_directory
check "and none is made" test ! -e "$work/elsewhere"
more_of 100
nr=$(nr_parts series)
mkdir "$dir/series/recording-"{10..41}
full() { of $alice "$1" series 2>&1 | grep -q 'recordings below /var/lib/strata, and this session may add 1: a member'; }
check "his share of recordings bounds rotations" await full rotate
check "and clearings, which make a directory" await full clear
rmdir "$dir/series/recording-"{10..41}
check "no part was added" is "$(nr_parts series)" "$nr"
check "then there is room" await acts rotate series
more_of 100
check "another member's verb is refused while it records" refused "there is no session" of $bob rotate "series@$alice"
last=$(last_number)
check "it stops" of $alice stop series
check "all parts are his" is "$(find $dir/series -mindepth 1 -printf '%u\n' | sort -u)" $alice
run=$(plain_run $dir/series)
check "each event is in one of them" test "${run#* }" -ge "$last"
mapfile -t all < <(parts series)
check "he reads them as one timeline" member $alice "$strata" stat "${all[@]}"

# What is cleared.
check "it records again" of $alice start series
first=$(parts series | tail -1)
more_of 100
before=$(last_number)
check "he clears it" await acts clear series
gone() { [ ! -e "$first" ]; }
check "what it had recorded is removed" await gone
more_of 100
check "what was handed over before stays" test "$(nr_parts series)" -ge 4
check "it is destroyed" of $alice destroy series
check "later events are there" test "$(plain_numbers "$(parts series | tail -1)" | tail -1)" -gt "$before"

# Two channels: one directory of both.
check "two channels start" of $alice start pair
more_of 100
check "they rotate together" await acts rotate pair
check "into one directory" is "$(nr_parts pair)" 2
check "of both" is "$(find "$(parts pair | tail -1)" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | paste -sd' ')" "channel0 more"
check "they are destroyed" of $alice destroy pair
check "all is his" is "$(find $dir/pair -mindepth 1 -printf '%u\n' | sort -u)" $alice

# A flight recorder has no parts, but memory.
check "a flight recorder starts" of $alice start flight
more_of 100
does_not() { of $alice rotate flight 2>&1 | grep -q "a flight recorder does not rotate; .strata snapshot"; }
check "it does not rotate" await does_not
before=$(last_number)
nr=$(find $dir -mindepth 2 -maxdepth 2 | wc -l)
mkdir $dir/flight/recording-{100..140}
check "but is cleared, which needs no place" await acts clear flight
rmdir $dir/flight/recording-{100..140}
check "and takes none" is "$(find $dir -mindepth 2 -maxdepth 2 | wc -l)" "$nr"
check "not twice at once" refused "clears a session every 1000 ms; try again" twice $alice clear flight
more_of 100
check "a snapshot is taken" await acts snapshot --session flight
check "it is destroyed" of $alice destroy flight
finish
