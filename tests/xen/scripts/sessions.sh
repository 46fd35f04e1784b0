#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two sessions and a flight recorder over the hypervisor, the kernels of dom0 and guests, and an application in dom0, while stratad
# and a consumer are killed and a guest is destroyed. Runs in dom0; what is recorded goes to $LAB_OUT, where test_sessions.sh
# compares it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# verb LOG NAME VERB...: a verb that has to succeed.
verb() {
	log=$1
	name=$2
	shift 2
	try "$log" strata "$@"
	expect_status "$name" 0
}

# status_of SESSION PATTERN: whether its status has that line.
# shellcheck disable=SC2317 # await calls it
status_of() {
	strata status "$1" >status-of 2>&1
	grep -qE "$2" status-of
}

# has_paid: whether the group of the other user has been charged for rings.
# shellcheck disable=SC2317 # await calls it
has_paid() {
	awk '{ print "rings", int($1 / 1048576) " MiB" }' "$groups"/strata/*/1001/memory.peak >group
	grep -q 'rings [1-9]' group
}

# A member of the group tracing, and another user.
printf '%s\n' 'root:x:0:0::/:/bin/sh' 'member:x:1000:1000::/tmp:/bin/sh' 'other:x:1001:1001::/tmp:/bin/sh' >/etc/passwd
printf '%s\n' 'root:x:0:' 'tracing:x:990:member' >/etc/group

# verb_of USER LOG NAME STATUS VERB...: a verb of his, with root's stratad, that ends with this status.
verb_of() {
	user=$1
	log=$2
	name=$3
	status=$4
	shift 4
	try "$log" busybox su -s /bin/sh "$user" -c "strata --system $*"
	expect_status "$name" "$status"
}

# status_of_member PATTERN
# shellcheck disable=SC2317 # await calls it
status_of_member() {
	busybox su -s /bin/sh member -c 'strata --system status own' >status-of 2>&1
	grep -qE "$1" status-of
}

# The program is another user's.  Control groups are of version 2.
groups=/sys/fs/cgroup
mount -t cgroup2 groups $groups && echo +memory >$groups/cgroup.subtree_control
busybox su -s /bin/sh other -c "exec $LAB_OUT/program forever 0 /tmp/last" >program.log 2>&1 &
program=$!

verb create "the flight recorder is created" create --snapshot --output "$LAB_OUT/flight" flight
verb rules "with the hypervisor" enable-event --session flight --xen all
verb rules "and all kernels" enable-event --session flight --kernel '*' default
verb channel "in small rings" enable-channel --session flight --xen --buffer 64Kx4
verb create "a session is created" create --output "$LAB_OUT/web" web
verb rules "with scheduling in Xen" enable-event --xen sched
verb rules "in one guest" enable-event --kernel g1 'sched_*'
verb rules "and an application" enable-event --app program plain
verb create "another one is created" create --output "$LAB_OUT/guests" guests
verb rules "with another guest" enable-event --kernel g2 'sched_switch,sched_wakeup'
verb rules "one of its events filtered by a field" enable-event --kernel g2 --filter 'comm == "sleeper"' sched_wakeup
verb rules "and one that does not run yet" enable-event --kernel g9 default
verb start "the flight recorder starts" start flight
verb start "so does the session" start web
verb start "so does the other one" start guests
verb list "three sessions record" status
expect_line "the flight recorder" list 'flight +records +flight recorder'
expect_line "the session" list 'web +records'
expect_line "the other one" list 'guests +records'
await -p "$program" 120 status_of web 'app-program +app +[1-9]'
verb whole "a session is described" status web
expect_line "with the hypervisor" whole 'xen +xen +[1-9]'
expect_line "the guest" whole 'g1 +kernel +[1-9]'
expect_line "and the program" whole 'app-program +app +[1-9]'
# What it has paid for at most: where the group was entered late, the program has other memory, and that of the group is freed again.
await -p "$program" 120 has_paid
expect_line "a control group of its user's pays for its rings" group 'rings [1-9][0-9]* MiB'
verb other "so is the other one" status guests
expect_line "with what it waits for" other 'waits for g9: no such domain runs yet'

# stratad dies; consumers record on.
kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)"
sleep 2
verb after "after stratad's death the next one finds all" status
expect_line "the flight recorder records" after 'flight +records'
expect_line "the session records" after 'web +records +[1-9]'
expect_line "the other one records" after 'guests +records'
verb change "events change while it records" enable-event --session web --kernel g1 'irq_*'
verb filter "a filter is set while it records" enable-event --session web --kernel g1 --filter 'irq == 123456' irq_handler_entry
verb unfilter "and taken back with its event" disable-event --session web --kernel g1 --filter 'irq == 123456' irq_handler_entry
verb divide "its recording rotates" rotate web
expect_line "which it says" divide 'is complete; recording continues in'
sleep 2
verb divide "and once more" rotate web
verb snapshot "a snapshot of the flight recorder" snapshot --session flight

verb trigger "a trigger waits for an event of the hypervisor" trigger --session flight --xen sched --xen-domain g1 --max 1 count:domain
expect_line "says what it saw" trigger 'xen, [a-z0-9]+: [1-9][0-9]* [a-z]'
expect_line "and has the flight recorder's memory written" trigger '[1-9][0-9]* events .* are in .*/flight/snapshot-'

# Triggers of the flight recorder's session.  Each has acted before the next one is added: a recorder has half a second for the
# directory of a snapshot, in which the only CPU of dom0 also places probes.
verb quiet "a trigger of an event that does not happen is added to the session" add-trigger --session flight --name quiet --kernel g1:oom_score_adj_update count
verb sched "so is one of the hypervisor" add-trigger --session flight --name sched --xen sched --xen-domain g1 --max 1 count:domain
expect_line "and counts" sched 'trigger sched is added, and counts'
await -p "$program" 120 status_of flight 'trigger sched: has had its actions'
expect_line "it acts" status-of 'last: .* xen, [a-z0-9]+: [1-9][0-9]* [a-z_]+: .* events .* are in .*/flight/snapshot-'
verb switches "one of a kernel is added" add-trigger --session flight --name switches --kernel g1:sched_switch --max 1 count
await -p "$program" 120 status_of flight 'trigger switches: has had its actions'
expect_line "it acts, too" status-of 'last: .* g1: [1-9][0-9]* sched_switch: .* are in .*/flight/snapshot-'
expect_line "the first one counts" status-of 'trigger quiet: counts'
verb remove "and has done nothing: Xen's events do not count for it" remove-trigger --session flight quiet
expect_no_line "as its removal says" remove 'trigger quiet: 20'

# A guest is destroyed while a command about it is executed.
xl destroy g2 &
destroying=$!
try racing strata enable-event --session guests --kernel g2 'irq_*'
wait $destroying
expect_line "a command about a guest that is being destroyed has a result" racing 'session guests|strata: '
verb alive "its session goes on" status guests
expect_line "and records" alive 'guests: records'

# A consumer dies; the others record on.
victim=$(strata status --json guests | sed -n 's/.*"process":\([0-9]*\).*/\1/p')
kill -KILL "$victim"
await -p "$program" 60 status_of guests 'guests: killed'
expect_line "a consumer's death is shown" status-of 'guests: killed'
verb still "the others record" status
expect_line "the flight recorder" still 'flight +records'
expect_line "the session" still 'web +records'
try gone strata stop guests
expect_status "the stop of a killed one fails" 1
expect_line "with the way to recover" gone 'strata recover'
# A file system of the lab's host cannot rename without replacing.
cp -r "$(echo "$LAB_OUT"/guests/recording-*)" /tmp/guests
verb recover "and it is recovered" recover /tmp/guests -o /tmp/guests-recovered
cp -r /tmp/guests-recovered "$LAB_OUT"

verb stop "the session stops" stop web
expect_line "and has lost nothing" stop 'recorded [1-9][0-9]* events .*, 0 lost'
kill -KILL $program
verb start "a stopped one starts again" start web
verb stop "and stops" stop web
verb stop "the flight recorder stops" stop flight

# Channels: in small rings of its own a flood of the hypervisor's events overflows, beside a guest's events in another one.
verb create "a session of two channels is created" create --output "$LAB_OUT/channels" channels
verb channel "with small rings" enable-channel --xen --buffer 4Kx2 --budget none
verb rules "for all events of the hypervisor" enable-event --xen all
verb channel "another channel" enable-channel rare --xen --buffer 256Kx8
verb rules "for its domains' events" enable-event -c rare --xen sched
verb rules "and a guest's" enable-event -c rare --kernel g1 sched_switch
verb start "both record when it has started" start channels
await 60 status_of channels 'g1 +kernel +[1-9]'
verb channels "it is described" status channels
expect_line "with the first channel" channels ' channel0: records'
expect_line "and the other one" channels ' rare: records'
verb listing "Xen and the guest have a channel for each" list
expect_line "of two recorders" listing 'recorder 1'
verb divide "they rotate together" rotate channels
sleep 1
verb stop "they stop" stop channels
expect_line "each reports" stop 'channel rare: its report:'
verb destroy "the session is destroyed" destroy channels

# Users: a member of the group tracing has a session of his own, of Xen and of a kernel.
verb_of other refused "a user who is no member is refused" 1 create own
expect_line "with the next step" refused 'usermod -aG tracing other'
verb_of member member "a member's session is created" 0 create own
verb_of member listed "he lists what can be recorded" 0 list --events
expect_line "the hypervisor" listed '^hypervisor +Xen'
expect_line "with its events" listed 'evtchn_send'
expect_line "and the guest's" listed 'sched/sched_switch'
expect_no_line "but not those who record" listed 'recorder [0-9]'
verb_of member member "with the hypervisor" 0 enable-event --xen sched
verb_of member member "and a guest's kernel" 0 enable-event --kernel g1 sched_switch
verb_of member member "a probe is refused" 1 enable-event --kernel g1 --kprobe vfs_read
verb_of member member "it starts" 0 start
verb_of member second "a second one is created" 0 create second
verb_of member second "with the hypervisor" 0 enable-event --xen sched
verb_of member second "and does not start beside the first one" 1 start
await 60 status_of_member 'g1 +kernel +[1-9]'
verb_of member described "it is described" 0 status own
expect_line "with the hypervisor" described 'xen +xen +[1-9]'
verb all "root sees it" status
expect_line "with its owner's number" all 'own@1000 +records'
kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)"
strata status >/dev/null 2>&1
await 60 status_of_member 'records'
expect_line "after stratad's death it records on" status-of 'records'
busybox su -s /bin/sh member -c 'ls /var/lib/strata/1000/own/recording-*' >unread 2>&1
expect_line "while it records, its files are root's" unread 'Permission denied|No such file'
verb_of other divide "another user does not rotate it" 1 rotate own@1000
verb_of member divide "its owner rotates it" 0 rotate own
expect_line "which says where it continues" divide 'is complete; recording continues in /var/lib/strata/1000/own/recording-'
sleep 2
verb_of member stop "it stops" 0 stop own
expect_line "and has lost nothing" stop 'recorded [1-9][0-9]* events .*, 0 lost'
recordings=$(echo /var/lib/strata/1000/own/recording-*)
busybox su -s /bin/sh member -c "strata stat $recordings" >own-read 2>&1
expect_line "its owner reads both recordings" own-read '^ *g1 +1 +[1-9]'
expect_line "with the guest's events in each" own-read 'recording-[^ ]*/g1 +1 +[1-9]'
busybox su -s /bin/sh other -c "strata stat $recordings" >unread 2>&1
expect_line "and no other user" unread 'Permission denied'
expect_no_line "nothing of it" unread 'sched_switch'
mkdir "$LAB_OUT/member"
cp -r /var/lib/strata/1000/own/recording-* "$LAB_OUT/member"
verb_of member member "it is destroyed" 0 destroy own
verb_of member member "so is the other one" 0 destroy second
# His flight recorder, with a channel of its own and a context.
verb_of member flying "a member's flight recorder is created" 0 create --snapshot own
verb_of member flying "with a channel in small rings" 0 enable-channel rare --xen --buffer 16Kx8
verb_of member flying "for events of the hypervisor" 0 enable-event --channel rare --xen sched
verb_of member flying "and a guest's" 0 enable-event --kernel g1 sched_switch
verb_of member flying "with its threads' names" 0 add-context --kernel g1 -t procname
verb_of member flying "larger rings are refused" 1 enable-channel rare --xen --buffer 1Mx16
verb_of member flying "so are call stacks" 1 add-context --kernel g1 -t callstack-kernel
verb_of member flying "it starts" 0 start
# Its rings fill, which no status shows.
sleep 3
verb_of member flying "a snapshot is taken" 0 snapshot
snapshot=$(echo /var/lib/strata/1000/own/snapshot-*)
busybox su -s /bin/sh member -c "strata stat $snapshot" >own-read 2>&1
expect_line "its owner reads the guest's events" own-read 'sched_switch'
busybox su -s /bin/sh member -c "strata view $snapshot" >own-view 2>&1
expect_line "with their threads' names" own-view 'sched_switch.*procname='
expect_line "and the hypervisor's" own-view 'xen.* (runstate_|sched_)'
busybox su -s /bin/sh other -c "strata stat $snapshot" >unread 2>&1
expect_line "no other user does" unread 'Permission denied'
sleep 1
verb_of member flying "its memory is cleared" 0 clear own
verb_of member flying "the flight recorder stops" 0 stop own
# A trigger takes the place of a channel.
verb_of member waiting "a member's trigger is added" 0 add-trigger --name switches --kernel g1:sched_switch --max 1 count
verb_of member waiting "beside two channels it does not start" 1 start
expect_line "and he is told why" waiting 'recorders for channels, and 1 for triggers'
verb_of member waiting "one is left out" 0 disable-channel rare
verb_of member waiting "then it starts" 0 start
await 120 status_of_member 'trigger switches: has had its actions'
for snapshot in /var/lib/strata/1000/own/snapshot-*; do :; done
busybox su -s /bin/sh member -c "strata stat $snapshot" >own-read 2>&1
expect_line "he reads the snapshot that it had taken" own-read 'sched_switch'
verb_of member waiting "it stops" 0 stop own
expect_line "which says what the trigger did" waiting 'trigger switches: .*snapshot-'
verb_of member flying "and is destroyed" 0 destroy own

verb destroy "all are destroyed" destroy flight
verb destroy "the session, too" destroy web
verb destroy "the killed one, too" destroy guests
verb empty "there are none any more" status
expect_line "which is said" empty 'no sessions'
strata list >listed 2>&1
expect_no_line "no channel is left in Xen" listed 'recording by'
xl list >domains
expect_no_line "no zombie is left" domains '\(null\)'
dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
