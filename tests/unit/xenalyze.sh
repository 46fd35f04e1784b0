#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs Debian's xenalyze, which reads files of xentrace's too, with the arguments. It is extracted from its package without
# installing that, because the package would start a host's services. Called by test_xentrace_peer.c.

set -euo pipefail
# shellcheck source=tests/xen/debs.sh
. "$(dirname "${BASH_SOURCE[0]}")/../xen/debs.sh"

need_commands dpkg-deb dpkg apt-get apt
xenalyze=$top/out/cache/xenalyze
if [ ! -x "$xenalyze" ]; then
	mkdir -p "$cache"
	dpkg-deb --fsys-tarfile "$(fetch_deb xen-utils-common)" | tar -x -O ./usr/bin/xenalyze >"$xenalyze.new"
	chmod +x "$xenalyze.new"
	mv "$xenalyze.new" "$xenalyze"
fi
exec "$xenalyze" "$@"
