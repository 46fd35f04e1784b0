#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which two sessions and a flight recorder record all layers at once, while stratad and a consumer are killed and a
# guest is destroyed, and checks what each recorded. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/sessions

rm -rf "$OUT"
mkdir -p "$OUT"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Itests tests/unit/app/program.c out/lib/libstrata.a -lpthread -ldl -o "$OUT/program" || exit
boot "$here/sessions.lab" "$OUT"

# whole DIRECTORY: the numbers of the program's events are each one more than the one before, and there are some.
whole() {
	babeltrace2 "$1"/recording-*/app-program* | sed -n 's/.* plain: .* number = \([0-9]*\).*/\1/p' | sort -n | awk '
		NR > 1 && $1 != before + 1 { print before " is followed by " $1; wrong = 1 }
		{ before = $1 }
		END { print NR " events"; exit wrong || NR < 100 }'
}
layers() { jq -r '[.sources[].layer] | unique | join(" ")' "$1/recording.json"; }
has_layers() {
	local found
	found=$(layers "$1")
	[ "$found" = "$2" ] || { echo "$found, not $2"; return 1; }
}

check "the application's events are whole, over stratad's death" whole "$OUT/web"
mapfile -t snapshots < <(find "$OUT/flight" -mindepth 1 -maxdepth 1 -name 'snapshot-*' | sort -V)
check "the flight recorder's snapshot has the hypervisor and kernels" has_layers "${snapshots[0]}" "kernel xen"
check "what a killed consumer had recorded has its guest, and the clocks" has_layers "$OUT/guests-recovered" "kernel xen"
# filtered: the guest's kernel has left out what its filter does not match.
filtered() {
	local of
	of=$(babeltrace2 "$OUT/guests-recovered" | sed -n 's/.* sched_wakeup: .* comm = "\([^"]*\)".*/\1/p' | sort | uniq -c)
	echo "$of"
	[ "$(awk '{ print $2 }' <<<"$of")" = sleeper ]
}
check "a filter of a session holds in the kernel" filtered
mapfile -t parts < <(find "$OUT/web" -mindepth 1 -maxdepth 1 -name 'recording-*' | sort -V | head -n 3)
for i in 0 1 2; do
	check "part $i of it has all layers" has_layers "${parts[i]}" "app kernel xen"
	check "part $i merges, no violation" merged_cleanly "${parts[i]}" "$OUT/web-merged-$i"
done
# in_order: in the timeline of all parts the program's numbers are in order.
in_order() {
	out/bin/strata view "${parts[@]}" | sed -n 's/.* plain .* number=\([0-9]*\)$/\1/p' | awk '
		NR > 1 && $1 != before + 1 { print before " is followed by " $1; wrong = 1 }
		{ before = $1 }
		END { print NR " events"; exit wrong || NR < 100 }'
}
check "the parts are one timeline" in_order
check "the snapshot merges, no violation" merged_cleanly "${snapshots[0]}" "$OUT/snapshot-merged"
check "so does that of the trigger" merged_cleanly "${snapshots[1]}" "$OUT/trigger-merged"
# The recordings of two channels: the first one before the rotation, the other after it.
mapfile -t both < <(find "$OUT/channels" -mindepth 1 -maxdepth 1 -name 'recording-*' | sort -V)
check "the recordings of two channels are two directories" test "${#both[@]}" = 2
# merged_both DIRECTORY OUT: merges the recordings of both channels, with no violation in any.
merged_both() {
	out/bin/strata merge --json "$1" -o "$2" | jq -e '(.recordings | length) == 2 and ([.recordings[].clock.violations] | add) == 0'
}
for i in 0 1; do
	check "directory $i has the hypervisor in one channel" has_layers "${both[i]}/channel0" xen
	check "and the guest, too, in the other" has_layers "${both[i]}/rare" "kernel xen"
	check "both merge, no violation" merged_both "${both[i]}" "$OUT/channels-merged-$i"
done
# lost CHANNEL: events that it has lost in both recordings.
lost() { out/bin/strata stat --json "$OUT"/channels/recording-*/"$1" 2>/dev/null | jq '[.traces[].lost] | add'; }
check "the small rings overflowed" test "$(lost channel0)" -gt 0
check "the other channel lost nothing" test "$(lost rare)" = 0
mapfile -t parts < <(find "$OUT/member" -mindepth 1 -maxdepth 1 -name 'recording-*' | sort -V)
check "a member's recording was rotated" test "${#parts[@]}" = 2
for i in 0 1; do
	check "its part $i has the hypervisor and the guest" has_layers "${parts[i]}" "kernel xen"
	check "it merges, no violation" merged_cleanly "${parts[i]}" "$OUT/member-merged-$i"
done
check "no kernel complained in dom0" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/dom0-dmesg'"
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
