#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots one host for all that is recorded of kernels: channels, contexts, filters, uprobes, functions and modules. checks/ has the
# checks of each. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/kernels

rm -rf "$OUT"
mkdir -p "$OUT"
# Six scripts take longer than one.
boot "$here/kernels.lab" "$OUT" --limit 1200
check_scripts "$OUT"
finish
