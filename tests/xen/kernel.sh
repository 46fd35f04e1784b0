#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Gets the kernel that the test host boots as dom0 and as guest: the Debian kernel that the installed headers belong to,
# so that a strata.ko built against those headers loads. Called by images.sh and by people; quick when done.
#
# Leaves out/kernel/{release,vmlinuz,vmlinux,modules/RELEASE/}. vmlinux is vmlinuz without its compression: Xen and xl
# take it as it is, and unpacking XZ on an emulated CPU three times over would be the longest part of a boot.

set -euo pipefail
# shellcheck source=tests/xen/debs.sh
. "$(dirname "${BASH_SOURCE[0]}")/debs.sh"

need_commands dpkg-deb dpkg apt-get apt xz xz-utils depmod kmod

if ! dpkg-query -W linux-headers-amd64 >/dev/null 2>&1; then
	echo "kernel.sh: installing linux-headers-amd64" >&2
	apt-get -q install -y --no-install-recommends linux-headers-amd64 >&2 ||
		die "cannot install linux-headers-amd64; run as root, after: apt-get update"
fi
headers=$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | grep -o 'linux-headers-[0-9][^ ,]*') ||
	die "linux-headers-amd64 depends on no linux-headers-RELEASE; cannot tell which kernel is meant"
release=${headers#linux-headers-}
version=$(dpkg-query -W -f '${Version}' "$headers")
kernel=$top/out/kernel
wanted="$release $version"

if [ "$(cat "$kernel/release" 2>/dev/null)" = "$wanted" ]; then
	exit 0
fi

# Prints the ELF file inside a bzImage. Offsets: the kernel's Documentation/x86/boot.rst (setup_sects, payload_offset,
# payload_length); the payload's last four bytes are its unpacked size and no part of the XZ stream.
unpack_bzimage() {
	local setup_sects payload_offset payload_length

	setup_sects=$(od -An -t u1 -j $((0x1f1)) -N 1 "$1")
	payload_offset=$(od -An -t u4 -j $((0x248)) -N 4 "$1")
	payload_length=$(od -An -t u4 -j $((0x24c)) -N 4 "$1")
	dd if="$1" bs=64K iflag=skip_bytes,count_bytes status=none \
		skip=$(((setup_sects + 1) * 512 + payload_offset)) count=$((payload_length - 4)) | xz -dc
}

deb=$(fetch_deb "linux-image-$release" "$version")
echo "kernel.sh: unpacking Linux $release" >&2
rm -rf "$kernel" "$kernel.new"
mkdir -p "$kernel.new/deb"
dpkg-deb -x "$deb" "$kernel.new/deb"
mv "$kernel.new/deb/boot/vmlinuz-$release" "$kernel.new/vmlinuz"
mkdir "$kernel.new/modules"
mv "$kernel.new/deb/lib/modules/$release" "$kernel.new/modules/$release"
rm -rf "$kernel.new/deb"
unpack_bzimage "$kernel.new/vmlinuz" >"$kernel.new/vmlinux" ||
	die "vmlinuz of $release holds no XZ payload where its header says"
# depmod wants its tree under lib/modules; images.sh asks modprobe for dependencies.
mkdir "$kernel.new/lib"
ln -s ../modules "$kernel.new/lib/modules"
depmod -b "$kernel.new" "$release"
printf '%s\n' "$wanted" >"$kernel.new/release"
mv "$kernel.new" "$kernel"
