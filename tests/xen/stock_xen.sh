#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gets Debian's own Xen, without the patch, as out/stock/xen.gz, for the test of the tools' messages on it. Called by
# test_stock.sh; installs nothing, and is quick when done.

set -euo pipefail
# shellcheck source=tests/xen/debs.sh
. "$(dirname "${BASH_SOURCE[0]}")/debs.sh"

need_commands dpkg-deb dpkg apt-get apt
stock=$top/out/stock
[ ! -s "$stock/xen.gz" ] || exit 0
deb=$(fetch_deb xen-hypervisor-4.17-amd64)
rm -rf "$stock"
mkdir -p "$stock"
dpkg-deb --fsys-tarfile "$deb" | tar -x -O ./boot/xen-4.17-amd64.gz >"$stock/xen.gz.new"
mv "$stock/xen.gz.new" "$stock/xen.gz"
