#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata timeline`: its pages, read by an independent reader (timeline_page.py), against `strata report` on the same traces; its
# server; hostile traces and requests; its command line. RAW...: checks only these recordings.
# shellcheck disable=SC2016 # eval expands what is in single quotes
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
timeline() { "$strata" timeline "$@"; }

# agrees STATUS TRACE [OPTION...]: the page is what its format says, and has the slices that the report counts.
agrees() {
	local wanted=$1 trace=$2
	shift 2
	ends "$wanted" /dev/null timeline --force -o "$work/page" "$@" "$trace" || return
	"$strata" report all --json "$@" "$trace" >"$work/report" 2>/dev/null
	python3 tests/unit/timeline_peer.py "$work/page" "$work/report"
}

for raw in "$@"; do
	wanted=0
	"$strata" stat "$raw" >/dev/null 2>&1 || wanted=$?
	check "the timeline of $raw has the slices of its report" agrees "$wanted" "$raw"
done
[ $# = 0 ] || {
	finish
	exit
}

# page EXPRESSION: true of the last page, in Python.
page() {
	python3 -c 'import sys; sys.path.insert(0, "tests/unit")
import timeline_page; page = timeline_page.Page(sys.argv[1]); meta = page.meta; page.check()
kinds = [track["kind"] for track in meta["tracks"]]
assert eval("(%s\n)" % sys.argv[2]), sys.argv[2]' "$work/page" "$1"
}

"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null 2>&1
check "a hypervisor's recording with a loss" agrees 0 "$work/xen"
check "has physical CPUs, vCPUs, VM exits, arrows and the loss" page '{"pcpu", "vcpu", "exits"} <= set(kinds) and
	len(meta["losses"]) == 1 and len(page.arrows()) > 30 and not {"task", "requests"} & set(kinds)'
check "who held whose CPU is told of the waits" page 'any("behind=" in span.detail for span in page.spans()
	if page.tracks[span.track]["kind"] == "vcpu")'
check "all of its arrows go from a vCPU that ran to one that waited" page 'all(arrow.kind == 3 and arrow.length > 0 for arrow in page.arrows())'
check "the result as JSON" reply ".status == 0 and .output == \"$work/as-json\" and .lost == $("$strata" stat --json "$work/xen" | jq .lost)" \
	timeline --json -o "$work/as-json" "$work/xen"
check "a failure likewise" reply '.status == 1 and (.message | test("^timeline: ."))' timeline --json -o "$work/as-json" "$work/xen"
json_served() { ! "$strata" timeline --json --serve "$work/xen" 2>&1 | grep -v 'not for --serve'; }
check "not while it serves" json_served
cp -r "$work/xen" "$work/torn" && truncate -s -70000 "$work/torn/xen/cpu_1"
check "a torn stream" agrees 3 "$work/torn"

for kind in whole lossy gaps mortal silent wakeless empty hostile; do
	python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
	check "a kernel and an application without a hypervisor, $kind" agrees 0 "$work/$kind"
	cp "$work/page" "$work/$kind.page"
done
for kind in whole paused; do
	python3 tests/unit/make_xen_host.py "$work/host.$kind" "$kind"
	check "a hypervisor, two kernels and a guest without a trace, $kind" agrees 0 "$work/host.$kind"
done
check "the details of tasks whose vCPU was paused say it" page 'any(span.detail.startswith("runs=") and "paused=" in span.detail
	for span in page.spans() if page.tracks[span.track]["kind"] == "task" and page.strings[span.name] == "running")'
check "tasks are ordered by how long they ran, while their vCPU did" page '[track["name"] for track in meta["tracks"] if track["kind"] == "task" and
	track["domain"] == "g1"] == [row["task"] for row in sorted(__import__("json").load(open(sys.argv[1][:-4] + "report"))["tasks"],
	key=lambda row: -row["runs_ns"] - row["in_xen_ns"]) if row["source"] == "g1"]'
check "an empty trace has an empty picture, and what to record is said" says 0 'nothing to draw: .*`strata record' \
	timeline --force -o "$work/page" "$work/empty"
check "of which nothing is wrong" page 'meta["tracks"] == [] and len(meta["levels"]) == 1 and meta["facts"]["spans"] == 0'
cp "$work/whole.page" "$work/page"
check "coarser levels are smaller" page '[sum(chunk["spans"] for chunk in level["chunks"]) for level in meta["levels"]] ==
	sorted((sum(chunk["spans"] for chunk in level["chunks"]) for level in meta["levels"]), reverse=True) and len(meta["levels"]) > 2'
