#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Triggers of members of the group tracing: they count what their owners may record, act within their owners' shares of the disk, and
# take their share of the machine's recorders.  It needs root, to become members, and a /run of its own: tests/run.sh gives it one.  Its
# groups and /var/lib are its own, too.  Speaks TAP.
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
alice=54331 bob=54332 carol=54333 tracing=54339
running=""
end_stratad() { kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null; }
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	end_stratad
	[ -z "$running" ] || kill -KILL "$running"
	sed 's/process //' /run/strata/session-*.lock 2>/dev/null | xargs -r kill -KILL 2>/dev/null
	umount /etc/group /var/lib
	rm -rf "$work"
}
trap end_all EXIT
make_tracing_group "$work/group" || exit 1

# of USER VERB...: root's stratad is asked by that member.
of() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing -- "$strata" --system "${@:2}"; }
# raw USER REQUEST: what it answers to a request that no tool of ours makes.
raw='import socket, sys
one = socket.socket(socket.AF_UNIX)
one.connect("/run/strata/members.sock")
one.sendall(sys.argv[1].encode() + b"\n")
print(one.makefile().readline())'
raw() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing -- /usr/bin/python3 -c "$raw" "$2"; }
# field USER SESSION EXPRESSION: of the status of his session.
field() { of "$1" status --json "$2" | jq -r ".sessions[0] | $3"; }

# What a trigger may count.
"$strata" create --output "$work/roots" roots 2>/dev/null
check "a member creates a flight recorder" of $alice create --snapshot flight
check "with an event" of $alice enable-event --xen sched
check "and a trigger that counts events of Xen" of $alice add-trigger --name xen --xen sched --xen-domain g1 count:domain
check "one of times" of $alice add-trigger --above 10ms time:vm_exit..vm_entry:domain
check "one that counts events of a kernel, with a filter" of $alice add-trigger --name kernel --kernel 'g1:sched_*' --kernel-filter 'g1:sched_switch: prev_pid > 5' count
check "he lists them" has "$(of $alice list-triggers)" "trigger kernel: waits"
check "they are root's to see" has "$("$strata" list-triggers --session "flight@$alice")" "trigger kernel: waits"
check "applications are refused" refused "use yours, without --system" of $alice add-trigger --app all count
# asks MEMBERS: a request for a trigger with these members.
asks() { raw $alice "{\"verb\": \"add-trigger\", \"name\": \"flight\", \"trigger\": {\"name\": \"raw\", \"spec\": \"count\", $1}}"; }
check "also by a request of his own making" has "$(asks '"app": [{"target": "all", "text": "all"}]')" "use yours, without --system"
for kind in kprobe kretprobe function uprobe tracepoint context tid; do
	check "a rule of another kind is refused: $kind" has "$(asks "\"kernel\": [{\"kind\": \"$kind\", \"target\": \"g1\", \"text\": \"do_exit\"}]")" "has no rules of kind $kind"
done
check "an unknown member is refused" has "$(asks '"command": "/bin/sh"')" "unknown member"
check "so is no trigger" has "$(raw $alice '{"verb": "add-trigger", "name": "flight"}')" "is missing"
check "one that looks too often is refused" refused "looks every 100 ms at most" of $alice add-trigger --name fast --interval 99ms --xen sched count
check "one that acts too often, too" refused "pauses for 1000 ms at least" of $alice add-trigger --name fast --pause 999ms --xen sched count
check "also if root adds it" refused "pauses for 1000 ms at least" "$strata" add-trigger --session "flight@$alice" --name fast --pause 999ms --xen sched count
check "root's own acts as often as he likes" "$strata" add-trigger --session roots --rotate --pause 1ms --interval 1ms --xen sched count
check "nothing of these was added" is "$(field $alice flight '[.model.triggers[].name] | sort | join(" ")')" "kernel trigger0 xen"
for verb in "add-trigger --session" "list-triggers --session" "remove-trigger xen --session"; do
	words=${verb/add-trigger/add-trigger --name x --xen sched count}
	check "another member's session is refused: $verb" refused "there is no session flight@$alice" of $bob $words "flight@$alice"
	check "root's is out of reach: $verb" refused "there is no session roots@$bob" of $bob $words roots
