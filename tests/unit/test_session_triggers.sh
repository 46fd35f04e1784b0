#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Triggers that are parts of sessions: added, listed, saved, loaded and removed; they count from the start to the stop, in
# processes of their own, which stratad finds again.  Of applications, on a machine without Xen.  It needs a /run of its own:
# tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
export LD_LIBRARY_PATH=$PWD/out/lib
running="" others=()
# shellcheck disable=SC2317,SC2086 # the trap calls it; it may be no word
end_all() {
	kill -KILL $running "${others[@]}" 2>/dev/null
	pkill -KILL -x stratad
	pkill -KILL strata-consumer
	rm -rf "$work"
}
trap end_all EXIT

snapshots() { find "$work/flight" -maxdepth 1 -name 'snapshot-*' | wc -l; }
# has_snapshots N: as many, or more.
has_snapshots() { [ "$(snapshots)" -ge "$1" ]; }
# says STATUS TEXT VERB...: the verb ends with that status, and says that.
says() {
	local status=0 said
	said=$("$strata" "${@:3}" 2>&1) || status=$?
	if [ "$status" = "$1" ] && [[ $said == *"$2"* ]]; then return 0; fi
	echo "# status $status: $said"
	return 1
}
# field EXPRESSION: of the session's status.
field() { "$strata" status --json flight | jq -r ".sessions[0] | $1"; }
# process TRIGGER: its process, "null" if none.
process() { field ".triggers[] | select(.name == \"$1\").process"; }
state() { field ".triggers[] | select(.name == \"$1\") | \"\(.counts) \(.ended)\""; }
state_is() { [ "$(state "$1")" = "$2" ]; }

"$strata" create --snapshot --output "$work/flight" flight 2>/dev/null
"$strata" enable-event --app all all 2>/dev/null
check "a session without triggers says how to add one" says 0 "add-trigger" list-triggers
check "a trigger is added" says 0 "session flight: trigger trigger0 is added" add-trigger --app all:plain --interval 50ms --pause 10m count
check "another one gets another name, or its own" says 0 "trigger slow is added" add-trigger --name slow --app all --above 1us --max 1 time:plain..plain
check "that name is taken" says 1 "has a trigger slow already" add-trigger --name slow --app all count
check "so is that of a channel" says 1 "has a channel channel0" add-trigger --name channel0 --app all count
check "and no channel gets that of a trigger" says 1 "has a trigger slow" enable-channel --app slow
check "a flight recorder cannot be rotated" says 1 "does not rotate" add-trigger --rotate --app all count
check "what it counts is checked" says 1 "trigger bad: " add-trigger --name bad --app all:nothing --above 1ms time:a..b
check "a name is checked" says 2 "a trigger's name has" add-trigger --name a/b --app all count
for wrong in "" "count --above 1ms" "time:a..b" "count count" "--max 0 count" "--keep-free 100 count" "--kernel-filter g1 count" "--bad count"; do
	# shellcheck disable=SC2086 # words
	check "\"$wrong\" is refused" says 2 "strata add-trigger --help" add-trigger --app all $wrong
done
check "both are listed, and wait" is "$("$strata" list-triggers | grep -c 'waits for the start')" 2
check "with their conditions" says 0 "takes a snapshot at 1 time of 1.000 us or more (time:plain..plain) in 100 ms, at most 1 time" list-triggers
check "one that is not there" says 1 "has no trigger nosuch" remove-trigger nosuch

