#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# CPUs that go, come back and are added to a running host are recorded: boots the host of hotplug.lab and looks at its
# recordings.  Speaks TAP; run by tests/run.sh.
# shellcheck disable=SC2016 # what is not expanded is awk's
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/hotplug

build_helper() {
	# shellcheck disable=SC2046 # several arguments
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror tests/xen/helpers/hotadd.c -o "$OUT/hotadd" \
		$(pkg-config --libs xencall)
}

# marked TEXT PHASE CPU: the guest made its 100 calls, and ran on that CPU when it did.
marked() {
	columns "$OUT/$1" '
		vcpu == "g1/0" && index($0, "[0x5354,0x52415441," phase ",") { calls++; if (pcpu != wanted) elsewhere++ }
		END { print calls + 0 " calls, " elsewhere + 0 " elsewhere"; exit !(calls == 100 && !elsewhere) }' \
		-v phase="$(printf '0x%x' "$2")" -v wanted="$3"
}

# xen_events TEXT CPU: Xen itself recorded there.
xen_events() {
	columns "$OUT/$1" 'layer == "xen" && pcpu == wanted { events++; clocks += event == "strata_pcpu_clock" }
		END { print events + 0 " events, " clocks + 0 " clocks"; exit !(events > 20 && clocks) }' -v wanted="$2"
}

# followed PHASE CPU: whoever followed the recording was shown the guest's 100 calls, and what Xen recorded on that CPU.
followed() {
	columns "$OUT/followed.txt" '
		layer == "xen" && cpu == wanted { events++ }
		index($0, "0x52415441," phase ",") { calls++ }
		END { print events + 0 " events, " calls + 0 " calls"; exit !(events > 20 && calls == 100) }' \
		-v phase="$(printf '0x%x' "$1")" -v wanted="$2"
}

rm -rf "$OUT"
mkdir -p "$OUT/logs"
check "the helper builds" build_helper
boot "$here/hotplug.lab" "$OUT" "$@"
for recording in added snapshot flight; do
	check "$recording: merges, no violation" merged_cleanly "$OUT/$recording" "$OUT/$recording-merged"
done
check "a CPU that was offline at the start is recorded" marked added-merged/timeline.txt 1 1
check "with its events of Xen" xen_events added-merged/timeline.txt 1
check "a CPU that is added is recorded" marked added-merged/timeline.txt 2 2
check "also when it goes and comes back" marked added-merged/timeline.txt 3 2
check "with its events of Xen" xen_events added-merged/timeline.txt 2
check "and shown to those who follow" followed 3 2
check "a snapshot has a CPU that was added under a flight recorder" marked snapshot-merged/timeline.txt 4 3
check "with its events of Xen" xen_events snapshot-merged/timeline.txt 3
check "and so has the end of it" marked flight-merged/timeline.txt 5 3
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
finish
