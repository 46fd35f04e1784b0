#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Members of the group tracing use root's stratad: their own sessions of events of Xen and kernels, and nothing else of it.  It needs
# root, to become them, and a /run of its own: tests/run.sh gives it one.  Its groups and /var/lib are its own, too.  Speaks TAP.
# shellcheck disable=SC2086 # users are numbers
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh
# shellcheck source=tests/tracing_group.sh
. tests/tracing_group.sh

strata=$PWD/out/bin/strata
work=$(mktemp -d)
chmod 711 "$work"
alice=54331 bob=54332 carol=54333 dave=54334 tracing=54339
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	"$strata" destroy web 2>/dev/null
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null
	kill "$(sed 's/process //' /run/strata/stratad.lock)" ${xenstore:+"$xenstore"} 2>/dev/null
	umount /etc/group /var/lib
	rm -rf "$work"
}
trap end_all EXIT
make_tracing_group "$work/group" || exit 1

# member USER COMMAND..., other USER COMMAND...: runs it as that user, with the group or without.
member() { HOME=/ setpriv --reuid "$1" --regid "$1" --groups $tracing -- "${@:2}"; }
other() { HOME=/ setpriv --reuid "$1" --regid "$1" --clear-groups -- "${@:2}"; }
of() { member "$1" "$strata" --system "${@:2}"; }
names() { of "$1" status --json | jq -r '[.sessions[].model.name] | join(" ")'; }

check "without root's stratad the next step is named" refused "systemctl restart stratad.service" of $alice create web
"$strata" create --output "$work/roots" web 2>/dev/null
check "members may connect to the socket, and nobody may read it" is "$(stat -c '%a %u %g' /run/strata/members.sock)" "620 0 $tracing"
check "another user is told how to become a member" refused "not a member of the group tracing; as root: usermod -aG tracing" \
	other $carol "$strata" --system create web
check "a member creates a session, of the same name as root's" of $alice create web
check "a second member, too" of $bob create web
check "each sees his own" is "$(names $alice), $(names $bob)" "web@$alice, web@$bob"
check "root sees all" is "$("$strata" status --json | jq -r '[.sessions[].model.name] | sort | join(" ")')" "web web@$alice web@$bob"
check "and the owner" is "$("$strata" status --json "web@$bob" | jq '.sessions[0].owner')" $bob
for verb in status start stop destroy set-session; do
	check "the other one's is refused: $verb" refused "there is no session web@$alice" of $bob $verb "web@$alice"
	check "root's is out of reach: $verb" refused "there is no session roots@$bob" of $bob $verb roots
done
check "root's name has no mark" refused "'@' marks sessions of members" "$strata" create --output "$work/x" "x@$alice"

# What may be recorded.
check "applications are refused" refused "use yours, without --system" of $alice enable-event --app program '*'
for probe in --kprobe --kretprobe --function --tracepoint; do
	check "a probe is refused: $probe" refused "are root's alone" of $alice enable-event --kernel '*' $probe do_exit
done
check "a uprobe is refused" refused "are root's alone" of $alice enable-event --kernel '*' --uprobe /bin/sh:main
check "a member adds contexts" of $alice add-context --session web --kernel '*' -t procname,pid,prio,minor-faults
for context in callstack-user callstack-kernel perf:cpu:page-faults perf:cpu:cycles perf:cpu:raw:r1:mine; do
	check "a context is refused: $context" refused "$context is root's alone: .* have root record" \
		of $alice add-context --session web --kernel '*' -t $context
done
check "an unknown context is named" refused '"nothing" is not a context; .strata add-context --list' \
	of $alice add-context --session web --kernel '*' -t nothing
check "a directory is refused" refused "chooses the output directory" of $alice create --output "$work/out" other
check "a timer is refused" refused "timers are root's alone" of $alice create --switch-timer 100 other
check "automatic rotation is refused" refused "root's alone" of $alice enable-rotation --session web --size 1M
echo '{"strata_session": 2, "name": "x", "rotation": {"bytes": 65536}}' >"$work/rotates"
chmod 711 "$work" && chmod 644 "$work/rotates"
check "so is rotation in a text" refused "rotation and timers are root's alone" of $alice load "$work/rotates"

