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

strata=$PWD/out/bin/strata
work=$(mktemp -d)
chmod 711 "$work"
alice=54331 bob=54332 carol=54333 tracing=54339
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	"$strata" destroy web 2>/dev/null
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	umount /etc/group /var/lib
	rm -rf "$work"
}
trap end_all EXIT
{
	grep -v '^tracing:' /etc/group
	echo "tracing:x:$tracing:"
} >"$work/group"
mount --make-rprivate / && mount --bind "$work/group" /etc/group && mount -t tmpfs -o mode=755 none /var/lib || exit 1

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
check "contexts are refused" refused "are root's alone" of $alice add-context --kernel '*' -t procname
check "a directory is refused" refused "chooses the output directory" of $alice create --output "$work/out" other
check "a flight recorder is refused" refused "are root's alone" of $alice create --snapshot other
for verb in "rotate web" "clear web" "enable-channel --session web more" "enable-rotation --session web --size 1M" "snapshot --session web" \
	"add-trigger --session web --name x --rotate --kernel g1 count" "remove-trigger --session web x"; do
	check "it is refused: $verb" refused "root's alone" of $alice $verb
done
echo '{"strata_session": 2, "name": "x", "triggers": [{"name": "x", "spec": "count", "rotate": true}]}' >"$work/triggers"
chmod 711 "$work" && chmod 644 "$work/triggers"
check "so is a trigger in a text" refused "snapshots, triggers, rotation" of $alice load "$work/triggers"
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
read -r answer <&"${COPROC[0]}"
check "a member's fifth connection is refused" has "$answer" "as many requests of yours"
check "meanwhile another member is served" timeout 5 setpriv --reuid $bob --regid $bob --groups $tracing -- "$strata" --system status
check "and root" timeout 5 "$strata" status
kill "$COPROC_PID"
wait "$COPROC_PID" 2>/dev/null
connected() { of $alice status; }
await connected >/dev/null 2>&1

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
finish
