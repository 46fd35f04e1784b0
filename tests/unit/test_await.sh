#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How scripts in dom0 wait (tests/xen/scripts/await.sh): until the event happens, the time is over, or the process or the
# guest is gone. Boots nothing. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/xen/scripts/await.sh
. tests/xen/scripts/await.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# BusyBox has it.
# shellcheck disable=SC2317 # await calls it
usleep() { sleep 0.05; }

# Seconds that command $2... took, and that it returned $1.
took() {
	local wanted=$1 status=0
	shift
	read_uptime
	began=$uptime
	"$@" >"$work/said" || status=$?
	read_uptime
	seconds=$((uptime - began))
	cat "$work/said"
	echo "status $status after $seconds s"
	[ "$status" = "$wanted" ]
}

# Given a line that comes when somebody has begun to wait for it.
comes_later() {
	local writer
	(sleep 1; echo "it is here" >"$work/later") &
	writer=$!
	took 0 await 300 has_lines "$work/later" '^it is' && [ "$seconds" -lt 200 ] && [ ! -s "$work/said" ]
	wait "$writer"
}

by_the_clock() {
	took 1 await 2 false && [ "$seconds" -ge 2 ] && grep -qx 'it did not come: false' "$work/said"
}

# With nobody to wait for it: a zombie has ended, too.
ends_with_its_process() {
	sh -c 'exit 0' &
	took 1 await -p $! 300 false && [ "$seconds" -lt 200 ]
}

# It wrote its line and ended before anybody looked.
last_words_count() {
	first=yes
	# shellcheck disable=SC2317 # await calls it
	seen_at_second_look() {
		[ "$first" = yes ] || return 0
		first=no
		return 1
	}
	sh -c 'exit 0' &
	wait $!
	took 0 await -p $! 300 seen_at_second_look
}

# xl knows no guest: that is half a minute's time to start anew.
ends_with_its_guest() {
	# shellcheck disable=SC2317 # await calls it
	xl() { false; }
	took 1 await -g g1 600 false && [ "$seconds" -ge 30 ] && [ "$seconds" -lt 500 ]
}

as_often_as_asked() {
	printf 'a\nb\na\n' >"$work/lines"
	has_lines "$work/lines" '^a' 2 && ! has_lines "$work/lines" '^a' 3 && ! has_lines "$work/nowhere" a
}

check "what comes is waited for" comes_later
check "what does not come is waited for by the clock, and named" by_the_clock
check "a process that has ended is not waited for" ends_with_its_process
check "but what it said at last counts" last_words_count
check "a guest that is gone is waited for until it had time to start anew" ends_with_its_guest
check "lines are counted" as_often_as_asked
finish
