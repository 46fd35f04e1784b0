#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder in the background, and guests that obey: sourced by scripts that run in dom0, after expect.sh. Guests have to run
# a shell on their console (workload="sh </dev/console").

# shellcheck source=tests/xen/scripts/await.sh
. "${0%/*}/await.sh"
# shellcheck source=tests/xen/scripts/stuck.sh
. "${0%/*}/stuck.sh"

# Runs a command; its output goes to file $1, its status to $status.
try() {
	log=$1
	shift
	status=0
	"$@" >"$log" 2>&1 || status=$?
}

# refuses KERNEL OPTION: for each line of standard input, "PROBE MESSAGE", the kernel's module refuses that probe with that message.
# Commas in PROBE stand for spaces.
refuses() {
	while read -r probe message; do
		try refused strata record --output /tmp/refused --force --duration 100ms --xen none --kernel "$1:none" \
			"--$2" "$1:refused=$(echo "$probe" | tr , ' ')"
		expect_line "$probe is refused" refused "module refuses $2 .*: $message"
	done
}

# Checks the status of the last try(), or of the recorder whose $log it was.
expect_status() {
	if [ "$status" = "$2" ]; then
		passed "$1"
	else
		missed "$1" "status $status, not $2" "$log"
	fi
}

# Waits for a line of file $1 that matches pattern $2, as long as the recorder runs and for $3 seconds (default: 600) at the most.
await_line() {
	await -p "$recorder" "${3:-600}" has_lines "$1" "$2"
}

# Starts a recorder with the other arguments; it is $recorder, its messages go to file $1. Waits until it records.
start_recorder() {
	log=$1
	shift
	strata record "$@" >"$log" 2>&1 &
	recorder=$!
	await_line "$log" "recording .* sources into" 200
}

# Ends the recorder with signal $1; its status goes to $status.
end_recorder() {
	kill "-$1" "$recorder"
	status=0
	wait "$recorder" || status=$?
}

# Ends recorder $2, which wrote its messages to $1: it lost nothing.
end_whole() {
	recorder=$2
	end_recorder INT
	log=$1
	expect_status "$1 ends well" 0
	expect_line "$1 lost nothing" "$1" 'recorded [1-9][0-9]* events .*, 0 lost'
	expect_no_line "$1 left nothing out" "$1" 'left out|refused|does not answer'
}

# expect_events NAME RECORDING EVENT NUMBER: the recording has so many of that event.
expect_events() {
	strata view "$2" >viewed 2>viewed.errors
	if [ "$(grep -c " $3 " viewed)" = "$4" ]; then
		passed "$1"
	else
		missed "$1" "$(grep -c " $3 " viewed) events, not $4" viewed.errors
	fi
}

# show_silent FILE: what the guests do whose modules did not confirm that they stopped, by the messages in FILE.
show_silent() {
	sed -nE 's/^strata: domain ([0-9]+): .*did not confirm in time.*/\1/p' "$1" | while read -r domain; do
		show_stuck "$(xl domname "$domain")"
	done
}

# Ends a long recording whose messages are in life, which nobody may be missing from, and the script.
end_life() {
	end_recorder INT
	log=life
	show_silent life
	expect_status "all that was there was recorded" 0
	expect_no_line "nobody was left out" life 'left out|polled|not recorded|freed'
	cp life "$LAB_OUT/life.log"

	xl list >domains
	expect_no_line "no zombie is left" domains '\(null\)'
	dmesg >"$LAB_OUT/dom0-dmesg"
	xl dmesg >"$LAB_OUT/xl-dmesg"
	end_checks
}

# Waits for line $2 on the console of guest $1, for the $3rd time, 250 s at the most; then shows what the guest does instead, and
# fails.
await_console() {
	await -g "$1" 250 has_lines "$LAB_OUT/guest-$1.log" "$2" "${3:-1}" || {
		show_stuck "$1"
		return 1
	}
}

# Types command $2 on the console of guest $1.
tell() {
	echo "$2" >"$(xenstore-read "/local/domain/$(xl domid "$1")/console/tty")"
}

# Has guest $1 make 100 marked calls of phase $2, on the CPUs of mask $3.
mark() {
	tell "$1" "taskset ${3:-3} marked 100 $2"
	await_console "$1" "^marked: phase $2 done"
}

has_no_zombie() {
	xl list >domains
	! grep -q '(null)' domains
}

# Checks that no domain is left over, or none soon: one whose pages are mapped stays, and is called (null).
expect_no_zombie() {
	await 200 has_no_zombie
	# Of that look: a domain that is being destroyed just then is one for a moment.
	expect_no_line "$1 leaves no zombie" domains '\(null\)'
}

# Saves guest $1, which is a $2 guest, and restores it, while a recorder writes its messages to life; it makes the marked calls of
# phase $3 then.
save_and_restore() {
	echo "a $2 guest is saved and restored"
	try "save-$1" xl save "$1" /tmp/saved
	expect_status "a $2 guest is saved while it is recorded" 0
	expect_no_zombie "a saved $2 guest"
	await_line life "domain [0-9]+ \\($1\\) goes: domain suspended\$"
	expect_line "a $2 guest that is saved goes" life "domain [0-9]+ \\($1\\) goes: domain suspended\$"
	try "restore-$1" xl restore /tmp/saved
	expect_status "it is restored" 0
	mark "$1" "$3" 1
	expect_line "and takes part again" life "domain [0-9]+ \\($1\\) is recorded from now on, as $1-[0-9]+\$"
	rm /tmp/saved
}
