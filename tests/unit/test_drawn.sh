#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata convert --format perfetto` and `chrome`: slices and flows obey Perfetto's rules (perfetto_rules.py) and equal those of a
# page of `strata timeline`; and instants if events are requested. RAW...: checks only these recordings.
# shellcheck disable=SC2016 # eval expands what is in single quotes
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
strata=$PWD/out/bin/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draws TRACE [OPTION...]: the three forms of it have the same slices.
draws() {
	local trace=$1 form
	shift
	"$strata" timeline --force -o "$work/page" "$@" "$trace" 2>"$work/err"
	for form in perfetto chrome; do
		"$strata" convert --force --format $form -o "$work/$form" "$@" "$trace" 2>"$work/err" || [ $? = 3 ] || {
			cat "$work/err"
			return 1
		}
	done
	python3 tests/unit/perfetto_rules.py "$work/perfetto" "$work/page" "$work/chrome"
}

for raw in "$@"; do
	check "Perfetto's and Chrome's forms of $raw have the slices of its timeline" draws "$raw"
done
[ $# = 0 ] || {
	finish
	exit
}

"$strata" import tests/unit/data/host.xentrace -o "$work/xen" --tsc-khz 2445427 >/dev/null 2>&1
check "a hypervisor's recording" draws "$work/xen"
for kind in whole lossy silent empty hostile; do
	STEPS=5000 python3 tests/unit/make_scheduled.py "$work/$kind" "$kind"
	check "a kernel and an application without a hypervisor, $kind" draws "$work/$kind"
	cp "$work/perfetto" "$work/$kind.perfetto"
done
check "run queues are counters" eval 'python3 tests/unit/perfetto_rules.py "$work/whole.perfetto" | grep -qE " [2-9] counters"'
check "from a time to another" draws "$work/whole" --from +0.5 --to +1.5
"$strata" convert --force --format perfetto -o "$work/lossy.perfetto" "$work/lossy" 2>/dev/null
check "losses are counters, and instants" eval '[ "$(python3 tests/unit/perfetto_rules.py "$work/lossy.perfetto" | sed "s/.* \([0-9]*\) counters/\1/")" -gt \
	"$(python3 tests/unit/perfetto_rules.py "$work/whole.perfetto" | sed "s/.* \([0-9]*\) counters/\1/")" ] &&
	grep -qa "events lost" "$work/lossy.perfetto"'
check "an empty trace has nothing to draw, and that is said" eval '"$strata" convert --force --format perfetto -o "$work/nothing" "$work/empty" 2>&1 |
	grep "nothing to draw: .*--events"'

# A tenth of what an instant for each event takes.
sizes() {
	"$strata" convert --force --format perfetto -o "$work/slices" "$work/whole" &&
		"$strata" convert --force --format perfetto --events -o "$work/instants" "$work/whole" || return 1
	stat -c '%s %n' "$work/slices" "$work/instants"
	[ "$(stat -c %s "$work/slices")" -lt "$(stat -c %s "$work/instants")" ]
}
check "slices take less than instants" sizes
"$strata" stat --json "$work/whole" >"$work/stat" 2>/dev/null
check "--events writes an instant for each event" eval '[ "$(python3 tests/unit/perfetto_events.py "$work/instants" | wc -l)" = "$(jq .events "$work/stat")" ]'
check "so does a selection of events" eval '"$strata" convert --force --format perfetto --event sched_switch -o "$work/some" "$work/whole" &&
	python3 tests/unit/perfetto_events.py "$work/some" | jq -es "length > 100 and all(.[]; .event == \"sched_switch\")"'
check "in Chrome's form, too" eval '"$strata" convert --force --format chrome --event sched_switch -o "$work/some" "$work/whole" &&
	jq -e "[.traceEvents[] | select(.ph == \"i\")] | length > 100 and all(.[]; .name == \"sched_switch\")" "$work/some"'
check "a full disk is told" eval '! "$strata" convert --format perfetto "$work/whole" >/dev/full 2>"$work/err" && grep -q "disk is full" "$work/err"'
finish