check "requests at the same time are side by side" page 'any(track["kind"] == "requests" and track["detail"] == "also" for track in meta["tracks"])'
check "latencies of requests and of waits lead to slices" page 'len(meta["histograms"]) >= 3 and
	sum(bar["count"] for histogram in meta["histograms"] for bar in histogram["bars"]) > 1000'
check "where the time of a request went is told" page 'any("queued=" in span.detail and "key=" in span.detail for span in page.spans())'
# What the page says of the longest request is what `strata why` says.
whys() {
	local key text
	"$strata" why --worst 1 "$work/whole" 2>/dev/null | sed -n '/^1\. /,/^$/p' | sed '1s/^1\. //; /^$/d' >"$work/why"
	key=$(python3 -c 'import sys; sys.path.insert(0, "tests/unit")
import timeline_page; page = timeline_page.Page(sys.argv[1])
length = {(span.track, span.start): span.length for span in page.spans()}
print(max(page.meta["why"], key=lambda key: length[tuple(map(int, key.split(":")))]))' "$work/whole.page")
	text=$(python3 -c 'import sys; sys.path.insert(0, "tests/unit")
import timeline_page; print(timeline_page.Page(sys.argv[1]).meta["why"][sys.argv[2]])' "$work/whole.page" "$key")
	[ -s "$work/why" ] && head -n "$(wc -l <"$work/why")" <<<"$text" | diff "$work/why" - && echo "$key" >"$work/key"
}
check "why the longest request took so long is what strata why says" whys
check "a hundred of them are explained" page 'len(meta["why"]) == 100 and all("took" in text for text in meta["why"].values())'
check "nothing is said of physical CPUs" page '"pcpu" not in kinds and not any("stolen" in span.detail for span in page.spans())'
cp "$work/lossy.page" "$work/page"
check "losses are on tracks, and states around them are unknown" page 'len(meta["losses"]) > 5 and
	any(page.strings[span.name] == "unknown" for span in page.spans())'
cp "$work/hostile.page" "$work/page"
check "no picture has a track or name for each of a million numbers" page 'len(meta["tracks"]) <= 65536 and len(page.strings) <= 65540'

# Names that would end a script, or have a terminal or a browser do something.
hostile_names() {
	cp -r "$work/whole" "$work/names"
	python3 - "$work/names" <<'HOSTILE'
import sys
where = sys.argv[1]
path = where + "/app/metadata"
text = open(path).read().replace("server:work", "server:</script><script>alert(1)</script>\x1b[31m\u202e").replace(
    "server:other", "server:" + "x" * (1 << 20)).replace('"machine"', '"<!--</script>"')
open(path, "w").write(text)
path = where + "/kernel/metadata"
text = open(path).read().replace('"machine"', '"<!--</script>"')
open(path, "w").write(text)
for cpu in "01":
    path = where + "/kernel/channel_" + cpu
    data = open(path, "rb").read().replace(b"task", b"<!--")
    open(path, "wb").write(data)
HOSTILE
	agrees 0 "$work/names"
}
check "names with ends of scripts, control characters, and of a megabyte" hostile_names
check "leave the page as it is" page 'page.elements == timeline_page.Page("'"$work"'/whole.page").elements'
check "are cut, and without control characters" page 'all(len(text) < 300 and text.isprintable() and text.isascii() for text in page.strings +
	[track["name"] for track in meta["tracks"]]) and any("</script>" in text for text in page.strings)'
check "and tasks have them" page 'any(track["name"].startswith("<!--") for track in meta["tracks"] if track["kind"] == "task")'

# Parts.
check "--from and --to cut the picture" timeline --force --from +1 --to +2 -o "$work/page" "$work/whole"
check "which has that part alone" page '0.9e9 < meta["length_ns"] <= 1e9 and int(meta["begin_ns"]) % 1000000000 == 500 and
	any("whole=" in span.detail for span in page.spans())'
check "--domain leaves others out" timeline --force --domain dom0,g* -o "$work/page" "$work/xen"
check "but for physical CPUs, and says how much" page '"pcpu" in kinds and all(track["domain"] in ("", "dom0") or
	track["domain"].startswith("g") for track in meta["tracks"]) and "not asked for" in meta["facts"]["not_shown"]'
check "too many spans are no page, and what to do is said" says 1 'more than 1000 spans.* reach to \+[0-9]+\.[0-9]+ s; choose a part.*--serve' \
	timeline --force --spans 1000 -o "$work/many" "$work/whole"