forever
check "the session starts with its triggers" says 0 "records into" start
check "they act" await has_snapshots 2
check "one has had its action, and ends" await state_is slow "false 0"
check "the other one counts" state_is trigger0 "true null"
check "the last action is said" has "$(field '.triggers[1].last')" "plain to plain"
check "also by status" says 0 "trigger slow: has had its actions" status flight
check "one is added meanwhile, and counts" says 0 "trigger more is added, and counts" add-trigger --name more --app all:plain --interval 20ms --pause 20ms --keep-free 0 count
check "and acts" await has_snapshots 4
# As often as a session has triggers, and once more: each attempt gives back what it took.
fails() {
	local turn
	for turn in 1 2 3 4 5; do
		says 1 "trigger fails: " add-trigger --name fails --kernel g1 count || return
	done
}
check "one that cannot begin is refused" fails
check "and leaves no file" is "$(find /run/strata -name '*fails*')" ""
# The process of one that is being removed does not end: another one of its name has to wait.
"$strata" add-trigger --name stuck --app all:nothing count 2>/dev/null
stuck=$(process stuck)
kill -STOP "$stuck"
"$strata" remove-trigger stuck 2>/dev/null &
removing=$!
removed() { ! "$strata" list-triggers | grep -q 'trigger stuck'; }
check "one whose process does not end is removed from the list" await removed
check "another one of its name is refused meanwhile" says 1 "stuck was removed, and its process has not ended" add-trigger --name stuck --app all count
kill -CONT "$stuck"
wait $removing
check "it ends" is $? 0
check "and the name is free" says 0 "trigger stuck is added" add-trigger --name stuck --app all:nothing count
"$strata" remove-trigger stuck 2>/dev/null
check "one is removed" says 0 "trigger trigger0: 20" remove-trigger trigger0
check "its process has ended" is "$(process trigger0)" ""

# stratad comes and goes.
counting=$(process more)
pkill -KILL -x stratad
check "the next stratad finds the one that counts" is "$(process more) $(state slow)" "$counting false 0"
had=$(snapshots)
pkill -KILL -x stratad
check "one that counts starts a stratad to act" await has_snapshots $((had + 2))
check "one whose process is killed" kill -KILL "$counting"
check "is said to be so" await state_is more "false killed"
check "a stop says what each did, and that one failed" says 3 "trigger more: its process was killed" stop
check "and then no more" is "$(field '[.triggers[].ended]' | jq -c)" "[null,null]"
check "a session that is stopped has no process" test -z "$(pgrep strata-consumer)"

# A stop while a trigger asks for a snapshot: it waits for the trigger, which must not wait for the stop.  Others keep the session
# busy, so that both wait for it, in any order.
"$strata" remove-trigger slow 2>/dev/null
"$strata" add-trigger --name always --app all:plain --interval 1ms --pause 1ms --keep-free 0 count 2>/dev/null
for _ in 1 2 3; do
	while :; do "$strata" status flight; done >/dev/null 2>&1 &
	others+=($!)
done
stops() {
	local turn
	for turn in 1 2 3 4 5 6 7 8; do
		"$strata" start 2>/dev/null || return
		await has_snapshots $((turn * 2)) || return
		"$strata" stop 2>"$work/stop" || [ $? = 3 ] || return
		! grep -v ' plain: \|recorded\|stopped' "$work/stop" | grep -v 'is being stopped' || return
	done
}
rm -r "$work"/flight/snapshot-*
check "a session is stopped while its trigger acts" stops
kill "${others[@]}"
"$strata" remove-trigger always 2>/dev/null
restarts() {
	local turn
	for turn in 1 2 3 4 5 6 7 8; do
		"$strata" remove-trigger more 2>/dev/null && "$strata" add-trigger --name more --app all:plain --interval 20ms --pause 20ms --keep-free 0 count 2>/dev/null || return
	done
}
"$strata" start 2>/dev/null
check "a trigger is removed and added while it acts" restarts
check "and still acts" await has_snapshots $(($(snapshots) + 2))

# Saved, and loaded.
"$strata" save flight >"$work/saved"
check "a text has the triggers" is "$(jq -c '[.triggers[] | .name, .spec, .interval_ms, .app[0].text]' "$work/saved")" '["more","count",20,"plain"]'
check "the session ends, whatever its trigger does" says 0 "flight is destroyed" destroy flight
check "its files are gone" is "$(find /run/strata -name '*flight*')" ""
check "it is loaded" says 0 "session again is created" load --name again --output "$work/again" "$work/saved"
check "with the trigger" says 0 "trigger more: waits" list-triggers
# As many requests as stratad serves, which do not come to an end: another one is refused, and does not wait.
crowd='import socket, sys
held = [socket.socket(socket.AF_UNIX) for _ in range(64)]
for one in held:
    one.connect("/run/strata/stratad.sock")
