#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user whose applications lie about what they have counted, and come under ever new names, changes no other user's counts, and
# does not keep the aggregator from reading them.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

trap 'kill -9 $aggregator "${liars[@]}" 2>/dev/null' EXIT
aggregator="" liars=()
socket=/run/strata/apps.sock.7
chmod 1777 $work
lair=$(home "$mallory")

begun() { grep -qs 'strata: counting in channel 7' "$work/$1.log"; }

# count NAME SPEC OPTIONS...: an aggregator of all applications.
count() {
	local name=$1 spec=$2
	shift 2
	"$strata" top --json --interval 200ms --app all "$spec" "$@" >"$work/$name.json" 2>"$work/$name.log" &
	aggregator=$!
	await begun "$name"
}

end() {
	status=0
	kill -INT "$aggregator"
	wait "$aggregator" || status=$?
	aggregator=""
}

# of NAME SOURCE: events "plain" of a program at the end.
of() { tail -n 1 "$work/$1.json" | jq --arg source "$2" '[.rows[] | select(.source == $source and .event == "plain") | .count] | add // 0'; }

# lie NAME: a liar of that name, which has begun.
lie() {
	as "$mallory" cp $bin/count_liar "$lair/$1"
	become "$mallory" "$lair/$1" $socket "$lair/$1.lies" &
	liars+=($!)
	await test -e "$lair/$1.lies"
}

stop_liars() {
	kill -9 "${liars[@]}" && wait "${liars[@]}" 2>/dev/null
	liars=()
}

count lies count:process
# Not in a subshell, which would know of them alone.
lie program
lie other
check "liars get tables, also of the name of another user's program" test "${#liars[@]}" = 2 -a -e "$lair/program.lies" -a -e "$lair/other.lies"
for _ in 1 2 3; do
	as "$victim" $bin/app/program threads 2000
done
# However fast the programs were.
has_looks() { [ "$(wc -l <"$work/lies.json")" -ge 3 ]; }
check "looks are taken all the time" await has_looks
stop_liars
as "$victim" $bin/app/program threads 2000
end
check "the aggregator ends well" test "$status" = 0
check "the other user's counts are exact" test "$(of lies "app-program (user $victim)")" = 32000
check "the liar's are his own" test "$(tail -n 1 "$work/lies.json" | jq '[.rows[] | select(.source | endswith("(user '"$mallory"')")) | .source] | unique | length')" -ge 1

# Ever new names, each with its rows, which stay: more than a share of the memory for them would hold is refused.
count names count
for i in $(seq 60); do
	as "$mallory" cp $bin/app/program "$lair/name$i"
	as "$mallory" "$lair/name$i" lengths 1
done
as "$victim" $bin/app/program threads 2000
grep -E '^Vm(HWM|RSS)' "/proc/$aggregator/status" >"$work/memory"
end
check "programs of many names leave others' counts exact" test "$(of names "app-program (user $victim)")" = 8000
# shellcheck disable=SC2016 # awk's
check "the aggregator stays small" awk '/VmHWM/ { exit $2 > 262144 }' "$work/memory"

# A program may take its tables and hang up: again and again.
count again count
for i in $(seq 20); do
	lie "again$i"
	stop_liars
done
as "$victim" $bin/app/program threads 2000
end
check "those that come and go leave others' counts exact" test "$(of again "app-program (user $victim)")" = 8000
finish
