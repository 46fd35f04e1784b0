#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata stat`, `view`, `convert` and `import` as a user sees them: their output for valid traces, for other files, and
# for wrong command lines.
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

"$work/make_ctf"
"$work/make_ctf" "$work/one" 3 20000 4

check "stat counts" says 0 '^Events:   20000,' "$strata" stat "$work/one"
check "stat names the trace and its clock" says 0 '^  one +3 +20000 .* 0 .* monotonic, 1000.000 MHz' "$strata" stat "$work/one"
"$strata" stat --json "$work/one" >"$work/stat"
check "stat --json counts" jq -e '.events == 20000 and .traces[0].nr_streams == 3 and .traces[0].lost == 0 and (.traces[0].events_by_name | add) == 20000' "$work/stat"

same_count() { [ "$("$strata" convert --format count --threads 1 "$1")" = "$("$strata" convert --format count --threads 3 "$1")" ]; }
check "one thread and three come to the same count and hash" same_count "$work/one"

first=$("$strata" convert --format json "$work/one" | head -n 1 | jq -r .ns)
between() {
	local nr
	nr=$("$strata" convert --format json --from +0.0005 --to +0.001 "$work/one" | jq -r .ns |
		awk -v first="$first" '{ at = substr($1, 11) - substr(first, 11); n++; if (at < 500000 || at >= 1000000) bad = 1 } END { print n; exit bad }') &&
		[ "$nr" -gt 100 ]
}
check "--from and --to leave what is between" between
from_to_are_apart() {
	local a b
	a=$("$strata" convert --format json --to +0.001 "$work/one" | wc -l)
	b=$("$strata" convert --format json --from +0.001 "$work/one" | wc -l)
	[ $((a + b)) = 20000 ] && [ "$a" -gt 0 ] && [ "$b" -gt 0 ]
}
check "what is before a time and what is from it on is everything" from_to_are_apart
check "--event leaves events by name" test "$("$strata" view --event 'io_[13]' "$work/one" | grep -c ' io_[02] ')" = 0
check "--source leaves sources" test "$("$strata" view --source nobody "$work/one" | wc -l)" = 0
check "colours go to no pipe" says 1 '' grep -q $'\e' <("$strata" view --to +0.0001 "$work/one")
check "but where they are asked for" grep -q $'\e' <("$strata" view --color=always --to +0.0001 "$work/one")

check "traces become CTF on one clock" "$strata" convert --format ctf -o "$work/ctf" "$work/one"
counted() { "$strata" convert --format count "$@"; }
same_events() { [ "$(counted "$1")" = "$(counted "$2")" ]; }
check "with the same events" same_events "$work/one" "$work/ctf"
check "which babeltrace2 opens without a word" opens "$work/ctf"
check "a directory that holds something is left alone" says 1 'ctf: is not empty \(use --force, or another -o\)' "$strata" convert --format ctf -o "$work/ctf" "$work/one"
check "CTF is no file" says 1 'name one with -o' "$strata" convert --format ctf "$work/one"
check "or from a time to another" "$strata" convert --format ctf --from +0.0005 --to +0.001 -o "$work/part" "$work/one"
check "with the events in between" test "$(counted "$work/part")" = "$(counted --from +0.0005 --to +0.001 "$work/one")"

compass() { "$strata" convert --format trace-compass "$@"; }
check "Trace Compass's experiment is a directory" says 1 'name one with -o' compass "$work/one"
check "of one recording" says 1 'name one' compass -o "$work/compass" "$work/one" "$work/ctf"
check "and whole" says 1 'omit --from, --to and filters' compass --to +1 -o "$work/compass" "$work/one"
check "a trace of another tracer's is none" says 1 'not a recording' compass -o "$work/compass" "$work/one"

