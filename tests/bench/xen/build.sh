#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds what Strata is compared with on an emulated host, below out/bench: a Xen whose Strata takes a lock for each record
# (tests/bench/locked.h), a Xen without the series, and LTTng's modules and programs, below out/lttng. Called by instructions.sh; what
# is built and has not changed stays.
set -eu
# shellcheck source=tests/xen/debs.sh
. "$(dirname "$0")/../../xen/debs.sh"

out=$top/out/bench
log=$out/build.log

# The tree that out/xen was built of, with one file compiled otherwise.
build_locked_xen() {
	local tree=$out/xen-locked stamp

	stamp=$(cat "$top/out/xen/xen.stamp" "$top/tests/bench/locked.h" "$top/tests/torture/plain_platform.h" | sha256sum)
	[ "$(cat "$tree.stamp" 2>/dev/null)" != "$stamp" ] || return 0
	echo "bench: building a Xen that takes a lock for each record" >&2
	rm -rf "$tree"
	cp -a "$top/out/xen/tree" "$tree"
	# shellcheck disable=SC2016 # make's variable
	printf '$(obj)/record.o: CFLAGS-y += -include %s\n' "$top/tests/bench/locked.h" >>"$tree/xen/common/strata/Makefile"
	make -C "$tree/xen" -j"$(nproc)" XEN_TARGET_ARCH=x86_64 >>"$log" 2>&1 ||
		die "the hypervisor did not build; the output is in $log"
	echo "$stamp" >"$tree.stamp"
}

# The source that out/xen was built of, as it came.
build_plain_xen() {
	local tree=$out/xen-plain source

	source=$(cat "$top/out/xen/tree.origin")
	[ "$(cat "$tree.stamp" 2>/dev/null)" != "$source" ] || return 0
	echo "bench: building a Xen without the series" >&2
	rm -rf "$tree"
	cp -a "$source" "$tree"
	{
		make -C "$tree/xen" XEN_TARGET_ARCH=x86_64 defconfig
		make -C "$tree/xen" -j"$(nproc)" XEN_TARGET_ARCH=x86_64
	} >>"$log" 2>&1 || die "the hypervisor did not build; the output is in $log"
	echo "$source" >"$tree.stamp"
}

"$top/tests/lttng/build.sh"
mkdir -p "$out"
: >"$log"
build_locked_xen
build_plain_xen
