#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The pieces of the demo in README.md and docs/demo.md are of one run, and agree with each other; links lead to files.
# Speaks TAP; run by tests/run.sh.
# shellcheck disable=SC2016 # patterns
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# The task that waited is the one that is woken and runs in the excerpt below.
same_task() {
	local tid pids
	tid=$(grep -ohE 'task "sleeper" \(tid [0-9]+\)' README.md docs/demo.md | grep -oE '[0-9]+' | sort -u)
	pids=$(grep -hE '"sleeper"' README.md docs/demo.md | grep -oE '(next_pid|[^_]pid)=[0-9]+' | grep -oE '[0-9]+' | sort -u)
	echo "tid $tid, pids $pids"
	[ -n "$tid" ] && [ "$tid" = "$pids" ]
}

# All calls within the request are of its thread.
same_thread() {
	local tids
	tids=$(sed -n '/request_begin  *\[ comm/,/request_end  *\[ comm/p' docs/demo.md | sed '/struct\|STRATA/d' | head -n 30 |
		sed -n '/dom0\/0/p' | grep -oE 'v?tid=[0-9]+' | grep -oE '[0-9]+' | sort -u)
	echo "tids $tids"
	[ "$(wc -w <<<"$tids")" = 1 ]
}

check "the task that waited is the one in the excerpt" same_task
check "a request and its calls are of one thread" same_thread
check "what the filter prints is said with its number of lines" grep -qE '^The [a-z]+ prints [0-9,]+ lines' docs/reading.md
# Each event's bound is one that the report names.
same_bounds() {
	diff <(grep -oE '±[0-9]+ns' docs/demo.md | grep -oE '[0-9]+' | sort -u) \
		<(grep -oE 'bound of [0-9]+ ns' docs/demo.md | grep -oE '[0-9]+' | sort -u)
}
check "the events have the bounds that the report names" same_bounds
check "a bound is said with what it is of" test "$(grep 'Bound: ' docs/demo.md | grep -cvE 'of (Xen and kernels|applications) ')" = 0

links_lead_to_files() {
	local document link
	for document in README.md docs/*.md xen-patch/README.md; do
		while read -r link; do
			[ -e "$(dirname "$document")/$link" ] || { echo "$document: $link"; return 1; }
		done < <(grep -v '^    ' "$document" | grep -oE '\]\([^)#:]+\)' | sed 's/^](//; s/)$//')
	done
}
check "each link in a document leads to a file" links_lead_to_files
check "the README is short" test "$(wc -l <README.md)" -le 150
finish
