#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Debian packages that building, testing and the demo need, those
# that are missing and no others.  Called by `make deps`; asks nothing and leaves
# the machine's apt configuration as it is.
set -eu

PACKAGES="
	build-essential pkg-config git
	libxen-dev libjson-c-dev
	libcmocka-dev clang-format shellcheck babeltrace2
	flex bison python3 bc libelf-dev quilt xz-utils
	linux-headers-amd64
	qemu-system-x86 busybox-static cpio kmod jq
"

say() { printf 'deps: %s\n' "$*"; }

missing=""
for package in $PACKAGES; do
	state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
	[ "${state%% }" = ii ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
	say "all packages are there"
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	say "these packages are missing:$missing"
	say "install them (apt-get install$missing), or run make as root"
	exit 1
fi
say "installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
# shellcheck disable=SC2086 # a list of words
apt-get install -q -y --no-install-recommends $missing
say "done"
