#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a host on which a guest keeps the lock of its grant table busy while dom0 maps its rings, and checks that dom0 and the
# recording of another guest continue. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/xen/life.sh
. "$here/life.sh"

OUT=out/tests/grants

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/grants.lab" "$OUT"
check_life
check "another guest, before the attack" phase 1 g1
check "while the pages of the hostile one are mapped" phase 2 g1
check "and after that" phase 3 g1
check "what was mapped before the attack went" went g2 "module unloaded"
finish
