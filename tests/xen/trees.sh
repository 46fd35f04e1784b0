#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the root file systems of test machines: busybox, the modules and programs that a test needs, and their libraries,
# packed as an initramfs. Sourced by scripts that make images; the kernel is the one that kernel.sh gets.

# shellcheck source=tests/xen/debs.sh
. "$(dirname "${BASH_SOURCE[0]}")/debs.sh"

# Stops unless what the functions below use is there; sets $busybox.
need_trees() {
	need_commands cpio cpio modprobe kmod ldd libc-bin
	busybox=$(command -v busybox) || die "busybox is missing; run: apt-get install busybox-static"
	! ldd "$busybox" >/dev/null 2>&1 || die "$busybox is not static; run: apt-get install busybox-static"
}

# Starts the tree of an image in directory $1: busybox with all its names, and the init script $2.
start_tree() {
	local name

	rm -rf "$1"
	mkdir -p "$1"/{bin,dev,etc,lib/modules,proc,run,sys,tmp,usr/lib,var}
	ln -s ../run "$1/var/run"
	cp "$busybox" "$1/bin/busybox"
	for name in $("$busybox" --list); do
		[ "$name" = busybox ] || ln -s busybox "$1/bin/$name"
	done
	cp "$2" "$1/init"
	chmod +x "$1/init"
}

# Adds kernel modules and what they depend on to directory $1, numbered in the order in which they load.
add_modules() {
	local dir=$1 number=100 module path release

	shift
	mkdir -p "$dir"
	read -r release _ <"$top/out/kernel/release"
	for module in "$@"; do
		modprobe -d "$top/out/kernel" -S "$release" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
	done | awk '!seen[$0]++' | while read -r path; do
		cp "$path" "$dir/$((number++))-$(basename "$path")"
	done
}

# Adds program $2 and the libraries that it loads to tree $1, under /bin or $3.
add_program() {
	local tree=$1 program=$2 dir=${3:-bin} libraries missing library

	mkdir -p "$tree/$dir"
	cp -L "$program" "$tree/$dir/"
	libraries=$(ldd "$program" 2>&1) || die "$program is not a dynamic program for this machine"
	missing=$(awk '/not found/ { print $1 }' <<<"$libraries" | xargs)
	[ -z "$missing" ] || die "${program##*/} needs $missing; install what it was linked with"
	grep -o '/[^ ]*' <<<"$libraries" | sort -u | while read -r library; do
		mkdir -p "$tree$(dirname "$library")"
		cp -nL "$library" "$tree$library"
	done
}

# Succeeds when image $1 was made from exactly the inputs $2... (by name, size and time); else leaves their list in a file.
up_to_date() {
	local image=$1

	shift
	stat -c '%n %s %Y' "$@" >"$image.inputs.new" 2>/dev/null || true
	[ -s "$image" ] && cmp -s "$image.inputs.new" "$image.inputs" && rm "$image.inputs.new"
}

# Packs tree $1 into image $2; the old image stays whole until the new one is.
pack() {
	(cd "$1" && find . -mindepth 1 | sort | cpio --quiet -o -H newc -R 0:0) >"$2.new"
	mv "$2.new" "$2"
	mv "$2.inputs.new" "$2.inputs"
	rm -rf "$1"
}
