#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which domains are saved, restored, rebooted and destroyed while
# one recording runs, and checks that each phase of it is in the recording.  Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/xen/life.sh
. "$here/life.sh"

OUT=out/tests/domains

# Of the domain that came by the restore, which has another number, Xen records what was asked of its name.
restored_guest_is_chosen() {
	columns "$OUT/merged/timeline.txt" '/ sys_enter .*args=\[0x5354,0x52415441,0x3,/ { seen = 1 }
		seen && layer == "xen" && event == "vm_exit" { exits++ }
		END { print exits + 0, "exits"; exit !(exits > 100) }'
}

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/domains.lab" "$OUT"
check_life
check "what a PV guest did at first" phase 1 g1
check "what a PVH guest did at first" phase 2 g2
check "in the restored PVH guest" phase 3 'g2-[0-9]+'
check "which Xen records by its name" restored_guest_is_chosen
check "in a rebooted guest" phase 4 'g1-[0-9]+'
check "in one that was saved and went on" phase 5 'g1-[0-9]+'
check "the saved guest's end is recorded" went g2 "domain suspended"
check "and the rebooted guest's" bash -c "jq -e '[.sources[] | select(.ended == \"domain rebooted\")] | length == 1' '$OUT/life/recording.json'"
check "the merge says who went" report_names g2 "went at .*: domain suspended"
finish