print("held", flush=True)
sys.stdin.read()'
coproc /usr/bin/python3 -c "$crowd"
crowd_pid=$COPROC_PID # the shell forgets it when it has ended
read -r _ <&"${COPROC[0]}"
crowded() { says 1 "serves as many requests as it can" status again; }
check "one request too many is refused" await crowded
kill "$crowd_pid"
wait "$crowd_pid" 2>/dev/null
served() { "$strata" status again >/dev/null 2>&1; }
check "later ones are served" await served
check "a text with a wrong trigger is refused" refused "unknown member" "$strata" load --name bad <(jq '.triggers[0].colour = 1' "$work/saved")
check "as is one with two of one name" refused "has a trigger more already" "$strata" load --name bad <(jq '.triggers += .triggers' "$work/saved")
check "one with five" refused "triggers" "$strata" load --name bad <(jq '.triggers += [.triggers[], .triggers[], .triggers[], .triggers[]]' "$work/saved")
check "and one whose session has no snapshots" refused "no flight recorder" "$strata" load --name bad <(jq '.snapshot = false' "$work/saved")
"$strata" destroy again 2>/dev/null

# Of a recording.
"$strata" create --output "$work/pieces" pieces 2>/dev/null
"$strata" enable-event --app all plain 2>/dev/null
check "a recording has no snapshots" says 1 "is no flight recorder" add-trigger --app all:plain count
check "a trigger rotates it" says 0 "is added" add-trigger --rotate --app all:plain --interval 50ms --max 1 count
"$strata" start 2>/dev/null
pieces() { [ "$(find "$work/pieces" -maxdepth 1 -name 'recording-*' | wc -l)" = 2 ]; }
check "into two parts" await pieces
check "which are a whole" says 0 "trigger trigger0: 20" stop
stop_program
check "no event is lost, or in both" is "$(plain_numbers "$work/pieces" | sort -n | awk 'NR > 1 && $1 != last + 1 { holes++ } { last = $1 } END { print holes + 0, (NR > 0) }')" "0 1"
"$strata" destroy pieces 2>/dev/null

# All that a trigger counts are kernels that are left out, which its process is played to say: no guest keeps a session from recording.
mkdir "$work/bin" && cp out/bin/strata out/bin/stratad "$work/bin"
cat >"$work/bin/strata-consumerd" <<-END
	#!/bin/bash
	[[ \$2 = guest* ]] || exec "$PWD/out/bin/strata-consumerd" "\$@"
	echo "strata: domain 3 (g3) is left out: it refuses" >&2
	echo "\${2#guest}" >"/run/strata/sessions/\$1:\$2.ended"
	exit "\${2#guest}"
END
chmod +x "$work/bin/strata-consumerd"
pkill -KILL -x stratad
strata=$work/bin/strata
"$strata" create --snapshot --output "$work/beside" beside 2>/dev/null
"$strata" enable-event --app all plain 2>/dev/null
check "a trigger may count kernels alone" says 0 "is added" add-trigger --name guest3 --kernel g3 count
check "a session records without one whose kernels are left out" says 3 "records into" start
check "it does" is "$("$strata" status --json beside | jq '.sessions[0].recording != null')" true
check "which is said" says 0 "domain 3 (g3) is left out" status beside
check "also at the stop" says 3 "trigger guest3: domain 3 (g3) is left out" stop
check "it is said at the start" has "$("$strata" start 2>&1)" "records without that trigger"
check "another one that is added meanwhile is refused" says 1 "trigger guest03: domain 3 (g3) is left out" add-trigger --name guest03 --kernel g3 count
"$strata" stop 2>/dev/null
"$strata" remove-trigger guest3 2>/dev/null
check "one that fails for another reason" says 0 "is added" add-trigger --name guest1 --kernel g3 count
check "is not left out" says 1 "trigger guest1: " start
"$strata" destroy beside 2>/dev/null
finish
