#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Builds out/lttng/machine.img, the file system of both machines of two_machines.sh: LTTng, and the programs of this directory
# that send to each other. Called by two_machines.sh; rebuilds only parts with changed inputs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/xen/trees.sh
. "$here/../xen/trees.sh"

lttng=$top/out/lttng
image=$lttng/machine.img
modules=(virtio_pci virtio_net 9pnet_virtio 9p)

need_commands gcc gcc
need_trees
dpkg-query -W liblttng-ust-dev >/dev/null 2>&1 || die "LTTng's headers are missing; run: tests/deps.sh soak"

# Compiles program $1 with the compiler's arguments $2...
build_program() {
	local program=$lttng/$1 source=$here/$1.c

	shift
	if [ ! "$program" -nt "$source" ] || [ ! "$program" -nt "$here/traffic_events.h" ]; then
		gcc -std=gnu11 -O2 -Wall -Wextra -Werror -I"$here" -o "$program" "$source" "$@"
	fi
}

"$here/build.sh"
exec 9>"$lttng/lock"
flock 9
build_program traffic -llttng-ust -ldl
build_program compare_clocks -static

up_to_date "$image" "$0" "$here/machine.sh" "$top/out/kernel/release" "$lttng/stamp" "$lttng/traffic" "$lttng/compare_clocks" \
	/usr/bin/lttng "$busybox" && exit 0
echo "lttng: building the machines' image" >&2
tree=$lttng/machine.tree
start_tree "$tree" "$here/machine.sh"
add_modules "$tree/lib/modules" "${modules[@]}"
cp -r "$lttng/lib/modules/." "$tree/lib/modules/"
mkdir -p "$tree/lttng"
cp -r "$lttng/share" "$tree/lttng/"
for program in "$lttng"/bin/*; do
	add_program "$tree" "$program" lttng/bin
done
add_program "$tree" "$lttng/traffic"
cp "$lttng/compare_clocks" "$tree/bin/"
# A program that is linked with liblttng-ust loads it by name.
add_program "$tree" /usr/lib/x86_64-linux-gnu/liblttng-ust-tracepoint.so.1 usr/lib/x86_64-linux-gnu
pack "$tree" "$image"
