#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sessions of stratad, on a machine without Xen: their verbs, several at a time, deaths of stratad and of consumers, bad input
# and clients that misbehave.  What each session recorded is compared number by number.  It needs a /run of its own: tests/run.sh
# gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
files=/run/strata/sessions
running="" stopped=""
# shellcheck disable=SC2317,SC2086 # the trap calls it; these may be no word
end_all() {
	kill -KILL $running $stopped 2>/dev/null
	for session in $("$strata" status 2>/dev/null | awk '$2 != "sessions;" { sub(/^[* ] /, ""); print $1 }'); do
		"$strata" destroy "$session" 2>/dev/null
	done
	kill "$(daemon)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# The process of stratad; of a session's consumer.
daemon() { sed 's/process //' /run/strata/stratad.lock; }
consumer() { "$strata" status --json "$1" | jq '.sessions[0].channels[0].process'; }

# record NAME EVENTS [OPTIONS...]: a session that records them of all programs.
record() {
	local name=$1 events=$2
	shift 2
	"$strata" create "$@" --output "$work/$name" "$name" && "$strata" enable-event --session "$name" --app all "$events" &&
		"$strata" start "$name"
}

# numbers NAME EVENT: in what a session has recorded.
numbers() { babeltrace2 "$work/$1" 2>/dev/null | sed -n "s/.* $2: .* number = \([0-9]*\).*/\1/p" | sort -n; }
count() { babeltrace2 "$work/$1" 2>/dev/null | grep -c " $2: " || true; }

# Names, and what is not there.
check "without stratad there are no sessions" refused "there are no sessions: stratad does not run" "$strata" status
"$strata" view 2>"$work/said"
check "nor anything to view" has "$? $(cat "$work/said")" "2 strata: view: name a trace: there are no sessions"
check "a session is created" bash -c "ulimit -Sn 20 && '$strata' create --output '$work/plain' plain" 9>"$work/starters"
check "stratad was started for it" test -d "/proc/$(daemon)"
check "it keeps no file of its starter open" test -z "$(find "/proc/$(daemon)/fd" -lname "$work/*")"
check "nor has it the limits that its starter had set for himself" is \
	"$(awk '/^Max open files/ { print $4 == $5 }' "/proc/$(daemon)/limits")" 1
check "there is one" has "$("$strata" status)" "* plain"
for name in "" .hidden -x a/b "a b" "$(printf '%041d' 0)"; do
	check "\"$name\" is no name" refused "a session's name has 1 to 40" "$strata" create --output "$work/x" -- "$name"
done
check "a name is not given twice" refused "session plain exists already" "$strata" create --output "$work/x" plain
check "a session that does not exist is named" refused "there is no session other" "$strata" start other
check "one without events does not start" refused "session plain has no events" "$strata" start plain
check "one that does not record cannot be stopped" refused "session plain does not record" "$strata" stop plain
check "an event of Xen that does not exist is refused" refused "nosuch" "$strata" enable-event --xen nosuch
check "nothing of such a list is enabled" bash -c "! '$strata' enable-event --xen sched,nosuch 2>/dev/null && ! '$strata' status plain | grep sched"
check "so is a bad size" refused "not a power of two" "$strata" enable-channel --app --buffer 5K
check "so is an event that is not enabled" refused "does not have the rule program:plain" \
	"$strata" disable-event --app program plain
check "and two domains at once" refused "two of which there can be one" "$strata" enable-event --xen --app all x

# What is started holds, and what is stopped is complete.
"$strata" enable-event --app program plain,body16 2>/dev/null
check "it starts" "$strata" start
check "it records" has "$("$strata" status)" "plain                    records"
check "it cannot be started twice" refused "session plain records already" "$strata" start
"$program" threads 2000
said=$("$strata" stop 2>&1)
check "its end is reported" has "$said" "recorded 8000 events"
check "each event is in the recording" is "$(count plain plain)" 8000
check "a second start makes another recording" "$strata" start plain
"$program" lengths 300
# As programs that are left out cause them: longer than what a stop reads of the log.
seq -f 'strata: message %.0f' 2000 >>"$files/plain:channel0.log"
said=$("$strata" stop plain 2>&1)
check "the end of a recording with many messages is reported, too" has "$said" "strata: recorded "
check "after the last of them" has "$said" "message 2000"
check "with its events, beside those of the first one" is "$(count plain body16) $(count plain plain) $(find "$work/plain" -mindepth 1 -maxdepth 1 | wc -l)" "300 8000 2"

# What is read without the name of a trace.
check "view shows the recordings of the current session" is "$("$strata" view 2>"$work/said" | grep -c ' plain ')" 8000
check "and says whose they are" has "$(cat "$work/said")" "session plain, $work/plain"
check "a session that does not exist is named" refused "view: there is no session other" "$strata" view --session other
check "a session is not chosen beside a trace" refused "session excludes $work/plain" "$strata" view --session plain "$work/plain"
"$strata" create --output "$work/idle" idle 2>/dev/null
check "one that never recorded has no recordings" refused "session idle has recorded nothing yet" "$strata" view
"$strata" destroy idle 2>/dev/null
record followed plain 2>/dev/null
"$program" threads 100
"$strata" view --live --from 0 >"$work/live" 2>/dev/null &
viewer=$!
await grep -q ' plain ' "$work/live"
"$strata" stop 2>/dev/null
wait "$viewer"
check "the recording of its last start is followed" is "$(grep -c ' plain ' "$work/live")" 400
"$strata" destroy followed 2>/dev/null
check "without a current session one is to be named" refused "name a trace, or choose a session" "$strata" view
"$strata" set-session plain 2>/dev/null

# Two sessions, with other rings and events; changes while they record.
check "a flight recorder" record flight all --snapshot
record rare numbered 2>/dev/null
"$strata" create --output "$work/changed" changed 2>/dev/null
"$strata" enable-channel --session changed --app --buffer 256Kx16 2>/dev/null
"$strata" enable-event --session changed --app program nothing 2>/dev/null
"$strata" start changed 2>/dev/null
forever
check "a channel cannot be changed while it records" refused "its channels can be changed when it is stopped" \
	"$strata" enable-channel --session changed --app --buffer 64K
more_of 500
before=$(last_number)
check "an event is enabled while it records" "$strata" enable-event --session changed --app program plain
more_of 500
middle=$(last_number)
more_of 500
check "and disabled" "$strata" disable-event --session changed --app program plain
# A program that is late goes on for a while.
events_of() { "$strata" status --json "$1" | jq '.sessions[0].channels[0].status.events'; }
has_no_more() {
	local first
	first=$(events_of "$1")
	sleep 1
	[ "$(events_of "$1")" = "$first" ]
}
await has_no_more changed
after=$(last_number)
more_of 1000
check "a snapshot is taken" "$strata" snapshot --session flight
check "sessions are listed with their states" is "$("$strata" status | awk '{ sub(/^[* ] /, ""); print $1 ":" $2 }' | sort | paste -sd' ')" \
	"changed:records flight:records plain:stopped rare:records"
stop_program
"$program" numbered 100
"$strata" stop rare 2>/dev/null
"$strata" stop changed 2>/dev/null
"$strata" stop flight 2>/dev/null
check "one has what it selects" is "$(count rare numbered) $(count rare plain)" "100 0"
is_between() {
	local run
	run=$(plain_run "$work/changed")
	echo "$run: from $before on, past $middle, to $after"
	[[ $run =~ ^[0-9]+' '[0-9]+$ ]] && [ "${run% *}" -ge "$before" ] && [ "${run% *}" -le "$middle" ] &&
		[ "${run#* }" -ge "$middle" ] && [ "${run#* }" -le "$after" ]
}
check "one has the events of the time between" is_between
check "the snapshot is in the session's directory" test "$(find "$work/flight" -path '*snapshot-*' -name 'cpu_*' | wc -l)" -gt 0

# stratad dies.
record lives plain 2>/dev/null
forever
more_of 300
died=$(daemon)
kill -KILL "$died"
await test ! -d "/proc/$died"
more_of 300
check "after stratad's death the next one finds the session" has "$("$strata" status)" "lives                    records"
check "it is another one" test "$(daemon)" != "$died"
check "its rules are there" has "$("$strata" status lives)" "event all:plain"
more_of 300
for turn in 1 2 3 4 5 6 7 8; do
	"$strata" status lives >"$work/status.$turn" 2>&1 &
	kill -KILL "$(daemon)"
	"$strata" enable-event --session lives --app "nobody$turn" plain 2>/dev/null
done
wait -n 2>/dev/null
last=$(last_number)
more_of 300
stop_program
check "it is stopped" "$strata" stop lives
check "nothing is missing" is "$(plain_run "$work/lives" | cut -d' ' -f1)" 0
check "also what came after all deaths" test "$(plain_run "$work/lives" | cut -d' ' -f2)" -ge "$last"

# state SESSION: what status says of it, to a stratad that has just begun.
state() {
	kill -KILL "$(daemon)"
	"$strata" status | sed 's/^[* ] //' | awk -v name="$1" '$1 == name { print $2 }'
}
check "to the next stratad, one that was stopped is stopped" is "$(state lives)" stopped
"$strata" create --output "$work/never" never 2>/dev/null
check "as is one that was never started" is "$(state never)" stopped
"$strata" destroy never 2>/dev/null

# The whole path of a recording is shown.
long=$(printf '%0200d' 0)
long=$work/$long/$long/$long/$long
mkdir -p "$long"
"$strata" create --output "$long" long 2>/dev/null
"$strata" enable-event --session long --app all plain 2>/dev/null
check "a session with a long path starts" "$strata" start long
check "its path is shown" has "$("$strata" status --json long | jq -r '.sessions[0].channels[0].recording')" "$long/"
check "so that it can be opened" test -d "$("$strata" status --json long | jq -r '.sessions[0].channels[0].recording')"
check "its status is whole beside it" is "$(events_of long)" 0
"$strata" destroy long 2>/dev/null

# A consumer dies.
check "it starts again" "$strata" start lives
recording=$("$strata" status --json lives | jq -r '.sessions[0].recording')
forever
more_of 2000
killed=$(consumer lives)
kill -KILL "$killed"
dead() { "$strata" status lives | grep -q 'lives: killed'; }
check "a consumer's death is shown" await dead
check "with the way to recover" has "$("$strata" status lives)" "strata recover $recording"
check "the next stratad knows of it, too" is "$(state lives)" killed
check "it is said at the stop, too" refused "the consumer of session lives was killed" "$strata" stop lives
stop_program
check "what it had written is whole" "$strata" recover "$recording"
check "and it starts once more" "$strata" start lives
check "and ends" "$strata" stop lives

# A consumer whose session stratad has forgotten: another session of its name would be taken for it.
check "a session records" record orphan plain
orphan=$(consumer orphan)
kill -KILL "$(daemon)"
rm "$files/orphan.json"
check "the next stratad does not know it" refused "there is no session orphan" "$strata" status orphan
check "while its consumer runs" kill -0 "$orphan"
check "its name is not given to another one" refused "process $orphan still records for an earlier session of that name" \
	"$strata" create --output "$work/again" orphan
check "nor is another one there then" refused "there is no session orphan" "$strata" status orphan
check "another name is given" "$strata" create --output "$work/again" again
kill "$orphan"
await has_ended "$orphan"
check "so is that one when the consumer has ended" "$strata" create --output "$work/again" orphan
"$strata" destroy again 2>/dev/null
"$strata" destroy orphan 2>/dev/null

# Commands at once.
for turn in 1 2 3 4 5 6; do
	"$strata" start lives >"$work/at-once.$turn" 2>&1 &
done
wait
check "of six starts at once one succeeds" is "$(cat "$work"/at-once.* | grep -c 'session lives records into') $(cat "$work"/at-once.* | grep -c 'records already')" "1 5"
stopped=$(consumer lives)
kill -STOP "$stopped"
"$strata" stop lives >"$work/stop" 2>&1 &
stopping=$!
check "a session whose consumer hangs does not hold up another one" timeout 60 "$strata" start plain
check "that one ends" timeout 60 "$strata" stop plain
check "the first one still waits" test ! -s "$work/stop"
kill -CONT "$stopped"
stopped=""
wait "$stopping"
check "until its consumer goes on" is "$?" 0

# Contexts are rules of kernels.
"$strata" create --output "$work/contexts" contexts 2>/dev/null
check "contexts are added to a session" "$strata" add-context --session contexts --kernel g1 -t procname,nice --type callstack-user
check "an unknown one is refused" refused '"colour" is not a context' "$strata" add-context --session contexts --kernel g1 -t colour
check "the session shows its contexts" is "$("$strata" status contexts | sed -n 's/^ *context g1:/g1:/p' | paste -sd' ')" \
	"g1:procname g1:nice g1:callstack-user"
"$strata" save contexts >"$work/contexts.json"
check "they are saved and loaded" "$strata" load --name contexts-copy "$work/contexts.json"
check "all of them" is "$("$strata" save contexts-copy | jq -c '[.channels[0].kernel.rules[] | .kind, .text]')" \
	'["context","procname","context","nice","context","callstack-user"]'
"$strata" destroy contexts 2>/dev/null
"$strata" destroy contexts-copy 2>/dev/null

# The file of a session.
"$strata" save lives >"$work/lives.json"
check "a session is saved and loaded" "$strata" load --name copy "$work/lives.json"
check "with all that it has" is "$("$strata" save copy | jq -Sc 'del(.name)')" "$(jq -Sc 'del(.name)' "$work/lives.json")"
load() { jq "$1" "$work/lives.json" | "$strata" load --name bad -; }
check "an unknown member is refused" refused 'unknown member "colour"' load '.colour = 1'
check "so is another version" refused 'version 3; this program reads versions 1 and 2' load '.strata_session = 3'
check "a relative path" refused 'not an absolute path' load '.output = "here"'
check "a rule with a newline" refused 'must not contain' load '.channels[0].app.rules[0].text = "a\nb"'
check "too many rules" refused 'over 256 entries' load '.channels[0].app.rules = [range(257) | {target: "a", text: "e\(.)"}]'
check "a kind of rule that the domain lacks" refused 'no rules of kind kprobe' load '.channels[0].app.rules[0].kind = "kprobe"'
check "what is not JSON" refused 'not a JSON object' "$strata" load - <<<'{'
check "what does not end" refused 'over 1048576 bytes' "$strata" load /dev/zero

# A file of stratad's that was damaged costs that session, and no other.
echo '{' >"$files/copy.json"
kill -KILL "$(daemon)"
check "a damaged session is left out" is "$("$strata" status | awk '{ sub(/^[* ] /, ""); print $1 }' | sort | paste -sd' ')" \
	"changed flight lives plain rare"
check "and stays" test -s "$files/copy.json"

# Clients that misbehave.
talk() { perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, pack_sockaddr_un("/run/strata/stratad.sock")) or die "$!\n";
	$| = 1; syswrite($s, $ARGV[0]); my $answer = <$s>; print $answer' "$1"; }
check "garbage is answered" has "$(talk $'\x01\x02\n')" '"status":1'
check "so is an unknown verb" has "$(talk '{"verb":"explode"}'$'\n')" 'knows no verb'
check "so is a request without a verb" has "$(talk '{}'$'\n')" '"status":1'
check "and members of wrong kinds" has "$(talk '{"verb":"start","name":[1]}'$'\n')" '"status":1'
perl -MSocket -e 'for (1 .. 40) { socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, pack_sockaddr_un("/run/strata/stratad.sock")) or die;
	syswrite($s, "{\"verb\":"); push @all, $s } print "ready\n"; close STDOUT; sleep 600' >"$work/mute" &
stopped=$!
await grep -q ready "$work/mute"
check "forty clients that say half a sentence hold nobody up" has "$(timeout 60 "$strata" status)" "lives"
kill "$stopped"
stopped=""
other_user() { setpriv --reuid 65534 --regid 65534 --clear-groups "$strata" status; }
check "another user is refused" refused "stratad cannot be reached" other_user

# The end.
check "all are destroyed" bash -c "for s in changed flight lives plain rare; do '$strata' destroy \$s || exit 1; done"
check "no consumer is left" is "$(pgrep -c strata-consumer)" 0
check "none of their files is left" is "$(find "$files" -type f ! -name current -printf '%f ')" "copy.json "
check "what they recorded is" test "$(find "$work" -name recording.json | wc -l)" -ge 8
finish
