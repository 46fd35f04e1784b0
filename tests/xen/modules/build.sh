#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds the modules that guests of some tests load, into directory $1, below out/, for the kernel that the lab boots; quick when done.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1/build
headers=/usr/src/$(dpkg-query -W -f '${Depends}' linux-headers-amd64 | grep -o 'linux-headers-[0-9][^ ,]*')

is_built() {
	local source module

	for source in "$here"/*.c; do
		module=$1/$(basename "$source" .c).ko
		[ "$module" -nt "$source" ] && [ "$module" -nt "$here/Kbuild" ] && [ "$module" -nt "$headers/Module.symvers" ] ||
			return
	done
}

is_built "$1" && exit 0
mkdir -p "$build"
install -C -m 644 -t "$build" "$here"/Kbuild "$here"/*.[ch]
make -s --no-print-directory -C "$headers" M="$build" CONFIG_DEBUG_INFO_BTF_MODULES= modules
for module in "$build"/*.ko; do
	objcopy --strip-debug "$module" "$1/$(basename "$module")"
done
