#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters of `strata view` and `convert` as a user sees them, against the events that jq selects; progress; and `--json` of
# `strata merge --check`.
# shellcheck disable=SC2016 # $ in expressions is no variable of the shell
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

"$work/make_ctf"
"$work/make_ctf" "$work/one" 3 3000 4
check "a recording of the hypervisor's is made" "$strata" import tests/unit/data/host.xentrace -o "$work/raw" --tsc-khz 2445427

# on_terminal COMMAND: what it writes to a terminal.
on_terminal() { script -qec "$1" /dev/null </dev/null; }
# Two that take more than a second after their first byte, because nobody reads: they are looked at below.
"$work/make_ctf" "$work/large" 2 400000 16
on_terminal "$strata view --threads 1 $work/large | (head -c 1 >/dev/null; sleep 1.3; cat >/dev/null)" >"$work/line" &
{ "$strata" view --threads 1 "$work/large" | { head -c 1 >/dev/null && sleep 1.3 && cat >/dev/null; }; } >"$work/nothing" 2>&1 &

# Losses have objects, too, which are no events.
"$strata" convert --format json "$work/one" "$work/raw" 2>/dev/null | grep -v '^{"discarded"' >"$work/all"

# leaves JQ OPTION...: with the options come the events that jq selects of all, some and not all, in all formats and by any
# number of threads.
leaves() {
	local query=$1 nr
	shift
	jq -c "select($query) | [.ns, .event, .fields]" "$work/all" >"$work/wanted"
	nr=$(wc -l <"$work/wanted")
	if [ "$nr" = 0 ] || [ "$nr" = "$(wc -l <"$work/all")" ]; then
		echo "$nr are wanted"
		return 1
	fi
	"$strata" convert --format json --threads 1 "$@" "$work/one" "$work/raw" >"$work/got" 2>/dev/null
	jq -c 'select(.event) | [.ns, .event, .fields]' "$work/got" | cmp - "$work/wanted" || return 1
	"$strata" view --json --threads 3 "$@" "$work/one" "$work/raw" 2>/dev/null | cmp - "$work/got" || return 1
	[ "$("$strata" convert --format count --threads 3 "$@" "$work/one" "$work/raw" 2>/dev/null | cut -d ' ' -f 1)" = "$nr" ] || return 1
	rm -rf "$work/ctf"
	"$strata" convert --format ctf -o "$work/ctf" "$@" "$work/one" "$work/raw" 2>/dev/null
	[ "$(babeltrace2 "$work/ctf" 2>/dev/null | wc -l)" = "$nr" ]
}

check "--layer" leaves '.layer == "xen"' --layer xen
check "--domain by number" leaves '.domain == 0 and .stream_context.domain == 0' --domain 0
check "--domain by name" leaves '.domain == 32767' --domain 'id*'
check "several domains" leaves '.domain == 32767 or .domain == 0' --domain 0 --domain idle
check "several with a comma" leaves '.domain == 32767 or .domain == 0' --domain 0,idle
check "--vcpu" leaves '.vcpu == 0' --vcpu 0
check "--cpu of any trace" leaves '.cpu == 1' --cpu 1
check "physical CPUs are those of the hypervisor" leaves '.pcpu == 1' --filter '$pcpu == 1'
check "--event by patterns" leaves '.event | test("^io_[13]$|^runstate")' --event 'io_[13],runstate*'
check "--source" leaves '.source == "one"' --source one
check "options of two kinds want both" leaves '.cpu == 1 and .event == "io_2"' --cpu 1 --event io_2
check "an expression" leaves '.fields.length? as $l | .event == "io_1" and ($l > 2000 or .fields.kind < 10)' --filter '$event == "io_1" && (length > 2000 || kind < 10)'
check "its negation leaves no event that has no such field" leaves '.fields.length? as $l | $l != null and ($l > 2000 | not)' --filter '!(length > 2000)'
check "contexts and packets" leaves '.packet.cpu_id == 1 and .stream_context.domain == 1' --filter '$ctx.cpu_id == 1 && $ctx.domain == 1'
check "elements" leaves '.fields.result? as $r | $r != null and $r < 3000 and .packet.cpu_id > 0' --filter 'result < 3000' --filter '$cpu > 0'
check "text by a pattern" leaves '(.fields.text? // "") | test("^t.*1$")' --filter 'text == "t*1"'
check "a filter goes with times" test "$("$strata" convert --format count --event io_1 --to +0.0001 "$work/one")" = \
	"$("$strata" convert --format count --filter "\$event == \"io_1\" && \$time < $(($(jq -r .ns "$work/all" | head -n 1) + 100000))" "$work/one")"
check "what no event has is told" says 1 'view: --filter: column 1: no event in these traces has a field lenght' "$strata" view --filter 'lenght > 1' "$work/one"
check "a word that means nothing is named with its column" says 2 'view: --filter: column 8: expected "=="' "$strata" view --filter 'length = 1' "$work/one"
check "a value that an option cannot have" says 2 'convert: --layer needs xen, kernel or app, not "moon"' "$strata" convert --format json --layer moon "$work/one"
check "a file is written without colours" says 1 '' grep -q $'\e' <("$strata" view --to +0.0001 -o /dev/stdout "$work/one")


erased() {
	grep -qE $'^\r[0-9]+ events, [0-9.]+ million a second, [0-9]+ %, [0-9]+:[0-9][0-9] left\e\\[K' "$work/line" &&
		[ "$(tail -c 4 "$work/line")" = $'\r\e[K' ]
}
wait
check "progress is shown on a terminal, in place, and erased" erased
check "not where it goes to none" test ! -s "$work/nothing"
check "nor by what is done in less than a second" test -z "$(on_terminal "$strata convert --format count $work/one >/dev/null")"
finish