# model USER SESSION FILTER: of the session's model.
model() { of "$1" status --json "$2" | jq -r ".sessions[0].model | $3"; }

# Channels: their rings and their number.  chosen NAME CHANNELS: a text with these channels.
chosen() {
	echo "{\"strata_session\": 2, \"name\": \"$1\", \"channels\": [$2]}" >"$work/$1" && chmod 644 "$work/$1"
}
chosen large '{"name": "more", "xen": {"nr_subbufs": 64}}'
chosen apps '{"name": "more", "app": {"nr_subbufs": 8}}'
chosen stack '{"name": "more", "kernel": {"rules": [{"kind": "context", "target": "*", "text": "callstack-user"}]}}'
chosen fits '{"name": "more", "disabled": true, "xen": {"nr_subbufs": 8, "rules": [{"kind": "event", "target": "", "text": "sched"}]}}'
check "rings beyond the share are refused" refused "channel more: its rings would have 4096 KiB .* 2048 at most; choose a smaller --buffer" \
	of $bob enable-channel more --xen --buffer 64Kx64
check "nothing of that channel is left" is "$(model $bob web '[.channels[].name] | join(" ")')" channel0
check "so they are in a text" refused "its rings would have 4096 KiB" of $bob load "$work/large"
check "rings of applications are refused" refused "use yours, without --system" of $bob enable-channel more --app --buffer 4Kx2
check "so they are in a text" refused "use yours, without --system" of $bob load "$work/apps"
check "so is a call stack" refused "callstack-user is root's alone" of $bob load "$work/stack"
check "an unlimited budget is refused" refused "choose a --budget from 1 to that" of $bob enable-channel --xen --budget none
check "so is a larger one" refused "choose a --budget from 1 to that" of $bob enable-channel --xen --budget 500001
check "a channel in the share is made" of $bob enable-channel more --xen --buffer 64Kx32 --budget 500000
check "a text with another one is loaded" of $bob load "$work/fits"
check "its channel is as it was given" is "$(model $bob fits '.channels[1] | [.name, .disabled, .xen.nr_subbufs, .xen.rules[0].text] | join(" ")')" \
	"more true 8 sched"
of $bob destroy fits 2>/dev/null
# What root's stratad chooses for each session of a member is not in its text, so any member can load it.
saves() { of $bob save "$1" >"$work/saved"; }
of $bob enable-event --session web -c more --kernel '*' 'irq_*' 2>/dev/null
check "a member saves his session" saves web
check "its text has the name that he gave, and no directory or rotation" is "$(jq -r '[.name, .output, .rotation.bytes, .rotation.keep] | join(" ")' "$work/saved")" "web  0 0"
check "he saves it by its whole name, too" saves "web@$bob"
check "he does not save another's" refused "there is no session web@$alice" of $bob save "web@$alice"
check "the text is loaded" of $bob load --name again "$work/saved"
check "the session is the same" is "$(model $bob again 'del(.name, .output)')" "$(model $bob web 'del(.name, .output)')"
check "another member loads it" of $dave load "$work/saved"
check "and it is his" is "$(model $dave web .name)" "web@$dave"
of $bob destroy again 2>/dev/null
of $dave destroy web 2>/dev/null
of $bob disable-event --session web -c more --kernel '*' 'irq_*' 2>/dev/null
of $bob enable-channel --session web third 2>/dev/null
for channel in channel0 more third; do
	check "events of a channel are enabled: $channel" of $bob enable-event --session web -c $channel --xen sched
done
check "three channels do not start" refused "would record 3 channels, .* may record 2; .strata --system disable-channel. leaves one out" \
	of $bob start web
check "one is left out" of $bob disable-channel --session web third
check "two get as far as the recorder" refused "does not run under Xen" of $bob start web
check "the other one's channels are out of reach" refused "there is no session web@$bob" of $alice enable-channel --session "web@$bob" more
check "root gives a member's session no larger ones" refused "its rings would have 4096 KiB" \
	"$strata" enable-channel --session "web@$bob" more --xen --buffer 64Kx64
check "and his own has what he likes" "$strata" enable-channel --session web more --xen --buffer 64Kx64 --budget none

