#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Boots Debian's own Xen, without the patch, and checks the tools' messages there. Speaks TAP; run
# by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/stock

rm -rf "$OUT"
mkdir -p "$OUT"
check "Debian's Xen is there" "$here/stock_xen.sh"
boot "$here/stock.lab" "$OUT" --xen out/stock/xen.gz
finish
