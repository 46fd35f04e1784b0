#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the scripts that run in dom0 wait: by the clock, and no longer than the process or the guest lives that they wait for.
# Sourced by them.

# Sets $uptime to whole seconds since dom0 started.
read_uptime() {
	read -r uptime _ </proc/uptime
	uptime=${uptime%.*}
}

# Has process $1 ended? A process that nobody has waited for yet is a zombie.
process_ended() {
	! grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null
}

# Has guest $1 been missing for half a minute? Until then it may be started anew. Asks every 15 s, because xl takes a second of dom0.
guest_ended() {
	read_uptime
	[ "$uptime" -ge $((guest_looked + 15)) ] || return
	guest_looked=$uptime
	! xl domid "$1" >/dev/null 2>&1 || guest_seen=$uptime
	[ "$uptime" -gt $((guest_seen + 30)) ]
}

# await [-p PID | -g GUEST] SECONDS COMMAND...: repeats COMMAND until it succeeds, for SECONDS at the most, and until the
# process or the guest has ended, each $LOOK_US microseconds (a tenth of a second). Returns the last status of COMMAND; says
# what did not come.
await() {
	ended=false
	case $1 in
	-p) ended="process_ended $2" ;;
	-g) ended="guest_ended $2" ;;
	esac
	[ "$ended" = false ] || shift 2
	read_uptime
	guest_looked=$uptime
	guest_seen=$uptime
	give_up=$((uptime + $1))
	shift
	until "$@"; do
		read_uptime
		if [ "$uptime" -ge "$give_up" ] || $ended; then
			# It may have come just before the end.
			"$@" || {
				echo "it did not come: $*"
				return 1
			}
			return
		fi
		usleep "${LOOK_US:-100000}"
	done
}

# Has file $1 $3 lines (default: one) that match pattern $2?
has_lines() {
	lines=$(grep -cE "$2" "$1" 2>/dev/null)
	[ "${lines:-0}" -ge "${3:-1}" ]
}
