#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots one host for a guest whose kernel is locked down against dom0, and a guest that holds dom0 up. checks/ has the checks of
# each. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/distrust

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/distrust.lab" "$OUT"
check_scripts "$OUT"
finish
