#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts the instructions that an event takes, in the hypervisor beside xentrace and in a kernel beside LTTng's modules, and beside
# the same core under a lock with interrupts off; and what hypercalls and softirqs take more than in a Xen without the series while
# nothing is recorded. Prints lines for run.sh's table. Each is what a loop takes with the recorder less what it takes without. The
# host is emulated: instructions are all that can be told of it.
set -eu
cd "$(dirname "$0")/../../.."

out=out/bench/instructions

# Boots hypervisor $2 with strata.ko $3, and counts in its dom0 what is named on standard input. What comes of it is in $out/$1.
count_on() {
	local dir=$out/$1

	cp $out/strata_count.ko "$dir/"
	cp "$3" "$dir/strata.ko"
	cat >"$dir/variants"
	tests/xen/lab tests/bench/xen/instructions.lab --out "$dir" --limit 900 --xen "$2" </dev/null >"$dir/lab.log" 2>&1 || {
		tail -n 20 "$dir/lab.log" >&2
		return 1
	}
}

# Prints what each loop took with a recorder, less what the same took without: DIR WHAT VARIANT BENCH FOUND. All 20 loops of 20,000
# events have to be in what was recorded.
excess() {
	[ "$5" -ge 400000 ] || {
		echo "bench: $4 $3: $5 of 400000 events were recorded: there are no figures of it" >&2
		return 0
	}
	awk -v what="$2" -v variant="$3" -v bench="$4" '
		$3 == what && $4 == "off" && (!off || $6 < off) { off = $6 }
		$3 == what && $4 == variant { printf "%s %s instructions %.1f\n", bench, variant, $6 - off }
	' "$out/$1/progress.log"
}

# Prints what each call took with the series while nothing was recorded, less what it took without: WHAT BENCH. A loop of 20,000 events
# was of 10,000 calls.
excess_off() {
	awk -v what="$1" -v bench="$2" '
		$3 != what || $4 != "off" { next }
		FILENAME == ARGV[1] { if (!own || $6 < own) own = $6; next }
		!plain || $6 < plain { plain = $6 }
		END { printf "%s strata_off instructions %.1f\n", bench, 2 * (own - plain) }
	' $out/own/progress.log $out/plain/progress.log
}

# How many lines of Strata's recording $1, as text, match $2.
strata_events() {
	: >$out/text
	out/bin/strata merge "$out/$1" --format text --force -o $out/text >/dev/null
	grep -cE "$2" $out/text || true
}

# How many events whose names match $2 are in the counts $1.
counted_events() {
	python3 -c 'import json, re, sys
look = json.load(open(sys.argv[1]))
print(sum(row["count"] for row in look["rows"] if re.fullmatch(sys.argv[2], row["event"])))' "$out/$1" "$2"
}

# How many records of calls of op 17 xentrace wrote to $1. A record's first word says what, how many words follow, and, by its top
# bit, that they begin with two of time.
xentrace_events() {
	od -An -v -w4 -t x4 "$out/$1" | tr -d ' ' | awk '
		!left { event = substr($1, 2); size = index("0123456789abcdef", substr($1, 1, 1)) - 1
			left = size % 8 + (size >= 8 ? 2 : 0); word = 0; next }
		{ left--; if (++word == 3 && event ~ /^020100[df]$/ && $1 ~ /0011$/) found++ }
		END { print found + 0 }'
}

# How many events LTTng's recording $1 has.
lttng_events() {
	babeltrace2 "$out/$1" 2>/dev/null | wc -l
}

rm -rf $out
mkdir -p $out/own $out/locked $out/plain
xen-patch/build.sh >$out/build.log
make --no-print-directory -C guest-kmod >>$out/build.log
tests/bench/xen/build.sh
tests/bench/kernel/build.sh $out locked
mkdir $out/own/lttng
cp -r out/lttng/{bin,lib,share} $out/own/lttng/
echo "bench: a host that counts instructions boots" >&2
printf '%s\n' off strata strata_two strata_aggregate xentrace lttng_modules | count_on own out/xen/xen out/kmod/strata.ko
echo "bench: and one whose recorders take a lock for each event" >&2
printf '%s\n' off strata_locked | count_on locked out/bench/xen-locked/xen/xen $out/strata_locked.ko

echo "bench: and one whose Xen is without the series" >&2
echo off | count_on plain out/bench/xen-plain/xen/xen out/kmod/strata.ko

# A call, which is of op 17, is two events.
xen='pv_hypercall(_return)? .*op=17[( ]'
kernel=' cpu_frequency '
excess own hypercalls strata xen_event_8b "$(strata_events own/hypercalls-strata "$xen")"
# Two recorders of the same events.
excess own hypercalls strata_two xen_event_8b "$(strata_events own/hypercalls-strata_two "$xen")"
# One that counts them, and records none.
excess own hypercalls strata_aggregate xen_event_8b "$(counted_events own/hypercalls-strata_aggregate.json 'pv_hypercall(_return)?')"
excess own hypercalls xentrace xen_event_8b "$(xentrace_events own/hypercalls-xentrace)"
excess locked hypercalls strata_locked xen_event_8b "$(strata_events locked/hypercalls-strata_locked "$xen")"
excess own tracepoint strata kernel_event_8b "$(strata_events own/tracepoint-strata "$kernel")"
excess own tracepoint strata_two kernel_event_8b "$(strata_events own/tracepoint-strata_two "$kernel")"
excess own tracepoint strata_aggregate kernel_event_8b "$(counted_events own/tracepoint-strata_aggregate.json cpu_frequency)"
excess own tracepoint lttng_modules kernel_event_8b "$(lttng_events own/tracepoint-lttng_modules)"
excess locked tracepoint strata_locked kernel_event_8b "$(strata_events locked/tracepoint-strata_locked "$kernel")"
excess_off hypercalls xen_hypercall
excess_off softirqs xen_yield
rm -f $out/text
