#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of the group tracing who rotates and clears his session without end, over all his connections, does so once a second, keeps to
# his share of the disk, and costs another member no event.  Root gives both sessions, in their files, applications that members may not
# have: this machine may have no Xen.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

events=20000
cp $bin/victim $bin/own
mkdir -p /run/strata/sessions && chmod 700 /run/strata/sessions
# given USER PROGRAM: a session of that user's, which records it.
given() {
	jq -n --arg name "series@$1" --arg output "/var/lib/strata/$1/series" --arg program "$2" '{strata_session: 2, $name, $output,
		rotation: {bytes: 67108864, keep: 8},
		channels: [{name: "channel0", app: {rules: [{kind: "event", target: $program, text: "*"}]}}]}' >"/run/strata/sessions/series@$1.json"
}
given "$mallory" own
given "$victim" victim
"$strata" create --output $work/roots roots 2>/dev/null
of() { member "$1" "$strata" --system "${@:2}" 2>&1; }
# parts USER: his recordings.
parts() { find "/var/lib/strata/$1/series" -mindepth 1 -maxdepth 1 -name 'recording-*'; }

check "the victim's session records" of "$victim" start series
check "so does the attacker's" of "$mallory" start series
become "$mallory" $bin/own 1000000000 100 &
own=$!
become "$victim" $bin/victim $events 500 &
writer=$!
wanted="series@$victim roots series@$victim@$mallory ../series@$victim"
# shellcheck disable=SC2086 # words
member "$mallory" /usr/bin/python3 tests/attack/actions.py series 12 $wanted >$work/granted &
attacker=$!
served=0 others=0
while ! has_ended $attacker; do
	timeout 10 "$strata" status >/dev/null || break
	served=$((served + 1))
	in_time "$victim" >/dev/null || break
	others=$((others + 1))
done
wait $attacker
await has_ended $writer
echo "# $(cat $work/granted)"
check "he rotates and clears his own session" jq -e '.granted > 3' $work/granted
check "once a second at most, of many requests" jq -e '.granted <= .seconds + 1 and .asked > 3 * .granted' $work/granted
check "but no other's" jq -e '.of_others == 0' $work/granted
check "root is served meanwhile" test "$served" -gt 0
check "so is another member, each time" test "$others" -eq "$served"
check "the attacker's recordings stay in his share" test "$(parts "$mallory" | wc -l)" -le 32
check "the victim's session is stopped" of "$victim" stop series
check "it was not rotated" test "$(parts "$victim" | wc -l)" = 1
check "and has lost nothing" jq -e "[.sources[]? | .streams[]?] | [(map(.events) | add), (map(.lost) | add)] == [$events, 0]" \
	"$(parts "$victim")/recording.json"
kill -KILL $own
check "the attacker's session stops" of "$mallory" stop series
check "what he keeps is his" test "$(find "/var/lib/strata/$mallory/series" -mindepth 1 -printf '%u\n' | sort -u)" = "$mallory"
finish
