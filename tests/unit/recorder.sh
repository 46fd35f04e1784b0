# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by tests that run a recorder of applications: $strata is the command, $work the directory for recordings. Tests never
# wait for a fixed time: they wait for an event, however long that takes on a busy machine.

recorder=""
largest_file=unlimited

# How long something may take until it is taken for hanging, here and between programs and their recorder.
limit_s=${RECORDER_LIMIT_S:-300}
export STRATA_APP_WAIT_MS=${limit_s}000

# The number of a CPU that we may use.
one_cpu() { taskset -cp $$ | sed 's/.*: *//; s/[,-].*//'; }

# await COMMAND...: tries until it succeeds.
await() {
	local end=$((SECONDS + limit_s))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || {
			echo "# in $limit_s s this did not come: $*"
			return 1
		}
		sleep 0.02
	done
}

# begin NAME OPTIONS...: starts a recorder into a directory of that name.  If there are as many on the machine as
# there can be, it waits for another test's to end.
begin() {
	local name=$1 end=$((SECONDS + limit_s))
	shift
	while :; do
		# What an earlier recorder of that name said is not taken for this one's word.
		rm -f "$work/$name.log"
		(
			ulimit -f "$largest_file"
			exec "$strata" record --output "$work/$name" "$@" 2>"$work/$name.log"
		) &
		recorder=$!
		await begun_or_ended "$work/$name.log" || break
		grep -qs 'strata: recording [0-9]* sources' "$work/$name.log" && return 0
		if ! grep -qs 'as many as there can be' "$work/$name.log" || [ "$SECONDS" -ge "$end" ]; then
			break
		fi
		sleep 0.2
	done
	sed 's/^/# /' "$work/$name.log"
	return 1
}

# app_socket: the socket of the only recorder: its number is behind the name, if other recorders run on this machine.
app_socket() { echo "$STRATA_APP_SOCKET"*; }

begun_or_ended() { grep -qs 'strata: recording [0-9]* sources' "$1" || has_ended "$recorder"; }

# has_ended PID: also if nobody has waited for it yet.
has_ended() { [ ! -e "/proc/$1" ] || grep -qs '^State:.Z' "/proc/$1/status"; }

# lets_go_of_rings PID: it has no rings that lie in a file in its memory (any more).
lets_go_of_rings() { ! grep -qs '\.ring$' "/proc/$1/maps"; }

# refused PATTERN COMMAND...: it fails, and says why; if another test's recorder is in its way, later.
refused() {
	local pattern=$1 output="" end=$((SECONDS + limit_s))
	shift
	while :; do
		if output=$("$@" 2>&1); then
			echo "not refused"
			return 1
		fi
		! grep -qE "$pattern" <<<"$output" || return 0
		if ! grep -q 'as many as there can be' <<<"$output" || [ "$SECONDS" -ge "$end" ]; then
			break
		fi
		sleep 0.2
	done
	printf '%s\n' "$output"
	return 1
}

# is VALUE WANTED
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; }

# has TEXT WANTED: the text has that part.
has() { grep -qF -- "$2" <<<"$1" || { echo "$1: without: $2"; return 1; }; }

# forever: starts $program so that it writes events without end, and waits until it runs.  $running: its process; $work/last: the
# number of its last event.  forever_by COMMAND...: the same by that command.
forever() { forever_by env; }
forever_by() {
	rm -f "$work/last"
	"$@" "$program" forever 0 "$work/last" &
	running=$!
	await test -s "$work/last"
}
stop_program() {
	kill -KILL "$running"
	wait "$running" 2>/dev/null
	running=""
}
last_number() { od -An -tu8 "$work/last" | tr -d ' '; }
is_past() { [ "$(last_number)" -gt "$1" ]; }
# more_of NUMBER: waits until it has written NUMBER more events.
more_of() { await is_past $(($(last_number) + $1)); }

# plain_numbers DIRECTORY: those of the recorded events "plain", in order.
plain_numbers() { babeltrace2 "$1" 2>/dev/null | sed -n 's/.* plain: .* number = \([0-9]*\).*/\1/p' | sort -n; }

# run_of: "FIRST LAST" of the numbers on standard input, if each is one more than the one before; else what is missing.
run_of() {
	awk '
		NR == 1 { first = $1 }
		NR > 1 && $1 != before + 1 { wrong = wrong " " before ".." $1 }
		{ before = $1 }
		END { print (wrong ? "not" wrong : NR ? first " " before : "none") }'
}

# plain_run DIRECTORY: run_of the numbers of the recorded events "plain".
plain_run() { plain_numbers "$1" | run_of; }