check "nothing of it is left" eval '[ ! -e "$work/many" ]'
check "a page that is there is not replaced" says 1 'page.*--force' timeline -o "$work/page" "$work/whole"
check "a request by names and a field" eval 'timeline --force --request ask,answered,number -o "$work/page" "$work/whole" &&
	page "\"ask\" in page.strings"'

# The server.
serve() {
	"$strata" timeline --serve "$@" >"$work/address" 2>"$work/err" &
	server=$!
	for _ in $(seq 600); do
		[ ! -s "$work/address" ] || break
		kill -0 "$server" 2>/dev/null || break
		sleep 0.1
	done
	address=$(head -n 1 "$work/address")
	[ -n "$address" ] || cat "$work/err"
	[ -n "$address" ]
}
serve "$work/whole"
"$strata" report all --json "$work/whole" >"$work/report" 2>/dev/null
port=$(sed -E 's#http://127.0.0.1:([0-9]+)/.*#\1#' <<<"$address")
check "--serve prints an address of this machine with a secret in it" eval 'grep -qxE "http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/" <<<"$address"'
check "what it serves has the slices of the report" python3 tests/unit/timeline_peer.py "$address" "$work/report"
check "its page holds no chunks" eval 'python3 -c "import sys; sys.path.insert(0, \"tests/unit\")
import timeline_page; page = timeline_page.Page(\"$address\"); assert list(page.scripts) == [\"strata-meta\"] and page.meta[\"serve\"]"'
check "/meta is the description" eval 'python3 -c "import json, sys, urllib.request
assert json.load(urllib.request.urlopen(\"${address}meta\"))[\"serve\"]"'
"$strata" why --worst 1 "$work/whole" 2>/dev/null >"$work/why"
check "/why says why a request took so long" eval 'python3 -c "import sys, urllib.request
track, start = sys.argv[2].split(\":\")
text = urllib.request.urlopen(\"%swhy?track=%s&at=%s\" % (sys.argv[1], track, start)).read().decode()
assert text.split(\"\\n\")[0] in open(sys.argv[3]).read() and len(text) > 20, text
assert urllib.request.urlopen(sys.argv[1] + \"why?track=1\").read() == b\"\"" "$address" "$(cat "$work/key")" "$work/why"'
check "it listens at 127.0.0.1 alone" eval '[ "$(ss -Hltn "sport = :$port" | awk "{ print \$4 }")" = "127.0.0.1:$port" ]'
check "hostile requests get nothing, and do it no harm" python3 tests/unit/timeline_attack.py "$address"
check "after which it serves as before" python3 tests/unit/timeline_peer.py "$address" "$work/report"
check "another one at its port is refused" says 1 "port $port: .*--port" timeline --serve --port "$port" "$work/whole"
ends() {
	kill -TERM "$server" && wait "$server"
}
# In this shell: its child is waited for.
ends
result $? "a signal ends it, with status 0"
server=

# The command line.
check "without a trace" says 2 'name the traces' timeline -o "$work/page"
check "without a page" says 2 'name a page with -o FILE, or use --serve' timeline "$work/whole"
check "with a page and a server" says 2 'name a page with -o FILE, or use --serve' timeline --serve -o "$work/page" "$work/whole"
check "a port without a server" says 2 '--port is for --serve' timeline --port 80 -o "$work/page" "$work/whole"
check "a port that is none" says 2 '--port is a number' timeline --serve --port 65536 "$work/whole"
check "--spans is a number" says 2 '--spans is a number' timeline --spans many -o "$work/page" "$work/whole"
check "--domain wants patterns" says 2 '--domain is PATTERN' timeline --domain a,,b -o "$work/page" "$work/whole"
check "--request names events that some trace has" says 1 'no trace has an event "nosuch"' \
	timeline --force --request nosuch,nor_this -o "$work/page" "$work/xen"
check "--request wants two events" says 2 '--request is .NAME=.BEGIN,END' timeline --request one -o "$work/page" "$work/whole"
check "a time that is none" says 2 '"yesterday" is not a time' timeline --from yesterday -o "$work/page" "$work/whole"
check "an option that there is not" says 2 'no option of timeline: --colour' timeline --colour -o "$work/page" "$work/whole"
check "--help says how" says 0 '^Usage: strata timeline' timeline --help
check "a trace that is not there" says 1 "$work/nothing" timeline -o "$work/other" "$work/nothing"
check "a directory for the temporary file that is not there" says 1 '/nowhere: .*TMPDIR' env TMPDIR=/nowhere "$strata" timeline --force -o "$work/page" "$work/whole"
finish