done

# Texts.
of $alice save flight >"$work/saved"
chmod 644 "$work/saved"
check "a member's text has his triggers" is "$(jq -r '[.triggers[].name] | join(" ")' "$work/saved")" "xen trigger0 kernel"
check "he loads it" of $alice load --name again "$work/saved"
check "with his triggers" is "$(field $alice again .model.triggers)" "$(field $alice flight .model.triggers)"
check "another member loads it, too" of $bob load "$work/saved"
of $bob destroy flight 2>/dev/null
of $alice destroy again 2>/dev/null
# wrong FILTER: a text with something else in its first trigger.
wrong() { jq ".triggers[0] |= ($1)" "$work/saved" >"$work/wrong" && chmod 644 "$work/wrong"; }
wrong '.app = [{"kind": "event", "target": "all", "text": "all"}]'
check "applications in a text are refused" refused "use yours, without --system" of $alice load --name x "$work/wrong"
wrong '.interval_ms = 1'
check "so is a trigger that looks too often" refused "looks every 100 ms at most" of $alice load --name x "$work/wrong"
wrong '.rotate = true'
check "and one that does not fit the session" refused "does not rotate" of $alice load --name x "$work/wrong"

check "three triggers and a channel do not start" refused "take 1 of the machine's recorders for channels, and 3 for triggers, .* may take 2; .strata --system remove-trigger" of $alice start
check "two are removed" of $alice remove-trigger trigger0
check "one by one" of $alice remove-trigger kernel
check "one gets as far as the recorder" refused "does not run under Xen" of $alice start
of $alice destroy flight 2>/dev/null

