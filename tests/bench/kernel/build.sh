#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the modules that measure, for the kernel that the lab boots, into directory $1, below out/; with `--locked` as $2 also the
# strata.ko that they are compared with, which takes a lock for each record (tests/bench/locked.h), as strata_locked.ko.
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
build=$top/out/build/bench-kernel
headers=/usr/src/$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | grep -o 'linux-headers-[0-9][^ ,]*')

# Builds the modules whose sources are in directory $1.
make_modules() {
	make -s --no-print-directory -C "$headers" M="$1" STRATA_TOP="$top" CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

mkdir -p "$build"
install -C -m 644 -t "$build" "$top"/tests/bench/kernel/Kbuild "$top"/tests/bench/kernel/*.c
make_modules "$build"
cp "$build"/*.ko "$1/"
[ "${2-}" = --locked ] || exit 0

locked=$build/locked
(cd "$top/guest-kmod" && find . -type f -name '*.[ch]' -exec install -C -D -m 644 {} "$locked/{}" \;)
cp "$top/guest-kmod/Kbuild" "$locked/Kbuild.new"
# What records events.
for source in "$top"/guest-kmod/trace_*.c; do
	echo "CFLAGS_$(basename "$source" .c).o := -include $top/tests/bench/locked.h"
done >>"$locked/Kbuild.new"
install -C -m 644 "$locked/Kbuild.new" "$locked/Kbuild"
make_modules "$locked"
objcopy --strip-debug "$locked/strata.ko" "$1/strata_locked.ko"
