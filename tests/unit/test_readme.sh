#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The parts of the demo in README.md and docs/demo.md are from one run, and agree with each other; the cookbook has the
# cases of the gallery; links lead to files. Speaks TAP; run by tests/run.sh.
# shellcheck disable=SC2016 # patterns
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# The thread whose request is taken to pieces is the one that is woken and runs in the excerpt below.
same_task() {
	local tid pids
	tid=$(grep -ohE '^ +1\. ask [0-9]+ of g1' docs/demo.md | grep -oE '[0-9]+ of' | grep -oE '[0-9]+')
	pids=$({
		grep -hE '="ask"' docs/demo.md | grep -oE '(next_pid|[^_]pid)=[0-9]+'
		grep -hE ' probe_evtchn_ioctl +\[' docs/demo.md | grep -oE 'tid=[0-9]+'
	} | grep -oE '[0-9]+$' | sort -u)
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

check "the task that asked is the one in the excerpt" same_task
check "a request and its calls are of one thread" same_thread
check "what the filter prints is said with its number of lines" grep -qE '^The [a-z]+ prints [0-9,]+ lines' docs/reading.md
# What the answer says of clocks is the bound of the events of Xen and kernels.
same_bounds() {
	diff <(grep -E ' (xen|kernel) ' docs/demo.md | grep -oE '±[0-9]+ns' | grep -oE '[0-9]+' | sort -u) \
		<(grep -oE 'accurate to [0-9]+ ns' docs/demo.md | grep -oE '[0-9]+' | sort -u)
}
check "the events have the bound that the answer names" same_bounds

# The README shows the beginning of the same answer.
same_answer() {
	diff <(sed -n "/^    Why were g1/,/^    All /p" README.md) <(sed -n "/^    Why were g1/,/^    All /p" docs/demo.md) &&
		grep -q '^    All ' README.md
}
check "the README shows what the demo prints" same_answer

links_lead_to_files() {
	local document link
	for document in README.md docs/*.md xen-patch/README.md; do
		while read -r link; do
			[ -e "$(dirname "$document")/$link" ] || { echo "$document: $link"; return 1; }
		done < <(grep -v '^    ' "$document" | grep -oE '\]\([^)#:]+\)' | sed 's/^](//; s/)$//')
	done
}
check "each link in a document leads to a file" links_lead_to_files
# Each case of the gallery has its section in the cookbook, with its question and its command.
cookbook_has_the_gallery() {
	local file heading
	for file in tests/xen/gallery/*.sh; do
		(
			# shellcheck source=tests/xen/gallery/steal.sh
			. "$file"
			heading="## ${title^}"
			grep -qxF "$heading" docs/cookbook.md && grep -qxF "$question" docs/cookbook.md &&
				grep -qF "    strata $command /tmp/" docs/cookbook.md || { echo "$file: $heading"; exit 1; }
		) || return 1
	done
}
check "the cookbook has each case of the gallery" cookbook_has_the_gallery
check "the README is short" test "$(wc -l <README.md)" -le 150
finish