check "a place without a trace is named" says 1 'contains no trace' "$strata" stat "$work/make_ctf"
check "one that is not there, too" says 1 "$work/nothing: No such file" "$strata" stat "$work/nothing"
"$work/make_ctf" "$work/streamless" 2 100 4
find "$work/streamless" -type f ! -name metadata -delete
mkdir "$work/damaged"
echo '{' >"$work/damaged/recording.json"
check "one without its streams, and that they are missing" says 1 'streamless: has metadata, but no stream file.*copy all files' "$strata" view "$work/streamless"
check "where one was damaged, the message says so, and the end refers to it" says 1 'the messages above say why' "$strata" view "$work/damaged"
check "a format that there is not" says 2 'unknown format hieroglyphs' "$strata" convert --format hieroglyphs "$work/one"
check "no trace named" says 2 'name a trace' "$strata" convert --format json
check "a time that is none" says 2 '"yesterday" is not a time' "$strata" view --from yesterday "$work/one"
check "an option that there is not" says 2 'unknown option --frm' "$strata" view --frm 1 "$work/one"
mkdir "$work/two"
printf '\036{"type":"preamble","version":2}' >"$work/two/metadata"
check "CTF 2 is read, and one that says nothing is named" says 1 'two/metadata: fragment 1 .*no data stream class' "$strata" stat "$work/two"
cp -r "$work/one" "$work/torn"
truncate -s 200000 "$work/torn/channel_1"
check "of a torn file the rest is read, and it is said" says 3 'torn/channel_1: byte [0-9]+.*the file ends' "$strata" stat "$work/torn"
check "and becomes CTF that is sound" says 3 'torn/channel_1: byte' "$strata" convert --format ctf -o "$work/mended" "$work/torn"
check "as nobody has to say" says 0 '^Events: ' "$strata" stat "$work/mended"
ln -s .. "$work/one/loop" && ln -s "$work/one" "$work/again"
check "links are followed, and what is there twice is there once" says 0 '^Events:   20000,' "$strata" stat "$work/one" "$work/again"

mkdir "$work/tree" && cp -r "$work/ctf" "$work/tree/own"
ln -s ../tree/own "$work/tree/inside"
check "a link within what was named is nothing new" says 0 '^Events:   20000,' "$strata" stat "$work/tree"
ln -s "$work/one" "$work/tree/outside"
check "a link out of it is not followed, and is said" says 3 'tree/outside: the link leads out of the named paths' "$strata" stat "$work/tree"
rm "$work/tree/outside" && ln -s ../.. "$work/tree/up"
check "nor one that leads back" says 3 'tree/up: the link leads to a directory that contains it' "$strata" stat "$work/tree"
rm "$work/tree/up" && ln -s / "$work/tree/root"
check "nor one to the whole machine" says 3 'tree/root: the link leads ' "$strata" stat "$work/tree"
check "what is there itself is read all the same" test "$("$strata" stat --json "$work/tree" 2>/dev/null | jq '[.events, (.traces | length)] | join(" ")')" = '"20000 1"'
check "merge merges traces of any tracer" says 0 '^Trace: +.*/both/ctf ' "$strata" merge "$work/one" -o "$work/both"
check "into CTF that has all of them" same_events "$work/one" "$work/both/ctf"
check "and text as view shows it" cmp <("$strata" view --color=never "$work/one") "$work/both/timeline.txt"
check "where there is nothing it leaves nothing" bash -c "! '$strata' merge tests -o '$work/nothing' 2>/dev/null && [ ! -e '$work/nothing' ]"
check "--shift is for a recording" says 2 'need a single recording' "$strata" merge --shift x=1 "$work/one" "$work/one" -o "$work/shifted"

