#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# world.sh COMMAND [ARG...]: runs an attack script in its own environment: private mount, pid, network and IPC namespaces with
# an empty /run, /tmp and /var/tmp, except for the tree itself if it is there. Everything that the script starts ends with it.
#
# Called by tests/run.sh for each tests/attack/test_*.sh, as root.  The script sources tests/attack/common.sh.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || {
	echo "world.sh: only root can make namespaces for two users: run it as root" >&2
	exit 1
}
# shellcheck disable=SC2016 # expanded in the world
exec unshare --mount --pid --net --ipc --fork --kill-child --propagation private --mount-proc bash -c '
	set -eu
	# What hides the tree is mounted over it: this is the way back.
	exec {tree}<.
	mount -t tmpfs -o mode=755 run /run
	mkdir -p -m 1777 /run/lock
	mount -t tmpfs -o mode=1777,size=2g tmp /tmp
	mount -t tmpfs -o mode=1777,size=256m vartmp /var/tmp
	if [ ! . -ef "$PWD" ]; then
		mkdir -p "$PWD"
		mount --no-canonicalize --bind /proc/self/fd/$tree "$PWD"
		cd "$PWD"
	fi
	exec {tree}<&-
	ip link set lo up
	exec "$@"' world "$@"
