#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots one host for recordings that are read before they end: live, and snapshots of a flight recorder. checks/ has the checks of
# each. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/unfinished

rm -rf "$OUT"
mkdir -p "$OUT/flight"
check "the kernel benchmark builds" tests/bench/kernel/build.sh "$OUT/flight"
boot "$here/unfinished.lab" "$OUT"
check_scripts "$OUT"
finish
