#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# The first process of a guest: loads strata.ko when it is told to, says that it is ready, starts the workload,
# and waits. What it has to do follows "--" on the kernel's command line, as description.sh writes it:
#     NAME yes|no [MODULE ARGUMENT...] workload [COMMAND...]

mount -t proc proc /proc
# Not from its own arguments: there the kernel also puts each word before "--" that it has no handler for.
set -f
# shellcheck disable=SC2046 # several words
set -- $(sed 's/.* -- //' /proc/cmdline)
set +f
name=$1
module=$2
shift 2
module_args=
while [ $# -gt 0 ] && [ "$1" != workload ]; do
	module_args="$module_args $1"
	shift
done
shift

# A dead end: dom0 finds this line in the console's log, and ends the test with it.
fail() {
	echo "LAB guest $name failed: $*"
	while :; do sleep 1000; done
}

mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
exec </dev/console >/dev/console 2>&1
for ko in /lib/modules/*.ko; do
	insmod "$ko" || fail "insmod $ko"
done
mount -t xenfs xenfs /proc/xen || fail "mount /proc/xen"
if [ "$module" = yes ]; then
	[ -e /lib/strata.ko ] || fail "the image holds no strata.ko; build the module first"
	# shellcheck disable=SC2086 # several arguments
	error=$(insmod /lib/strata.ko $module_args 2>&1) || {
		dmesg | tail -n 20
		fail "insmod strata.ko$module_args: $error"
	}
fi
# Before the workload starts, whose output could land in the middle of this line.
echo "LAB guest $name ready"
if [ $# -gt 0 ]; then
	sh -c "$*" &
fi
while :; do sleep 1000; done