check "four sessions are all that a member has" refused "as many as a member of the group tracing may" \
	bash -c "for i in 1 2 3 4; do HOME=/ setpriv --reuid $alice --regid $alice --groups $tracing -- $strata --system create s\$i || exit; done"
check "kernels' events are enabled" of $alice enable-event --session web --kernel '*' 'sched_*'
check "with a filter" of $alice enable-event --session web --kernel '*' --filter 'prev_pid > 5' sched_switch

script="import strata; print(*strata.Control(library='$PWD/out/lib/libstrata-control.so', system=True).sessions())"
check "a program lists them, too" has "$(PYTHONPATH=dom0-tools/python member $alice /usr/bin/python3 -c "$script" 2>&1)" "web@$alice"

# Connections: of one that holds more than he may, the last ones are refused; others do not wait.
crowd='import socket, sys
held = [socket.socket(socket.AF_UNIX) for _ in range(5)]
for one in held:
    one.connect("/run/strata/members.sock")
print(held[4].recv(1000).decode(), flush=True)
sys.stdin.read()'
coproc member $alice /usr/bin/python3 -c "$crowd"
crowd_pid=$COPROC_PID # the shell forgets it when it has ended
read -r answer <&"${COPROC[0]}"
check "a member's fifth connection is refused" has "$answer" "as many requests of yours"
check "meanwhile another member is served" timeout 5 setpriv --reuid $bob --regid $bob --groups $tracing -- "$strata" --system status
check "and root" timeout 5 "$strata" status
kill "$crowd_pid"
wait "$crowd_pid" 2>/dev/null
connected() { of $alice status; }
await connected >/dev/null 2>&1

# Lists.  This machine may have no Xen; a xenstore of our own names the domains, and hangs while a file exists.
tests/unit/fake_xenstore.py "$work/hang" &
xenstore=$!
await test -S /run/xenstored/socket
check "a member lists a domain" is "$(of $alice list --events --json g1 | jq -r '.domains[] | [.domain, .name, .why_not] | join(" ")')" \
	"7 g1 no module: load strata.ko in it to record its kernel"
check "and domains by a pattern" is "$(of $alice list --events --json '*' | jq -r '[.domains[].domain] | join(" ")')" "0 7"
check "one that does not run is named" refused 'no domain "g2" runs here' of $alice list --events g2
check "the hypervisor is looked at by a process of root's" refused "does not run under Xen" of $alice list
check "applications are not listed" refused "does not list applications .* use yours, without --system" of $alice list --apps
# raw USER REQUEST: what root's stratad answers.
raw='import socket, sys
one = socket.socket(socket.AF_UNIX)
one.connect("/run/strata/members.sock")
one.sendall(sys.argv[1].encode() + b"\n")
print(one.makefile().readline())'
raw() { member "$1" /usr/bin/python3 -c "$raw" "$2"; }
check "also not by a request of his own making" has "$(raw $alice '{"verb": "list", "apps": true}')" "does not list applications"
check "a longer target is refused" has "$(raw $alice "{\"verb\": \"list\", \"target\": \"$(printf %90s x)\"}")" "not a text of at most 79 bytes"
check "longer patterns are refused" has "$(raw $alice "{\"verb\": \"list\", \"patterns\": \"$(printf %5000s x)\"}")" "not a text of at most 4095 bytes"
check "another user gets no list" refused "not a member of the group tracing" other $carol "$strata" --system list

touch "$work/hang"
# begin_list USER: as a process that can be ended.
begin_list() { HOME=/ exec setpriv --reuid "$1" --regid "$1" --groups $tracing -- "$strata" --system list --events g1; }
listers=()
for user in $alice 54341 54342 54343; do
	begin_list $user >/dev/null 2>&1 &
	listers+=($!)
