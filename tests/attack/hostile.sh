# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034,SC2086 # of common.sh, or for the scripts
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by attack scripts that use tests/attack/hostile.c, after common.sh: runs a hostile program of user mallory beside an
# honest program of the victim.
export STRATA_APP_SOCKET=/run/strata-hostile.sock
attackers=()
attacks=0

# Everything that the script started ends with it.
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	local pid
	for pid in "${attackers[@]}" $recorder; do
		kill -KILL "$pid" 2>/dev/null
	done
}
trap end_all EXIT

# attack WHAT NUMBER [CPUS]: starts it, and waits until it has its connections.
attack() {
	attacks=$((attacks + 1))
	# check runs in a subshell: an attack that was started there had this number, too.
	rm -f "$work/attack-$attacks"
	become "$mallory" $bin/hostile "$STRATA_APP_SOCKET" "$@" >"$work/attack-$attacks" &
	attackers+=($!)
	await attacked "$work/attack-$attacks" $!
}

# attacked OUTPUT PID: it has its connections, or has ended; without having said how many, it says why.
attacked() {
	local status=0
	! grep -qs '^connections' "$1" || return 0
	has_ended "$2" || return 1
	wait "$2" || status=$?
	grep -q '^connections' "$1" || echo "the attack $1 ended with status $status before it had connections" >&2
}

# connections [N]: how many the last attack, or the Nth, came to have.
connections() { sed -n 's/^connections //p' "$work/attack-${1:-$attacks}"; }

# victimise EVENTS MICROSECONDS: runs the honest program in the background, $victim_pid, until a tenth of its events are written.
victimise() {
	rm -f "$(home "$victim")/begun"
	become "$victim" $bin/victim "$1" "$2" "$(home "$victim")/begun" &
	victim_pid=$!
	await test -e "$(home "$victim")/begun"
}

# Waits for the honest program's end.
victim_ends() { await has_ended "$victim_pid"; }

# end_recording: as Ctrl-C does.  Leaves $status.
end_recording() {
	kill -INT "$recorder"
	status=0
	await has_ended "$recorder"
	wait "$recorder" || status=$?
	recorder=""
}

# end_attacks: the hostile programs end.
end_attacks() {
	local pid
	for pid in "${attackers[@]}"; do
		kill -KILL "$pid" 2>/dev/null
		wait "$pid" 2>/dev/null
	done
	attackers=()
}

# steps NAME: events of the honest programs in a recording.
steps() { jq '[.sources[]? | select(. != null and (.name | startswith("app-victim"))) | .streams[].events] | add' "$work/$1/recording.json"; }

# readable_steps NAME: the same, of a recording that is not large, as its reader finds them.
readable_steps() { "$strata" convert --format json "$work/$1" 2>/dev/null | grep -c '"step"'; }

# is ACTUAL WANTED
is() {
	[ "$1" = "$2" ] || {
		echo "# \"$1\", not \"$2\""
		return 1
	}
}

# said NAME PATTERN: by the recorder.
said() { grep -qE "$2" "$work/$1.log"; }
