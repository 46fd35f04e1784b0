#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash disable=SC2154 # xl sets $vif
#
# xl runs it in dom0 when a guest gets a network interface: "vif.sh online" adds the backend's interface $vif to a bridge, which it makes if
# necessary, and writes to xenstore that this is done. `xl network-attach GUEST script=/lab/scripts/vif.sh bridge=NAME` names script and
# bridge.

export PATH=/bin LD_LIBRARY_PATH=/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu

[ "$1" = online ] || exit 0
bridge=$(xenstore-read "$XENBUS_PATH/bridge")
if brctl addbr "$bridge"; then
	ip link set "$bridge" up
fi 2>/dev/null
ip link set "$vif" up && brctl addif "$bridge" "$vif" && xenstore-write "$XENBUS_PATH/hotplug-status" connected
