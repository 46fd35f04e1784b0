#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the modules that measure for the kernel that the lab boots into directory $1, below out/.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
build=$top/out/build/bench-kernel
headers=/usr/src/$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | grep -o 'linux-headers-[0-9][^ ,]*')

mkdir -p "$build"
install -C -m 644 -t "$build" "$top"/tests/bench/kernel/Kbuild "$top"/tests/bench/kernel/*.c
make -s --no-print-directory -C "$headers" M="$build" STRATA_TOP="$top" CONFIG_DEBUG_INFO_BTF_MODULES= modules
cp "$build"/*.ko "$1/"
