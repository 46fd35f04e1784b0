#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What happens to recorders, one thing after the other. What they record goes to $LAB_OUT, where test_survival.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Whole seconds since dom0 started.
now() {
	cut -d . -f 1 /proc/uptime
}

killed_recorders_make_way() {
	for pause in 0 170000 640000 1300000; do
		start_recorder killed --output "/tmp/killed-$pause"
		usleep $pause
		end_recorder KILL
		expect_status "a recorder is killed after $pause us" 137
	done
	begin=$(now)
	try after strata record --duration 2s --output "$LAB_OUT/after"
	usual=$(($(now) - begin))
	expect_status "the next one records" 0
	expect_line "and frees what was left" after 'freeing the rings that "recorder [0-9], process [0-9]+" left in Xen'
}

# Whom a recorder waits for costs it ten seconds, over what a recording takes on this machine.
paused_guest_holds_nobody_up() {
	xl pause g2
	begin=$(now)
	try paused strata record --duration 2s --output "$LAB_OUT/paused" --kernel g1 --kernel g2
	took=$(($(now) - begin))
	xl unpause g2
	expect_status "a guest that is paused is missing" 3
	expect_line "and named at once" paused 'domain 2 \(g2\) is paused: it is recorded as soon as it answers'
	expect_line "and in the end" paused 'domain 2 \(g2\) is left out: its module never confirmed that it records'
	echo "took $((took - usual)) more" >took
	expect_line "nobody waited for it" took '^took (-[0-9]+|[0-8]) more$'

	start_recorder during --output "$LAB_OUT/during"
	xl pause g2
	begin=$(now)
	end_recorder INT
	took=$(($(now) - begin))
	xl unpause g2
	expect_status "a guest that is paused at the end is named" 3
	expect_line "with what is missing of it" during 'domain 2: its last packet is recorded up to .* is paused'
	echo "took $((took - usual)) more" >took
	expect_line "nobody waited for its answer" took '^took (-[0-9]+|[0-8]) more$'
	try unpaused strata record --duration 1s --output "$LAB_OUT/unpaused"
	expect_status "and it takes part in the next recording" 0
}

awaited_guest_may_be_missing() {
	try waited strata record --duration 500ms --output /tmp/waited --wait --kernel g9
	expect_status "a guest that was waited for and did not come" 3
	expect_line "is named" waited 'no domain "g9" appeared'
	try pattern strata record --duration 500ms --output /tmp/pattern --kernel 'web*'
	expect_line "a pattern need not match at first" pattern 'no domain "web\*" runs here yet'
}

full_disk_is_waited_for() {
	mkdir -p /tmp/full
	mount -t tmpfs -o size=2m tmpfs /tmp/full
	# Small buffers, that lose something while nothing is written.
	start_recorder room --output /tmp/full/recording --xen-buffer 16Kx4
	await_line room 'writing pauses until there is room'
	sleep 1
	mount -o remount,size=48m /tmp/full
	await_line room 'writing continues'
	sleep 1
	end_recorder INT
	expect_status "a disk that was full is no end" 3
	expect_line "it is said" room 'No space left on device: writing pauses until there is room; make some'
	expect_line "and so is the room" room 'the disk has room again: writing continues'
	expect_line "and what it cost" room 'the disk was full; [0-9]+ of the lost events'
	cp -r /tmp/full/recording "$LAB_OUT/room"
	umount /tmp/full

	mount -t tmpfs -o size=2m tmpfs /tmp/full
	start_recorder full --output /tmp/full/recording
	await_line full 'writing pauses until there is room'
	end_recorder INT
	expect_status "nor is one that stays full" 3
	expect_line "what it cost is counted" full 'the disk was full; [1-9][0-9]* of the lost events'
	cp -r /tmp/full/recording "$LAB_OUT/full"
	umount /tmp/full
}

# What a snapshot has taken out of the rings and the disk has no room for is gone: it has to be said.
crowded_snapshot_says_so() {
	mount -t tmpfs -o size=512k tmpfs /tmp/full
	start_recorder flying --overwrite --output /tmp/flying
	sleep 3
	try crowded strata snapshot --output /tmp/full/snapshot
	expect_status "a snapshot that the disk has no room for" 3
	expect_line "says that something is lost" crowded 'the disk was full, so events were lost'
	end_recorder INT
	umount /tmp/full
}

# A guest can keep xenstored busy; none can keep it busier than it is here.  Meanwhile guests are to be told of other events,
# and to stop.
hanging_xenstored_stops_nobody() {
	xenstored=$(pidof xenstored)
	start_recorder hung --output "$LAB_OUT/hung" --xen-buffer 256Kx16
	kill -STOP "$xenstored"
	strata select --kernel 'g1:sys_enter' >selected 2>&1 &
	await_line selected xenstored 60
	kill -INT "$recorder"
	await_line hung 'recorded [0-9]+ events' 120
	await_line hung 'xenstored does not answer' 30
	expect_line "whoever selects is told what hangs" selected 'xenstored does not answer: kernels record other events as soon as it does'
	expect_line "a recording ends though xenstored hangs" hung 'recorded [0-9]+ events'
	expect_line "and says that guests were not told to stop" hung 'xenstored does not answer: modules that were not told to stop'
	kill -CONT "$xenstored"
	status=0
	wait "$recorder" || status=$?
	log=hung
	expect_status "it is not complete" 3
	try unhung strata record --duration 1s --output "$LAB_OUT/unhung"
	expect_status "all take part in the next one" 0
}

# What a hostile guest can write into its part of xenstore, as often as it likes.
storming_guest_is_bounded() {
	start_recorder storm --output "$LAB_OUT/storm"
	tries=0
	while [ $tries -lt 6000 ] && ! grep -q 'came 32 times' storm; do
		xenstore-write /local/domain/2/data/strata/nonce "$(printf %016x $tries)"
		tries=$((tries + 1))
	done
	sleep 1
	end_recorder INT
	expect_status "a guest that storms is left out" 3
	expect_line "when it has used up its allowance" storm 'domain 2 \(g2\) is left out: its module came 32 times'
	grep -c '(g2)' storm >lines
	expect_line "with few words" lines '^[1-4]?[0-9]$'
}

killed_recorders_make_way
paused_guest_holds_nobody_up
awaited_guest_may_be_missing
full_disk_is_waited_for
crowded_snapshot_says_so
hanging_xenstored_stops_nobody
storming_guest_is_bounded
xl list >domains
expect_no_line "no zombie is left" domains '\(null\)'

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
