#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata merge`, `view`, `stat` and `convert` share one engine: for the same recording, sound or damaged, they report the same
# events in the same order with the same times, bounds, losses, damage and exit status. RAW...: checks only these recordings;
# test_merged_ctf.c passes one of all layers, sound and damaged.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
strata=$PWD/out/bin/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# read_all RAW: what each verb makes of it, in $work; their statuses in $work/status.
read_all() {
	rm -rf "$work"/merged "$work"/ctf "$work"/status
	"$strata" merge "$1" -o "$work/merged" >/dev/null 2>"$work/merge.err"
	echo $? >>"$work/status"
	"$strata" view --json "$1" >"$work/view" 2>"$work/view.err"
	echo $? >>"$work/status"
	"$strata" stat --json "$1" >"$work/stat" 2>"$work/stat.err"
	echo $? >>"$work/status"
	"$strata" convert --format ctf -o "$work/ctf" "$1" 2>"$work/convert.err"
	echo $? >>"$work/status"
	grep -v '"discarded":' "$work/view" >"$work/events"
}

one_status() {
	paste -s -d ' ' "$work/status"
	[ "$(sort -u "$work/status")" = "$1" ]
}

# The same lines of text: of the recording, of its merge's text and CTF, and of its conversion's CTF; and the same objects of JSON.
same_events() {
	"$strata" view --color=never "$1" >"$work/view.text" 2>/dev/null
	"$strata" view --color=never "$work/merged/ctf" >"$work/merged.text" 2>/dev/null
	"$strata" view --color=never "$work/ctf" >"$work/ctf.text" 2>/dev/null
	"$strata" view --json "$work/merged/ctf" 2>/dev/null | grep -v '"discarded":' >"$work/merged.events"
	cmp "$work/view.text" "$work/merged/timeline.txt" && cmp "$work/view.text" "$work/merged.text" &&
		cmp "$work/view.text" "$work/ctf.text" && cmp "$work/events" "$work/merged.events" && [ -s "$work/events" ]
}

same_number() {
	local nr
	nr=$(wc -l <"$work/events")
	echo "$nr, $(jq .events "$work/merged/summary.json"), $(jq .events "$work/stat")"
	[ "$nr" = "$(jq .events "$work/merged/summary.json")" ] && [ "$nr" = "$(jq .events "$work/stat")" ] &&
		[ "$nr" = "$(babeltrace2 "$work/merged/ctf" 2>/dev/null | wc -l)" ] &&
		[ "$nr" = "$(babeltrace2 "$work/ctf" 2>/dev/null | wc -l)" ]
}

# The same keys with the same figures: of the merge, of its check, of stat, and of stat's traces together.
same_figures() {
	local keys='{events, first_ns, last_ns, lost, packets, missing_packets, bad_packets, left_out_bytes, clamped_times, wild_times}'
	# shellcheck disable=SC2016 # what is not expanded is jq's
	local sums='[.traces[] | {events, lost, packets, missing_packets, left_out_bytes, clamped_times, wild_times}]
		| reduce .[] as $one ({}; reduce ($one | keys[]) as $key (.; .[$key] += $one[$key]))'
	jq -c "$keys" "$work/merged/summary.json"
	cmp <(jq -S "$keys" "$work/merged/summary.json") <(jq -S "$keys" "$work/stat") &&
		cmp <(jq -S "$keys" "$work/merged/summary.json") <("$strata" merge --check --json "$1" 2>/dev/null | jq -S "$keys") &&
		cmp <(jq -S "$sums" "$work/stat") <(jq -S "$keys | del(.first_ns, .last_ns, .bad_packets)" "$work/stat") &&
		jq -e "$keys | all(type == \"number\")" "$work/merged/summary.json"
}

# A source has one name, with the same events and losses: in the merge's summary, in stat, and in what is shown of each event.
same_sources() {
	local by='group_by(.source) | map({source: .[0].source, events: (map(.events) | add), lost: (map(.lost) | add)})'
	cmp <(jq -S ".streams | $by" "$work/merged/summary.json") <(jq -S ".traces | $by" "$work/stat") &&
		cmp <(jq -S '[.traces[] | select(.events > 0) | {source, events}] | sort_by(.source)' "$work/stat") \
			<(jq -S -s 'group_by(.source) | map({source: .[0].source, events: length})' "$work/events")
}

# Of Xen and kernels, where all clocks are known: the largest of all bounds that are shown.
same_bound() {
	local shown said
	shown=$(jq -s '[.[] | select(.layer != "app") | .bound_ns // empty] | max' "$work/events")
	said=$(jq .clock.bound_ns "$work/merged/summary.json")
	echo "view: $shown, merge: $said"
	[ "$said" = null ] || [ "$shown" = "$said" ]
}

# Of each recording stat says what its merge has in summary.json.
same_summary() {
	jq -S . "$work/merged/summary.json" | cmp - <(jq -S '.recordings[0]' "$work/stat")
}

# complaints VERB RAW: what a verb says of places in the recording.
complaints() {
	grep -F "$2/" "$work/$1.err" | sed "s/^strata: \($1: \)\?//" | sort
}