# Actions.  This machine may have no Xen, so root gives members' sessions, in their files, applications that they may not have.
end_stratad
# given NAME JSON: a session of carol's.
given() {
	jq -n --arg name "$1@$carol" --arg output "/var/lib/strata/$carol/$1" "{strata_session: 2, \$name, \$output,
		channels: [{name: \"channel0\", app: {rules: [{kind: \"event\", target: \"program\", text: \"all\"}]}}]} + $2" >"/run/strata/sessions/$1@$carol.json"
}
when='name: "often", spec: "count", pause_ms: 1000, keep_free: 0, app: [{kind: "event", target: "program", text: "plain"}]'
given flight "{snapshot: true, triggers: [{$when}]}"
given series "{rotation: {bytes: 67108864, keep: 8}, triggers: [{$when, rotate: true}]}"
"$strata" status >/dev/null
dir=/var/lib/strata/$carol
forever
check "a member's flight recorder starts, with its trigger" of $carol start flight
of_carol() { find $dir/flight -mindepth 1 -maxdepth 1 -name 'snapshot-*' -user $carol; }
has_two() { [ "$(of_carol | wc -l)" -ge 2 ]; }
check "the trigger takes snapshots, which are his" await has_two
snapshot=$(of_carol | head -1)
check "with all that is in them" is "$(find "$snapshot" -printf '%u\n' | sort -u)" $carol
check "each is complete" test -f "$snapshot/recording.json"
check "others do not read it" refused "" setpriv --reuid $bob --regid $bob --clear-groups ls "$snapshot"
check "the recording in progress stays root's" is "$(stat -c '%u %a' $dir/flight/recording-*)" "0 750"
mkdir $dir/flight/recording-{10..33}
full() { [[ $(field $carol flight '.triggers[0].last') == *"recordings below /var/lib/strata"* ]]; }
check "his share of recordings ends, and the trigger says so" await full
nr=$(of_carol | wc -l)
sleep 2.5
check "then it writes nothing" is "$(of_carol | wc -l)" "$nr"
said=$(of $carol stop flight 2>&1)
check "a stop says what it did" has "$said" "snapshot-"
check "and what failed" has "$said" "as root, remove some"
check "the recording is his then" is "$(find $dir/flight -maxdepth 1 -name 'recording-2*-*' -printf '%u\n' | sort -u)" $carol
check "its trigger has ended" is "$(field $carol flight '.triggers[0].counts')" false
rmdir $dir/flight/recording-{10..33}

check "a member's recording starts, with a trigger" of $carol start series
parts() { find $dir/series -mindepth 1 -maxdepth 1 -name 'recording-*' | wc -l; }
has_parts() { [ "$(parts)" -ge 3 ]; }
check "it rotates the recording" await has_parts
twice() { "$strata" rotate "series@$carol" && "$strata" rotate "series@$carol"; }
check "a session rotates once a second at most, whoever asks" refused "rotates a recording every 1000 ms; try again" twice
mkdir $dir/series/recording-{10..41}
full_too() { [[ $(field $carol series '.triggers[0].last') == *"may add 1: a member"* ]]; }
check "the share of recordings bounds it, too" await full_too
rmdir $dir/series/recording-{10..41}
said=$(of $carol destroy series 2>&1)
check "the session is destroyed, and what failed is said" has "$said" "may add 1: a member"
check "all parts are his" is "$(find $dir/series -mindepth 1 -printf '%u\n' | sort -u)" $carol
stop_program
of $carol destroy flight 2>/dev/null
end_stratad

# Recorders.  Consumers are played.
mkdir "$work/bin" && cp out/bin/strata out/bin/stratad "$work/bin" && cp tests/unit/played_consumer.py "$work/bin/strata-consumerd"
"$work/bin/strata" status >/dev/null
# made USER NAME: a flight recorder that records one channel.
made() { of "$1" create --snapshot "$2" && of "$1" enable-event --session "$2" --xen sched; } 2>/dev/null
adds() { of "$1" add-trigger --session "$2" --name "$3" --xen sched count; }
made $alice one
adds $alice one first 2>/dev/null
check "a channel and a trigger are a member's share" of $alice start one
check "a second trigger is refused" refused "would take 1 of the machine's recorders for channels, and 2 for triggers" adds $alice one second
check "so it is if root adds it" refused "may take 2" "$work/bin/strata" add-trigger --session "one@$alice" --name second --xen sched count
made $alice two
check "a second session does not record beside it" refused "records 1 sessions, as many as a member" of $alice start two
check "the trigger is removed" of $alice remove-trigger --session one first
check "then another one counts" has "$(adds $alice one stuck 2>&1)" "is added, and counts"
of $alice remove-trigger --session one stuck 2>/dev/null &
removing=$!
gone() { [ "$(field $alice one '.triggers | length')" = 0 ]; }
check "one whose process does not end is removed" await gone
check "and counts in the share until it ends" refused "and 2 for triggers" adds $alice one third
stuck=$(sed 's/process //' "/run/strata/session-one@$alice:stuck.lock")
kill -KILL "$stuck"
wait $removing
check "then another one has its place" adds $alice one third
made $bob one
check "the next member has a channel" of $bob start one
check "and a trigger" adds $bob one first
made $carol one
check "the third one has none: all members have four" refused "take 4 of the machine's recorders, and may take 4 together" of $carol start one
of $bob remove-trigger --session one first 2>/dev/null
adds $carol one early 2>/dev/null
check "a trigger of another's leaves him no channel with a trigger" refused "may take 4 together" of $carol start one
of $carol remove-trigger --session one early 2>/dev/null
check "but a channel" of $carol start one
check "and no trigger" refused "may take 4 together" adds $carol one first
end_stratad
"$work/bin/strata" status >/dev/null
check "the next stratad counts as the one before" refused "may take 4 together" adds $bob one first
check "a member's processes end with his session" of $alice destroy one
check "which leaves no lock" is "$(find /run/strata -name "*one@$alice*")" ""
check "then there is a place" adds $bob one first
finish
