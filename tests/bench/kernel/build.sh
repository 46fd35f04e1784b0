#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the modules that measure, for the kernel that the lab boots, into directory $1, below out/. Each other argument names a
# strata.ko that they are compared with (tests/bench/locked.h), and is built as strata_NAME.ko:
#     locked     takes a lock for each record, with interrupts off
#     irqs_off   only has interrupts off
set -eu
top=$(cd "$(dirname "$0")/../../.." && pwd)
build=$top/out/build/bench-kernel
headers=/usr/src/$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | grep -o 'linux-headers-[0-9][^ ,]*')

# Builds the modules whose sources are in directory $1.
make_modules() {
	make -s --no-print-directory -C "$headers" M="$1" STRATA_TOP="$top" CONFIG_DEBUG_INFO_BTF_MODULES= modules
}

# Builds strata.ko so that what records events is compiled with options $2..., as $out/strata_$1.ko.
make_strata() {
	local name=$1 tree=$build/$1 source

	shift
	(cd "$top/guest-kmod" && find . -type f -name '*.[ch]' -exec install -C -D -m 644 {} "$tree/{}" \;)
	cp "$top/guest-kmod/Kbuild" "$tree/Kbuild.new"
	for source in "$top"/guest-kmod/trace_*.c; do
		echo "CFLAGS_$(basename "$source" .c).o := $* -include $top/tests/bench/locked.h"
	done >>"$tree/Kbuild.new"
	install -C -m 644 "$tree/Kbuild.new" "$tree/Kbuild"
	make_modules "$tree"
	objcopy --strip-debug "$tree/strata.ko" "$out/strata_$name.ko"
}

out=$1
shift
mkdir -p "$build"
install -C -m 644 -t "$build" "$top"/tests/bench/kernel/Kbuild "$top"/tests/bench/kernel/*.c
make_modules "$build"
cp "$build"/*.ko "$out/"
for name in "$@"; do
	case $name in
	locked) make_strata locked ;;
	irqs_off) make_strata irqs_off -DSTRATA_BENCH_IRQS_OFF ;;
	*)
		echo "build.sh: there is no strata.ko $name" >&2
		exit 2
		;;
	esac
done
