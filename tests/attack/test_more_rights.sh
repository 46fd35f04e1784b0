#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A service that runs as an ordinary user, with a capability or a group that its user lacks: that user cannot attach a debugger to
# it, so his own recorder does not record it either.  Root's does.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

# service PRIVILEGE...: a program of mallory's that has more rights than he has, for half a second.
service() { HOME=$(home "$mallory") exec setpriv --reuid "$mallory" --clear-groups "$@" -- $bin/victim 500 1000; }
capable() { service --regid "$mallory" --inh-caps=-all,+net_raw --ambient-caps +net_raw; }
in_group() { service --regid "$victim" --inh-caps=-all; }
plain() { service --regid "$mallory" --inh-caps=-all; }

# records OUTPUT SERVICE NUMBER: the recorder has that many events of it in OUTPUT, and then ends.  It is a child of this shell,
# which waits for it: not for a subshell.
records() {
	local events
	"$2" &
	wait $!
	end_own
	[ "$(jq 'has("ended_ticks")' "$1/recording.json")" = true ] || {
		echo "# its recording has no end"
		return 1
	}
	events=$(jq '[.sources[]? | select(. != null) | .streams[].events] | add // 0' "$1/recording.json")
	[ "$events" = "$3" ] || {
		echo "# it has $events events"
		return 1
	}
}
own() { echo "$(home "$mallory")/$1"; }

# begin_own NAME: mallory's own recorder.
begin_own() {
	(
		export HOME
		HOME=$(home "$mallory")
		become "$mallory" $bin/strata record --app all --output "$HOME/$1" 2>"$work/$1.log"
	) &
	recorder=$!
	await grep -qs 'strata: recording [0-9]* sources' "$work/$1.log"
}
end_own() {
	kill -INT "$recorder"
	wait "$recorder"
}
# attaches SERVICE: whether his debugger could.
attaches() {
	local status=0 pid
	"$1" &
	await grep -qs victim "/proc/$!/comm"
	pid=$!
	as "$mallory" test -r "/proc/$pid/environ" || status=1
	as "$mallory" head -c1 "/proc/$pid/maps" >/dev/null 2>&1 || status=1
	wait "$pid"
	return $status
}
not() { ! "$@"; }

check "he could debug his plain program" attaches plain
for service in capable in_group; do
	check "he cannot debug a service ($service)" not attaches $service
	begin_own $service
	check "his recorder has none of its events" records "$(own $service)" $service 0
done
begin_own plain
check "it has those of his plain program" records "$(own plain)" plain 500
for service in capable in_group; do
	begin root-$service --app all
	check "root's recorder has those of a service ($service)" records "$work/root-$service" $service 500
done
finish
