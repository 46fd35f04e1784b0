# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the scripts that run the command: goes to the top of the tree, brings in tap.sh, and has what they check it with.
# $work is removed at the end; $strata is the command.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2034 # for the scripts
strata=$PWD/out/bin/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# says STATUS PATTERN COMMAND...: ends with that status and says something like that, on either output.
says() {
	local wanted=$1 pattern=$2 status=0 output
	shift 2
	output=$("$@" 2>&1 </dev/null) || status=$?
	[ "$status" = "$wanted" ] && grep -qE -- "$pattern" <<<"$output" && return
	printf 'status %s:\n%s\n' "$status" "$output"
	return 1
}

# ends STATUS FILE COMMAND...: ends with that status; its output is in that file, and messages in $work/err.
ends() {
	local wanted=$1 file=$2 status=0
	shift 2
	"$@" >"$file" 2>"$work/err" || status=$?
	[ "$status" = "$wanted" ] && return
	printf 'status %s:\n' "$status"
	cat "$work/err"
	return 1
}