# Files of a terabyte that take no room: to read them through would take minutes.
cp -r "$work/one" "$work/sparse" && truncate -s 1T "$work/sparse/channel_1"
check "what was never written of a stream is not read" says 3 'channel_1: .* bytes are left out, up to the end of the file' timeout 100 "$strata" stat "$work/sparse"
check "and what was is" test "$(timeout 100 "$strata" stat --json "$work/sparse" 2>/dev/null | jq .events)" = 20000
cat "$work/one/channel_1" >>"$work/sparse/channel_1"
check "also behind the hole" says 3 'up to the next place where a packet begins' timeout 100 "$strata" stat "$work/sparse"
mkdir "$work/whole"
sed 's/ u64 content_size;//; s/u64 packet_size;//' "$work/one/metadata" >"$work/whole/metadata"
{ head -c 40 "$work/one/channel_1" && tail -c +57 "$work/one/channel_1" | head -c 1000; } >"$work/whole/channel_1"
truncate -s 1T "$work/whole/channel_1"
check "nor is the end of a packet that has no size" says 3 'bytes of the file were never written; they are left out' timeout 100 "$strata" stat "$work/whole"
rm -rf "$work/sparse" "$work/whole"
"$work/make_ctf" "$work/million" 2 1000001 4
check "Chrome's JSON is whole beyond a million events, with advice" says 0 'may fail on this many events: use --format perfetto' "$strata" convert --format chrome --events -o "$work/chrome" "$work/million"
check "each of them is in there" test "$(grep -c '"ph":"i"' "$work/chrome")" = 1000001
check "up to the last bracket" test "$(tail -n 1 "$work/chrome")" = ']}'
rm -rf "$work/million" "$work/chrome"
cp -r "$work/one" "$work/far" && sed -i 's/offset_s = 0;/offset_s = 9999999999;/' "$work/far/metadata"
check "a trace whose clock nobody can read is left out, with a word" says 3 'far: the offset of its clock .* beyond the years 1677 to 2262' "$strata" convert --format ctf -o "$work/near" "$work/far" "$work/one"
check "and babeltrace2 opens the rest" opens "$work/near"
check "which is whole" same_events "$work/one" "$work/near"
check "a file of xentrace's wants a frequency" says 1 '--tsc-khz' "$strata" import tests/unit/data/host.xentrace -o "$work/raw"
check "with it, it becomes a recording" says 0 '^Imported: [1-9][0-9]* events of 2 physical CPUs' "$strata" import tests/unit/data/host.xentrace -o "$work/raw" --tsc-khz 2445427
check "the result as JSON" reply ".status == 0 and .output == \"$work/imported\" and .pcpus == 2 and .tsc_khz == 2445427 and .tsc_error_ppm == 0 and
	.anchor_guessed and .events == $("$strata" stat --json "$work/raw" | jq .events) and .lost >= 0" import --json tests/unit/data/host.xentrace -o "$work/imported" --tsc-khz 2445427