same_complaints() {
	cmp <(complaints merge "$1") <(complaints view "$1") &&
		cmp <(complaints view "$1") <(complaints stat "$1") &&
		cmp <(complaints view "$1") <(complaints convert "$1")
}

# guest_has_one_name RAW CTF: domain 1, a guest whose kernel recorded no event, has the same name in columns, filters, reports and
# Trace Compass's form, of a recording and of its merge.
guest_has_one_name() {
	local trace name nr wanted
	wanted=$("$strata" view --json --domain 1 "$1" 2>/dev/null | grep -c '"event":')
	[ "$wanted" -gt 0 ] || return 1
	for trace in "$1" "$2"; do
		name=$("$strata" view --color=never --domain 1 "$trace" 2>/dev/null | awk '$9 == "vm_entry" { print $8 }' | sort -u)
		nr=$("$strata" view --json --domain quiet "$trace" 2>/dev/null | grep -c '"event":')
		echo "$trace: columns $name; --domain quiet has $nr events, --domain 1 has $wanted"
		[ "$name" = quiet/0 ] && [ "$nr" = "$wanted" ] || return 1
		"$strata" report steal --json "$trace" 2>/dev/null | jq -e 'any(.. | strings; . == "quiet/0")' >/dev/null || return 1
	done
	"$strata" convert --format trace-compass -o "$work/compass" "$1" >/dev/null 2>&1
	babeltrace2 "$work/compass" 2>/dev/null | grep -q 'next_comm = "quiet/0"'
}

# agree NAME RAW STATUS
agree() {
	read_all "$2"
	check "$1: one exit status" one_status "$3"
	check "$1: as many events, also for babeltrace2" same_number
	check "$1: the same events, in the same order, with the same times, bounds and places" same_events "$2"
	check "$1: the same figures under the same keys" same_figures "$2"
	check "$1: the same names of sources" same_sources
	check "$1: the same summary" same_summary
	check "$1: the same bound" same_bound
	check "$1: the same complaints" same_complaints "$2"
}

# both_agree RAW OTHER STATUS: they are one timeline, whoever reads them.
both_agree() {
	local status=0
	rm -rf "$work/both" "$work/status"
	"$strata" merge "$1" "$2" -o "$work/both" >/dev/null 2>&1
	echo $? >>"$work/status"
	"$strata" view --color=never "$1" "$2" >"$work/view.text" 2>/dev/null || status=$?
	echo $status >>"$work/status"
	"$strata" stat "$1" "$2" >/dev/null 2>&1
	echo $? >>"$work/status"
	"$strata" view --color=never "$work/both/ctf" >"$work/merged.text" 2>/dev/null
	one_status "$3" && cmp "$work/view.text" "$work/both/timeline.txt" && cmp "$work/view.text" "$work/merged.text" &&
		[ "$(wc -l <"$work/view.text")" -gt 20000 ]
}
# Recordings that are named on the command line: of a test of another kind, or of a lab's.
for raw in "$@"; do
	wanted=0
	"$strata" stat "$raw" >/dev/null 2>&1 || wanted=$?
	agree "$raw" "$raw" $wanted
done
[ $# = 0 ] || {
	finish
	exit
}

"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null
agree "a host of xentrace's" "$work/xen" 0

cp -r "$work/xen" "$work/quiet"
jq '.sources += [.sources[0] + {name: "quiet", layer: "kernel", domain: 1, domain_name: "quiet",
	uuid: "00000000-0000-0000-0000-000000000001", streams: [], events: []} | del(.vm_exits)]' \
	"$work/xen/recording.json" >"$work/quiet/recording.json"
agree "a guest without kernel events" "$work/quiet" 0
check "a guest without kernel events has one name everywhere" guest_has_one_name "$work/quiet" "$work/merged/ctf"

cp -r "$work/xen" "$work/torn"
truncate -s -70000 "$work/torn/xen/cpu_1"
agree "a torn stream" "$work/torn" 3

cp -r "$work/xen" "$work/bad"
printf '\377\377\377\177' | dd of="$work/bad/xen/cpu_0" bs=1 seek=30000 conv=notrunc status=none
agree "a stream with a bad place" "$work/bad" 3

cp -r "$work/xen" "$work/missing"
rm "$work/missing/xen/cpu_1"
agree "a stream that is missing" "$work/missing" 3

cp -r "$work/xen" "$work/link"
mv "$work/link/xen/cpu_1" "$work/elsewhere" && ln -s "$work/elsewhere" "$work/link/xen/cpu_1"
agree "a link in place of a stream" "$work/link" 3

# Neither's clock is tied to the other's, which is told.
check "a maker of traces is built" gcc -O2 -Wall -Wextra -Werror tests/bench/make_ctf.c -o "$work/make_ctf"
"$work/make_ctf" "$work/other" 3 20000 4 >/dev/null
check "a recording and another's trace: one timeline, one exit status" both_agree "$work/xen" "$work/other" 3
check "a damaged recording and another's trace likewise" both_agree "$work/bad" "$work/other" 3
finish