done
has_children() { [ "$(pgrep -c -f -- '^stratad --list-for-member')" = "$1" ]; }
check "four members list at a time" await has_children 4
check "others go first where processes wait for a CPU" is "$(ps -o ni= -p "$(pgrep -o -f -- '^stratad --list-for-member')" | tr -d ' ')" 10
check "their memory is limited" grep -qE '^Max data size +536870912 ' "/proc/$(pgrep -o -f -- '^stratad --list-for-member')/limits"
check "a second list of one is refused" refused "you have a list under way" of $alice list --events g1
check "so is one of a fifth member" refused "have 4 lists under way, as many as they may together; try again" of $bob list --events g1
check "other requests do not wait" timeout 5 setpriv --reuid $alice --regid $alice --groups $tracing -- "$strata" --system status
check "nor do root's" timeout 5 "$strata" status
kill "${listers[@]}"
wait "${listers[@]}" 2>/dev/null
check "lists end with those that asked for them" await has_children 0
of $carol list --events g1 >"$work/ended-list" 2>&1 &
slow_list=$!
check "a list is under way" await has_children 1
kill -KILL "$(pgrep -f -- '^stratad --list-for-member')"
wait "$slow_list"
check "if its process ends, the member is told what to do" grep -q "took more than 30 s, or too much memory; name a domain, or events" "$work/ended-list"
# This one hangs until the end of the test, and stratad is killed meanwhile.
of $carol list --events g1 >"$work/slow-list" 2>&1 &
slow_list=$!
check "another one is under way" await has_children 1

# User ids of /etc/subuid, of which newuidmap gives a member 65,536, are no members; also if root adds them later.
[ -e /etc/subuid ] || touch /etc/subuid
# One of the owners has no entry in /etc/passwd.
printf '%s\n' "$bob:700000:65536" elsewhere:800000:65536 >"$work/subuid"
mount --bind "$work/subuid" /etc/subuid
for id in 700001 765535 800000 800001; do
	check "a subordinate user id of a member's is refused: $id" refused "is in a range of /etc/subuid" of $id create web
done
check "the one behind them is not" of 765536 status
echo "$bob:765536:1" >>"$work/subuid"
check "until root adds it" refused "is in a range of /etc/subuid" of 765536 create web
umount /etc/subuid
check "their owner is served" of $bob status

# Snapshots.  This machine may have no Xen, so the consumer is a flight recorder of applications, with the lock of the consumer.
cat >"$work/consumer" <<EOF
#!/usr/bin/python3
import fcntl, os, struct, sys
lock = os.open("/run/strata/session-flight@$dave:channel0.lock", os.O_RDWR | os.O_CREAT, 0o600)
os.set_inheritable(lock, True)
fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, 0, 0, 0))
os.write(lock, b"process %d" % os.getpid())
os.execv("$strata", sys.argv)
EOF
chmod 700 "$work/consumer"
flight=/var/lib/strata/$dave/flight
snapshots() { find $flight -maxdepth 1 -name 'snapshot-*' | sort; }
check "a member creates a flight recorder" of $dave create --snapshot flight
check "it does not rotate" is "$(model $dave flight '.rotation | [.bytes, .keep] | join(" ")')" "0 0"
check "with an event" of $dave enable-event --xen sched
check "there is no snapshot before it records" refused "does not record; .strata start" of $dave snapshot
kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)"
mkdir -p $flight
strata=$work/consumer begin consumer --overwrite --app program --output $flight/recording-1 || exit 1
"$strata" status >/dev/null
check "a directory for a snapshot is refused" refused "do not name an output directory" of $dave snapshot --session flight --output "$work/taken"
check "a recorder's number does not go with --system" refused "strata: --system excludes --force and --recorder" of $dave snapshot --recorder 0
check "another member takes none" refused "there is no session flight@$dave" of $bob snapshot --session "flight@$dave"
check "a snapshot is taken" of $dave snapshot
snapshot=$(snapshots)
check "it is complete" test -f "$snapshot/recording.json"
check "and his" is "$(find "$snapshot" -printf '%u\n' | sort -u)" $dave
check "he reads it" member $dave test -r "$snapshot/recording.json"
check "others do not" refused "" other $bob ls "$snapshot"
check "the recording in progress stays root's" is "$(stat -c '%u %a' $flight/recording-1)" "0 750"
check "the next one has to wait" refused "takes a snapshot every 1000 ms; try again" bash -c \
	"for i in {1..9}; do HOME=/ setpriv --reuid $dave --regid $dave --groups $tracing -- '$strata' --system snapshot || exit; done"
