# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by tests that run a recorder of applications: $strata is the command, $work where recordings go.

recorder=""
largest_file=unlimited

# begin NAME OPTIONS...: starts a recorder into a directory of that name.  There is one a machine:
# if another test's has just come first, this one waits for it.
begin() {
	local name=$1
	shift
	for _ in $(seq 20); do
		(
			ulimit -f "$largest_file"
			exec "$strata" record --output "$work/$name" "$@" 2>"$work/$name.log"
		) &
		recorder=$!
		for _ in $(seq 800); do
			grep -qs 'strata: recording [0-9]* sources' "$work/$name.log" && return 0
			kill -0 "$recorder" 2>/dev/null || break
			sleep 0.02
		done
		grep -qs 'records already' "$work/$name.log" || break
		sleep 0.5
	done
	sed 's/^/# /' "$work/$name.log"
	return 1
}

# refused PATTERN COMMAND...: it fails, and says why; if another test's recorder is in its way, later.
refused() {
	local pattern=$1 output=
	shift
	for _ in $(seq 20); do
		if output=$("$@" 2>&1); then
			echo "not refused"
			return 1
		fi
		grep -q 'records already' <<<"$output" || break
		sleep 0.5
	done
	printf '%s\n' "$output"
	grep -qE "$pattern" <<<"$output"
}
