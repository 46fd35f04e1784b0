#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One flood of NMIs, three times, while xentrace records everything: nobody records the NMIs; Strata does; xentrace does. dom0 says
# each second that it is alive; xentrace_hangs.sh listens. Runs in dom0, and is not expected to come to its end.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

cd /tmp || exit

# Work for dom0. It stays on its CPU: with vCPUs on both, the other CPU would soon wait for the one that hangs, and say nothing.
work() {
	while :; do
		xenstore-ls >/dev/null
	done
}

say_alive() {
	while :; do
		sleep 1
		echo "alive"
	done
}

flood() {
	try flood.log "$LAB_OUT/flood" run 300 0 2000 30 ${1:+"$1"}
	cat flood.log
}

xentrace -D -e all -S 256 /tmp/xentrace.bin >/dev/null 2>&1 &
work &
say_alive &
sleep 2

echo "flood: no recorder takes the NMIs"
flood
expect_status "xentrace records, and a flood of NMIs does no harm" 0
start_recorder strata --output /tmp/recording --xen all,xen --xen-budget none --xen-buffer 4Kx64 --kernel none
echo "flood: Strata takes each NMI"
flood
expect_status "nor does it when Strata records each of them" 0
end_recorder INT
expect_line "and it did" strata 'recorded [1-9][0-9]* events'
echo "flood: xentrace takes each NMI"
flood xentrace
echo "flood: survived"
end_checks
