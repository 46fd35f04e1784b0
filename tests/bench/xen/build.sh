#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds what Strata is compared with on an emulated host, below out/bench: a Xen whose Strata takes a lock for each record
# (tests/bench/locked.h), and LTTng's modules and programs. Called by instructions.sh; what is built and has not changed stays.
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

# The modules, but no probe except the one that is measured: some of the others do not know the newest kernels.
build_lttng_modules() {
	local deb build=$out/lttng-modules release headers

	read -r release _ <"$top/out/kernel/release"
	headers=/usr/src/linux-headers-$release
	deb=$(fetch_deb lttng-modules-dkms "" all)
	[ "$(cat "$build.stamp" 2>/dev/null)" != "$deb $release" ] || return 0
	echo "bench: building LTTng's modules" >&2
	rm -rf "$build" "$out/lttng"
	mkdir -p "$build" "$out/lttng/lib/modules/$release"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$build" --strip-components=4 ./usr/src
	# shellcheck disable=SC2016 # make's variable
	{
		sed '/^ccflags-y/q' "$build/src/probes/Kbuild"
		echo 'obj-$(CONFIG_LTTNG) += lttng-probe-power.o lttng-kprobes.o lttng-kretprobes.o lttng-uprobes.o'
	} >"$build/Kbuild.new"
	mv "$build/Kbuild.new" "$build/src/probes/Kbuild"
	make -s -C "$headers" M="$build/src" CONFIG_LTTNG=m CONFIG_DEBUG_INFO_BTF_MODULES= -j"$(nproc)" modules \
		>>"$log" 2>&1 || die "LTTng's modules did not build; the output is in $log"
	find "$build/src" -name '*.ko' -exec objcopy --strip-debug {} \; -exec cp -t "$out/lttng/lib/modules/$release" {} +
	touch "$out/lttng/lib/modules/$release"/modules.{order,builtin,builtin.modinfo}
	depmod -b "$out/lttng" "$release"
	echo "$deb $release" >"$build.stamp"
}

# The programs of lttng-tools, and what they load.
copy_lttng_tools() {
	local program

	mkdir -p "$out/lttng/bin" "$out/lttng/lib" "$out/lttng/share"
	cp /usr/share/xml/lttng/session.xsd "$out/lttng/share/"
	for program in /usr/bin/lttng /usr/bin/lttng-sessiond /usr/lib/x86_64-linux-gnu/lttng/libexec/lttng-consumerd; do
		cp -L "$program" "$out/lttng/bin/"
		ldd "$program" | grep -o '/[^ ]*' | xargs cp -L -t "$out/lttng/lib"
	done
}

need_commands lttng lttng-tools depmod kmod
mkdir -p "$out"
: >"$log"
"$top/tests/xen/kernel.sh"
build_locked_xen
build_lttng_modules
copy_lttng_tools