check "root names a directory for one" "$strata" snapshot --session "flight@$dave" --output "$work/roots-snapshot"
check "which stays root's" is "$(stat -c %u "$work/roots-snapshot/recording.json")" 0
mkdir $flight/recording-{10..32}
nr=$(snapshots | wc -l)
sleep 1.1
check "his share of recordings ends" refused "recordings below /var/lib/strata, .* as root, remove some" of $dave snapshot
check "and nothing is written" is "$(snapshots | wc -l)" "$nr"
kill "$recorder"
wait "$recorder"
recorder=""
of $dave destroy flight 2>/dev/null
check "the recording is his in the end" is "$(stat -c %u $flight/recording-1)" $dave

# The consumer limits itself, whatever the model says: of a member's session it keeps eight recordings.  It is given applications, which
# it records without Xen.
series=/var/lib/strata/$dave/series
mkdir -p $series
jq -n --arg name "series@$dave" --arg output $series '{strata_session: 2, $name, $output, rotation: {bytes: 65536, keep: 40},
	channels: [{name: "channel0", app: {rules: [{kind: "event", target: "program", text: "*"}]}}]}' >"$work/series"
out/bin/strata-consumerd "series@$dave" channel0 $series/recording-1 3 3>"$work/ready" <"$work/series" 2>/dev/null &
recorder=$!
check "a consumer of a member's session records" await test -s "$work/ready"
program=$PWD/out/tests/app/program
forever
has_removed() { [ ! -e $series/recording-1/recording.json ]; }
check "the first recording of its start is removed" await has_removed
stop_program
kill -INT "$recorder"
wait "$recorder"
recorder=""
check "when there are eight" test "$(find $series -name recording.json | wc -l)" -le 9

# Recordings.  This machine may have no Xen, so they are made by hand: a complete one, and one that is his already and locked, which
# nobody enters.  tests/xen has recorders.
check "a start gets as far as the recorder" refused "does not run under Xen" of $alice start web
dir=/var/lib/strata/$alice/web
check "its directory is root's, and nobody may list it" is "$(stat -c '%a %u' /var/lib/strata /var/lib/strata/$alice $dir | sort -u)" "711 0"
mkdir -m 750 $dir/recording-1 $dir/recording-1/xen
echo x >$dir/recording-1/recording.json
ln -s /etc/passwd $dir/recording-1/xen/link
check "he does not read what is not complete" refused "" member $alice cat $dir/recording-1/recording.json
check "nor list or lock the directory" refused "" member $alice ls $dir
mkdir -m 700 $dir/recording-0
touch $dir/recording-0/file
chown $alice $dir/recording-0
mkdir -m 750 $dir/recording-2
mount -t tmpfs -o mode=750 none $dir/recording-2
kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)"
"$strata" status >/dev/null
check "the next stratad knows the owners" is "$(names $bob)" "web@$bob"
mkdir -p $dir/recording-{10..34}
check "his share of recordings ends" refused "recordings below /var/lib/strata" of $alice start web
check "he destroys his session" of $alice destroy web
check "a complete recording is his then" is "$(find $dir/recording-1 -printf '%u\n' | sort -u)" $alice
check "a link is his, not its target" is "$(stat -c %u $dir/recording-1/xen/link /etc/passwd | paste -sd' ')" "$alice 0"
check "he reads it" member $alice test -r $dir/recording-1/recording.json
check "others do not" refused "" other $bob ls $dir/recording-1
check "he cannot replace it" refused "" member $alice mv $dir/recording-1 $dir/recording-x
check "what was his is not entered" is "$(stat -c %u $dir/recording-0/file)" 0
check "nor a file system that is mounted there" is "$(stat -c %u $dir/recording-2)" 0
umount $dir/recording-2
check "root destroys another's" "$strata" destroy "web@$bob"
check "root's own is untouched" is "$("$strata" status --json web | jq -r '.sessions[0].model.name')" web
wait "$slow_list"
check "a list that hangs ends after its time, also without its stratad" grep -q "the connection was closed" "$work/slow-list"
rm "$work/hang"
check "and the next one is served" has "$(of $carol list --events g1)" "no module"
finish
