#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Unpacks the source of Debian's cmocka as out/cache/cmocka/tree, for the tests on other processors:
# Debian 12 has binary packages of it for some of them only.  Called by make, once.
set -euo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
cache=$top/out/cache
log=$cache/cmocka.log
# shellcheck disable=SC2034 # for debian_source.sh
without_archive="unpack cmocka's source as $cache/cmocka/tree"

say() { printf 'arch: %s\n' "$*"; }

die() {
	printf 'arch: %s\n' "$@" >&2
	exit 1
}

# shellcheck source=xen-patch/debian_source.sh
. "$top/xen-patch/debian_source.sh"

mkdir -p "$cache"
: >"$log"
refresh_source_lists
for version in $(source_versions cmocka); do
	say "downloading the source of cmocka $version"
	download_source cmocka "$version" "$cache/cmocka" && exit 0
done
die "no version of Debian's cmocka could be downloaded; details are in $log" \
    "next step: $without_archive"
