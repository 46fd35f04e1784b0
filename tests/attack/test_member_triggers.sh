#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of the group tracing who adds, removes and starts triggers at once has no more recorders than his share, and what his triggers
# leave behind takes nothing from others.  Consumers are played (tests/unit/played_consumer.py): each has the lock that a recorder has.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

cp tests/unit/played_consumer.py "$bin/strata-consumerd"
of() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing --inh-caps=-all -- "$strata" --system "${@:2}" 2>&1; }
processes() { pgrep -a -f "^/usr/bin/python3 [^ ]*strata-consumerd [^ ]*@" | sort; }
# at_once: the processes of members' sessions that are in two lists one after the other, and so exist at the same time.
at_once() {
	local first
	first=$(processes)
	comm -12 <(echo "$first") <(processes)
}
# recorders USER: how many are his; those of a list in standard input.
recorders() { grep -c "@$1 "; }

"$strata" create --output $work/roots roots 2>/dev/null
for user in "$mallory" "$victim"; do
	of "$user" create --snapshot flight >/dev/null
	of "$user" enable-event --xen sched >/dev/null
done
check "a member's session records" of "$mallory" start
check "a process is seen" is "$(at_once | recorders "$mallory")" 1

# What he may not count, beneath names and members that look as if he might.
# tries RULES...: members of a trigger of his own making.
tries() {
	member "$mallory" /usr/bin/python3 -c "import sys
sys.path.insert(0, 'tests/attack')
from member_request import ask
import json
print(ask({'verb': 'add-trigger', 'name': sys.argv[1], 'trigger': {'name': 'x', 'spec': 'count', **json.loads(sys.argv[2])}})['message'])" "$@"
}
check "applications do not count" has "$(tries flight '{"app": [{"target": "*", "text": "*"}]}')" "use yours, without --system"
check "also behind a rule that may" has "$(tries flight '{"kernel": [{"target": "*", "text": "all"}], "app": [{"target": "*", "text": "*"}]}')" "use yours"
check "nor does a probe" has "$(tries flight '{"kernel": [{"kind": "kprobe", "target": "*", "text": "do_exit"}]}')" "no rules of kind kprobe"
check "nor for another's session" has "$(tries "flight@$victim" '{}')" "there is no session flight@$victim"
check "nor for one that looks like it" has "$(tries "flight@$victim@$mallory" '{}')" "there is no session"
check "no command is run" has "$(tries flight '{"action": "touch /tmp/x"}')" "unknown member"
check "a trigger's name is no path" has "$(member "$mallory" "$strata" --system remove-trigger ../current 2>&1)" "has no trigger"

# Three members try at once, which are more than there is room for: the most processes that each has at a time, and all.
third=$((mallory + 2))
of "$third" create --snapshot flight >/dev/null
of "$third" enable-event --xen sched >/dev/null
attackers=()
for user in "$mallory" "$victim" "$third"; do
	HOME=/ setpriv --reuid "$user" --regid "$user" --groups $tracing --inh-caps=-all -- /usr/bin/python3 tests/attack/triggers.py flight 15 >"$work/granted$user" &
	attackers+=($!)
done
most=0 most_of_all=0
while kill -0 "${attackers[@]}" 2>/dev/null; do
	list=$(at_once)
	for user in "$mallory" "$victim" "$third"; do
		nr=$(recorders "$user" <<<"$list")
		[ "$nr" -le "$most" ] || most=$nr
	done
	all=$(grep -c . <<<"$list")
	[ "$all" -le "$most_of_all" ] || most_of_all=$all
done
wait "${attackers[@]}"
echo "# granted: $(jq -c . "$work"/granted* | paste -sd' '); at most $most of a member, $most_of_all of all"
check "triggers were added" test "$(jq -s 'map(."add-trigger") | min' "$work"/granted*)" -gt 3
check "and sessions started" test "$(jq -s 'map(.start) | add' "$work"/granted*)" -gt 3
check "a member never had more than two recorders" test "$most" -ge 1 -a "$most" -le 2
check "all had no more than four" test "$most_of_all" -le 4
check "root is served meanwhile and after" timeout 10 "$strata" status
check "so is another member" in_time "$victim"
# The limit is no smaller either.  While requests compete, two need not be there when we look.
two() { [ "$(at_once | recorders "$1")" = 2 ]; }
of "$third" destroy flight >/dev/null
of "$third" create --snapshot flight >/dev/null
of "$third" enable-event --xen sched >/dev/null
of "$third" start >/dev/null
of "$third" add-trigger --xen sched count >/dev/null
check "and may have two" await two "$third"
none() { [ "$(at_once | recorders "$1")" = 0 ]; }
for user in "$mallory" "$victim" "$third"; do
	of "$user" stop >/dev/null
	check "a member's processes end with his session ($user)" await none "$user"
done
check "another member's session starts" of "$victim" start
check "he destroys his" of "$mallory" destroy flight
check "which leaves no file of it" is "$(find /run/strata -name "*flight@$mallory*")" ""
finish
