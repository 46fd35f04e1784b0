#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every kind of guest clock on a real Xen: each guest has the intended kind, its events are merged in an order that the checks
# prove, with a stated bound; and the checks fail if a clock's error exceeds the bound. A guest that sets its clock in a loop
# ruins its own trace only. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/clocks
MERGED=$OUT/merged
STORM=$OUT/storm-merged

summary() {
	jq -c '.clock, .streams' "$MERGED/summary.json"
	jq -e "$1" "$MERGED/summary.json" >/dev/null
}

# A clock of this kind was recorded of guest $1: the fields of Xen's record match $2.
clock_recorded() {
	grep 'strata_vcpu_clock' "$MERGED/timeline.txt" | grep -E "of_domain=[0-9]+\($1\) .*$2"
}

# All of a source's streams are as filter $2 says.
all_of() {
	summary "[.streams[] | select(.source == \"$1\")] | length > 0 and all(.events > 100 and $2)"
}

# violations SOURCE TICKS: how many there are of both kinds when that source's clock is shifted.
violations() {
	out/bin/strata merge "$OUT/raw" -o "$OUT/shifted" --force --shift "$1=$2" >/dev/null 2>&1
	jq '.clock.violations + .clock.guest_mode.violations' "$OUT/shifted/summary.json"
}

# A shift of source $1 by its smallest slack is not seen, one by its bound and a vCPU's longest turn is; to both sides.
shift_is_seen() {
	local slack far side

	for side in before:- after:+; do
		slack=$(jq "[.clock.slack_${side%:*}_ticks, .clock.guest_mode.slack_${side%:*}_ticks] | map(values) | min" \
			"$MERGED/summary.json")
		far=$(jq ".clock.tsc_khz * 60 + ([.streams[] | select(.source == \"$1\") | .bound_ns] | max) \
			* .clock.tsc_khz / 1000000 | floor" "$MERGED/summary.json")
		echo "$1: slack $slack, far $far: $(violations "$1" "${side#*:}$slack"), $(violations "$1" "${side#*:}$far")"
		[ "$(violations "$1" "${side#*:}$slack")" = 0 ] || return 1
		[ "$(violations "$1" "${side#*:}$far")" -gt 0 ] || return 1
	done
}

# What dom0 did before the attack, in the ring of the attacked CPU, is in the snapshot.
storm_marker() {
	grep -E ' dom0/.* domain_pause ' "$STORM/timeline.txt"
}

# shellcheck disable=SC2016 # what is not expanded is awk's
attackers_maps() {
	columns "$STORM/timeline.txt" '/strata_vcpu_clock .*of_domain=[0-9]+\(offset\)/ { printf "%.9f %s\n", seconds, $0 }'
}

# Five in a window of 50 ms; and those of the start and of the snapshot, and windows that are cut.
maps_are_bounded() {
	attackers_maps | awk '{ last = $1; if (!n++) first = $1 }
		END { most = 5 * ((last - first) / 0.05 + 2) + 2; print n, "maps in", last - first, "s, at most", most; exit !n || n > most }'
}

# Changes were left out and counted, and then the newest map was recorded.
what_is_left_out_is_said() {
	attackers_maps | grep -c 'incomplete=1' && attackers_maps | grep 'incomplete=0 suppressed=[1-9]' | tail -n 1 &&
		attackers_maps | tail -n 1 | grep 'incomplete=0'
}

# Of the attacker no time is sure; of the other guest each, and the bound of all is not the attacker's.
only_the_attackers_times_are_unsure() {
	jq -c '.clock.bound_ns, (.streams[] | [.source, .events, .unsure])' "$STORM/summary.json"
	jq -e '[.streams[] | select(.source == "offset")] | length > 0 and all(.unsure > 0 and .unsure == .events)' "$STORM/summary.json" &&
		jq -e '[.streams[] | select(.source == "pvhemul")] | length > 0 and all(.events > 0 and .unsure == 0)' "$STORM/summary.json" &&
		jq -e '.clock.bound_ns < 1000000000' "$STORM/summary.json"
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/clocks.lab" "$OUT"
check "the recording merges, no violation" merged_cleanly "$OUT/raw" "$MERGED"
check "nothing was lost or left out" summary '.lost == 0 and .left_out_sources == 0 and .clamped_times == 0'
check "every event's clock was recorded" summary '.clock.assumed_clocks == 0'
check "offset: Xen recorded an offset, natively" clock_recorded offset 'tsc_mode=2[^ ]* emulated=0 .*is_hvm=1 '
check "pvemul: Xen recorded an emulated PV counter" clock_recorded pvemul 'tsc_mode=1[^ ]* emulated=1 .*is_hvm=0 '
check "pvhemul: Xen recorded an emulated PVH counter" clock_recorded pvhemul 'tsc_mode=1[^ ]* emulated=1 .*is_hvm=1 '
check "dom0: the host's counter, exact to a tick" all_of dom0 '.clock == "host" and .bound_ns == 1'
# Next to a step that falls between the starts, or the ends, of both recorders, no event shows on which side it lies.
check "offset: set four times or more, and exact to a tick" all_of offset \
	'.clock == "offset" and .clock_changes >= 4 and .firm_bound_ns == 1 and .doubtful * 10 < .events'
check "pvhemul: emulated, with a bound" all_of pvhemul '.clock == "emulated" and .bound_ns > 1'
check "pvemul: emulated, with a bound" all_of pvemul '.clock == "emulated" and .bound_ns > 1'
check "the PVH guests' events agree with VM entries and exits" summary \
	'.clock.guest_mode.checks > 1000 and .clock.guest_mode.violations == 0'
check "the skew of the physical CPUs was measured" summary \
	'.clock.unmeasured_pcpus == 0 and .clock.skew_ticks > 0 and .clock.skew_ns < 1000000'
check "and belongs to the bound" summary \
	'.clock.bound_ns >= .clock.skew_ns and .clock.bound_ns >= ([.streams[].bound_ns // 0] | max)'
for source in dom0 offset pvhemul pvemul; do
	check "$source: a shift within the slack holds, a far one fails" shift_is_seen "$source"
done
check "a guest sets its counter in a loop: its recording merges, no violation" merged_cleanly "$OUT/storm" "$STORM"
check "what others did before is still in the flight recorder" storm_marker
check "the attacker's clock maps are bounded" maps_are_bounded
check "what was left out is said, and the newest map recorded" what_is_left_out_is_said
check "no time of the attacker is sure, and each of the other guest" only_the_attackers_times_are_unsure
check "babeltrace2 opens the timeline without a warning" opens "$MERGED/ctf"
check "it becomes an experiment for Trace Compass" out/bin/strata convert --format trace-compass -o "$OUT/compass" "$OUT/raw"
check "in which the virtual machine analysis knows each vCPU" python3 tests/unit/trace_compass_rules.py "$OUT/compass"
finish
