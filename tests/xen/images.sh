#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the two file systems that the test host boots from: out/lab/dom0.img for dom0 and out/lab/boot/guest.img for every
# guest. Called by lab before each boot, and by people; it rebuilds an image only when one of its inputs changed.
#
# The images are not compressed: QEMU copies them into memory for nothing, and unpacking on an emulated CPU is slow. What
# differs from one test to the next is in neither image: lab appends it to a copy of dom0's.

set -euo pipefail
# shellcheck source=tests/xen/trees.sh
. "$(dirname "${BASH_SOURCE[0]}")/trees.sh"

here=$top/tests/xen
kernel=$top/out/kernel
lab=$top/out/lab
tools=$lab/xen-tools
strata=$top/out/bin/strata
daemons=("$top/out/bin/stratad" "$top/out/bin/strata-consumerd")
strata_ko=$top/out/kmod/strata.ko

need_commands gcc gcc dpkg-deb dpkg
need_trees

dom0_modules=(xen-evtchn xen-gntdev xen-gntalloc xen-privcmd xenfs virtio_pci 9pnet_virtio 9p)
guest_modules=(xen-evtchn xen-gntalloc xenfs msr)
# Scripts load these where a test needs a network.
dom0_network_modules=(xen-netback bridge)
guest_network_modules=(xen-netfront)
# Or, in a guest, trace points that come with a module.
guest_scsi_modules=(scsi_debug)
guest_ext4_modules=(sd_mod crc32c_generic ext4)
dom0_programs=(usr/lib/xen-4.17/bin/{xl,xenstored,xenconsoled,xen-init-dom0,xentrace,xen-hptool,xenctx})
dom0_programs+=(usr/bin/xenstore-{chmod,exists,list,ls,read,rm,watch,write})

# Unpacks the Xen tools into out/lab without installing them: xen-utils would bring udev, init scripts and a boot entry.
unpack_xen_tools() {
	local deb

	[ ! -s "$tools/stamp" ] || return 0
	rm -rf "$tools"
	mkdir -p "$tools"
	for deb in "$(fetch_deb xen-utils-4.17)" "$(fetch_deb xenstore-utils)"; do
		dpkg-deb -x "$deb" "$tools"
		printf '%s\n' "${deb##*/}" >>"$tools/stamp.new"
	done
	mv "$tools/stamp.new" "$tools/stamp"
}

# Compiles each workload into out/lab/boot/bin, which is /boot/bin in dom0: static, because the guests hold no C library.
build_workloads() {
	local source program

	mkdir -p "$lab/boot/bin"
	for source in "$here"/workloads/*.c; do
		program=$lab/boot/bin/$(basename "$source" .c)
		if [ ! "$program" -nt "$source" ]; then
			gcc -static -pthread -O2 -Wall -Wextra -Werror -o "$program" "$source"
		fi
	done
}

mkdir -p "$lab/boot" "$lab/modules"
# Two tests may start at once.
exec 9>"$lab/lock"
flock 9
"$here/kernel.sh"
unpack_xen_tools
build_workloads
"$here/modules/build.sh" "$lab/modules"
ln -f "$kernel/vmlinux" "$lab/boot/vmlinux"

if ! up_to_date "$lab/dom0.img" "$0" "$here/init/dom0.sh" "$kernel/release" "$tools/stamp" "$busybox" "$strata" "${daemons[@]}" \
	"$strata_ko"
then
	echo "images.sh: building dom0's image" >&2
	tree=$lab/dom0.tree
	start_tree "$tree" "$here/init/dom0.sh"
	mkdir -p "$tree"/{etc/xen,var/lib/xen,var/lib/xenstored,var/log/xen}
	add_modules "$tree/lib/modules" "${dom0_modules[@]}"
	add_modules "$tree/lib/modules-for-network" "${dom0_network_modules[@]}"
	for program in "${dom0_programs[@]}"; do
		add_program "$tree" "$tools/$program"
	done
	# xl save runs it by its path.
	add_program "$tree" "$tools/usr/lib/xen-4.17/bin/libxl-save-helper" usr/lib/xen-4.17/bin
	# pthread_cancel loads it by name; xl aborts without it.
	cp -L /lib/x86_64-linux-gnu/libgcc_s.so.1 "$tree/lib/x86_64-linux-gnu/"
	: >"$tree/etc/xen/xl.conf"
	for program in "$strata" "${daemons[@]}"; do
		[ ! -e "$program" ] || add_program "$tree" "$program"
	done
	[ ! -e "$strata_ko" ] || cp "$strata_ko" "$tree/lib/strata.ko"
	pack "$tree" "$lab/dom0.img"
fi

if ! up_to_date "$lab/boot/guest.img" "$0" "$here/init/guest.sh" "$kernel/release" "$busybox" "$strata_ko" "$lab"/boot/bin/* "$lab"/modules/*.ko; then
	echo "images.sh: building the guests' image" >&2
	tree=$lab/guest.tree
	start_tree "$tree" "$here/init/guest.sh"
	add_modules "$tree/lib/modules" "${guest_modules[@]}"
	add_modules "$tree/lib/modules-for-network" "${guest_network_modules[@]}"
	add_modules "$tree/lib/modules-for-scsi" "${guest_scsi_modules[@]}"
	add_modules "$tree/lib/modules-for-ext4" "${guest_ext4_modules[@]}"
	cp "$lab"/boot/bin/* "$tree/bin/"
	mkdir "$tree/lib/modules-for-tests"
	cp "$lab"/modules/*.ko "$tree/lib/modules-for-tests/"
	[ ! -e "$strata_ko" ] || cp "$strata_ko" "$tree/lib/strata.ko"
	pack "$tree" "$lab/boot/guest.img"
fi
