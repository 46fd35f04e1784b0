#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots a guest with 120 possible CPUs, and checks that its module loads and that it is recorded. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/xen/life.sh
. "$here/life.sh"

OUT=out/tests/many_cpus

rm -rf "$OUT"
mkdir -p "$OUT"
boot "$here/many_cpus.lab" "$OUT"
check_life
check "its calls are recorded" phase 1 g1
finish
