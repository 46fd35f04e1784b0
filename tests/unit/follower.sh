# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by tests that follow a recording in progress: a program of their own name that writes events, and the processes that a check
# leaves behind where it fails. $recorder, $running (a program) and $follower are the processes that run now, or empty.
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
work=$(mktemp -d)
app=followed$$
program=$work/$app
ln -s "$PWD/out/tests/app/program" "$program"
export STRATA_APP_SOCKET=$work/apps.sock
running="" follower=""
trap 'end_all; rm -rf "$work"' EXIT

# end_all: what a check that failed has left behind would be waited for.
end_all() {
	# shellcheck disable=SC2086 # any of them may be none
	[ -z "$recorder$running$follower" ] || kill -9 $recorder $running $follower 2>/dev/null
	wait
	recorder="" running="" follower=""
}

# or_end_all COMMAND...: where it fails, no process is left behind that keeps the next recorder from its work.
or_end_all() {
	"$@" && return 0
	end_all
	return 1
}

end_recorder() {
	kill -INT "$recorder"
	wait "$recorder"
	recorder=""
}

end_running() {
	kill -9 "$running"
	wait "$running" 2>/dev/null
	running=""
}

# The exit status of the one that follows, when it has ended.
follower_status() {
	wait "$follower"
	local status=$?
	follower=""
	return $status
}

# run_programs HOW_MANY EVENTS: one after the other; each writes that many events, and exits.
run_programs() {
	local i
	for ((i = 0; i < $1; i++)); do
		"$program" numbered "$2"
	done
}