check "a failure likewise" reply '.status == 1 and (.message | test("^import: .*--tsc-khz")) and (has("output") | not)' import --json tests/unit/data/host.xentrace -o "$work/unimported"
check "which stat reads" says 0 '^  xen +2 ' "$strata" stat "$work/raw"
numbered_from_0() { [ "$(sed -n 's/^\tid = \([0-9]*\);/\1/p' "$1/metadata" | tail -n +2 | sort -n)" = "$(seq 0 "$(($2 - 1))")" ]; }
classes=$(grep -c '^event {' "$work/raw/xen/metadata")
check "its events are numbered from 0" numbered_from_0 "$work/raw/xen" "$classes"
check "babeltrace2 reads all of them by these numbers" test "$(babeltrace2 "$work/raw/xen" 2>/dev/null | wc -l)" = "$("$strata" stat --json "$work/raw" | jq .events)"
cp -r "$work/raw" "$work/sparse" && truncate -s 1T "$work/sparse/xen/cpu_1"
check "a recording's hole is not read either" says 3 'bad packet' timeout 100 "$strata" merge "$work/sparse" --format text -o "$work/text"
"$strata" stat --json "$work/raw" >"$work/stat"
check "stat --json sums event classes that share a name" jq -e '.traces[0] | .events > 0 and (.events_by_name | add) == .events' "$work/stat"
check "a recording becomes CTF, of all its sources" "$strata" convert --format ctf -o "$work/xen" "$work/raw"
check "whose events are numbered from 0, too" numbered_from_0 "$work/xen/xen" "$classes"
check "with the same events at the hypervisor's times" same_events "$work/raw" "$work/xen"
# lost TRACE: how many, and the ns within the second up to which, as babeltrace2 says.
lost() { babeltrace2 "$1" 2>&1 >/dev/null | sed -nE 's/.*discarded ([0-9]+) events between .* and \[[0-9:]+\.([0-9]{9})\].*/\1 \2/p'; }
# The readers' last nanosecond is rounded another way.
same_loss() {
	local is as
	read -r -a is < <(lost "$1")
	read -r -a as < <(lost "$2")
	echo "${is[*]} and ${as[*]}"
	[ "${#is[@]}" = 2 ] && [ "${is[0]}" = "${as[0]}" ] && [ $((10#${is[1]} - 10#${as[1]})) -ge -1 ] && [ $((10#${is[1]} - 10#${as[1]})) -le 1 ]
}
check "and the same loss as babeltrace2 sees it" same_loss "$work/xen" "$work/raw"
check "view says how much was lost" says 0 'strata: view: 35 events were discarded in 1 stream; .strata stat. shows where' "$strata" view "$work/raw"
check "and where, and why" says 0 '^\[[0-9:.]+ - [0-9:.]+\] 35 events discarded: buffer full; xen, stream cpu_1, CPU 1' "$strata" view "$work/raw"
check "but not of what is not shown" bash -c "! '$strata' view --cpu 0 '$work/raw' 2>&1 | grep discarded"
check "convert says it of every form" says 0 'strata: convert: 35 events were discarded in 1 stream' "$strata" convert --format ctf -o "$work/xen2" "$work/raw"
check "and merge merges" says 0 '^Merged: +[1-9]' "$strata" merge "$work/raw" -o "$work/merged"
check "with a line for the loss" grep -qE '^\[[0-9:.]+ - [0-9:.]+\] 35 events discarded: buffer full; xen, stream cpu_1, CPU 1$' "$work/merged/timeline.txt"
check "and says how much was lost" says 0 'strata: merge: 35 events were discarded in 1 stream' "$strata" merge "$work/raw" -o "$work/merged" --force
as_merged() {
	"$strata" merge --check --json "$work/raw" >"$work/check" &&
		jq -e --slurpfile merged "$work/merged/summary.json" 'del(.by_causes) == $merged[0] and .events > 0 and (.by_causes.clocks | type) == "array" and (.by_causes.breaches | type) == "array"' "$work/check"
}
check "merge --check --json says what the summary says, and more" as_merged
check "a merge as JSON" reply ".status == 0 and .output == \"$work/merged2\" and .recordings == [$(cat "$work/merged/summary.json")] and
	.events == .recordings[0].events and .lost == .recordings[0].lost" merge --json "$work/raw" -o "$work/merged2"
check "one that fails likewise" reply '.status == 1 and (.message | test("^merge: .*--force"))' merge --json "$work/raw" -o "$work/merged2"
check "also into the recording" reply '.status == 1 and (.message | test("inside the recording"))' merge --json "$work/raw" -o "$work/raw/xen/merged"
check "standard output has one of both" says 2 'json needs -o OUT' "$strata" merge --json "$work/raw" --format text -o -
for format in columns ctf count perfetto trace-compass; do
	check "a conversion to $format as JSON" reply ".status == 0 and .output == \"$work/as-$format\" and .lost == $(jq .lost "$work/merged/summary.json") and
		.events == $(jq .events "$work/merged/summary.json")" convert --json --format "$format" -o "$work/as-$format" "$work/raw"
	check "one that fails likewise" reply '.status == 1 and (.message | test("^convert: ."))' convert --json --format "$format" -o "$work/as-$format" "$work/raw"
done
check "of convert likewise" says 2 'json needs -o OUT' "$strata" convert --json --format json "$work/raw"
check "the merged trace has the same events as the recording" test "$("$strata" stat --json "$work/merged/ctf" | jq .events)" = "$("$strata" stat --json "$work/raw" | jq .events)"
printf 'event e\n\trole snet\n' >"$work/map"
check "a wrong rule for TCP is named" says 1 'map: line 2: a role must be sent, received or none, not snet' "$strata" stat --tcp-map "$work/map" "$work/one"
check "by each verb that reads traces" says 1 'map: line 2' "$strata" view --tcp-map "$work/map" "$work/one"
check "also where they are merged" says 1 'map: line 2' "$strata" merge --tcp-map "$work/map" -o "$work/mapped" "$work/one"
check "which it is not of one recording" says 2 'not for one recording' "$strata" merge --tcp-map "$work/map" -o "$work/mapped" "$work/raw"
check "what is no file of xentrace's is refused" says 1 '' "$strata" import Makefile -o "$work/raw2" --tsc-khz 2445427
finish
