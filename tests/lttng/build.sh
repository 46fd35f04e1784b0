#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds LTTng's modules for the kernel that the tests boot, and copies its programs with what they load, into
# out/lttng/{lib,bin,share}: all that a machine without a root file system needs to record with LTTng. Called by images.sh
# and by the bench; rebuilds only what has changed.
set -eu
# shellcheck source=tests/xen/debs.sh
. "$(dirname "$0")/../xen/debs.sh"

out=$top/out/lttng
log=$out/build.log

# The modules, but only the probes that are used: some of the others do not know the newest kernels.
build_modules() {
	local deb build=$out/src release headers stamp

	read -r release _ <"$top/out/kernel/release"
	headers=/usr/src/linux-headers-$release
	deb=$(fetch_deb lttng-modules-dkms "" all)
	stamp="$deb $release $(sha256sum <"${BASH_SOURCE[0]}")"
	[ "$(cat "$out/stamp" 2>/dev/null)" != "$stamp" ] || return 0
	echo "lttng: building LTTng's modules" >&2
	rm -rf "$build" "$top/out/lttng/lib"
	mkdir -p "$build" "$out/lib/modules/$release"
	dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$build" --strip-components=4 ./usr/src
	# shellcheck disable=SC2016 # make's variable
	{
		sed '/^ccflags-y/q' "$build/src/probes/Kbuild"
		echo 'obj-$(CONFIG_LTTNG) += lttng-probe-power.o lttng-probe-sched.o lttng-probe-irq.o lttng-probe-net.o'
		echo 'obj-$(CONFIG_LTTNG) += lttng-probe-timer.o'
		echo 'obj-$(CONFIG_LTTNG) += lttng-probe-statedump.o lttng-kprobes.o lttng-kretprobes.o lttng-uprobes.o'
	} >"$build/Kbuild.new"
	mv "$build/Kbuild.new" "$build/src/probes/Kbuild"
	# Debian's kernel has an argument of hrtimer_start that this release of LTTng does not know.
	sed -i -e 's/TP_PROTO(struct hrtimer \*hrtimer, enum hrtimer_mode mode)/TP_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode, bool was_armed)/' \
		-e 's/TP_ARGS(hrtimer, mode)/TP_ARGS(hrtimer, mode, was_armed)/' "$build/include/instrumentation/events/timer.h"
	make -s -C "$headers" M="$build/src" CONFIG_LTTNG=m CONFIG_DEBUG_INFO_BTF_MODULES= KCFLAGS=-g0 -j"$(nproc)" modules \
		>"$log" 2>&1 || die "LTTng's modules did not build; the output is in $log"
	find "$build/src" -name '*.ko' -exec objcopy --strip-debug {} \; -exec cp -t "$out/lib/modules/$release" {} +
	touch "$out/lib/modules/$release"/modules.{order,builtin,builtin.modinfo}
	depmod -b "$out" "$release"
	echo "$stamp" >"$out/stamp"
}

# The programs of lttng-tools, and what they load.
copy_tools() {
	local program

	mkdir -p "$out/bin" "$out/lib" "$out/share"
	cp /usr/share/xml/lttng/session.xsd "$out/share/"
	for program in /usr/bin/lttng /usr/bin/lttng-sessiond /usr/lib/x86_64-linux-gnu/lttng/libexec/lttng-consumerd; do
		cp -L "$program" "$out/bin/"
		ldd "$program" | grep -o '/[^ ]*' | xargs cp -L -t "$out/lib"
	done
}

need_commands lttng lttng-tools depmod kmod dpkg-deb dpkg make make
"$top/tests/xen/kernel.sh"
mkdir -p "$out"
# Two tests may start at once.
exec 9>"$out/lock"
flock 9
build_modules
copy_tools
