#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which guests, modules and CPUs come and go while one recording
# runs, and checks that each phase of it is in the recording.  Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/xen/life.sh
. "$here/life.sh"

OUT=out/tests/lifecycle

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/lifecycle.lab" "$OUT"
check_life
check "what a guest did at first" phase 1 g1
check "a guest that appeared" phase 2 g2
check "after its module was loaded anew" phase 3 g1
check "on a vCPU that goes" phase 4 g1
check "while it is gone" phase 5 g1
check "on the vCPU that came again" phase 6 g1
check "after a pause" phase 7 g2
check "in the restored guest" phase 8 'g2-[0-9]+'
check "while a physical CPU is gone" phase 9 g1
check "after it came again" phase 10 g1
check "the unloaded module's end is recorded" went g1 "module unloaded"
check "the saved guest's, too" went g2 "domain suspended"
check "and dom0's" went dom0 "module unloaded"
check "the merge says who went" report_names g1 "went at .*: module unloaded"
check "and who came" report_names g1-1 "came at"
finish
