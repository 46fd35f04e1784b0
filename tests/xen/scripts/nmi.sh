#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Floods the CPUs with NMIs while everything is recorded into sub-buffers of 4 KiB: into few, so that records are lost, and into
# many; then with a fault in the recording function. Runs in dom0; test_nmi.sh looks at the recordings in $LAB_OUT.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

cd /tmp || exit

# Work for dom0, beside the recorder.
work() {
	while :; do
		xenstore-ls >/dev/null
	done
}

# Records a flood: NAME BUFFERS PERIOD_US EVERY NMIS [late].
flood() {
	name=$1
	"$LAB_OUT/flood" counts >"$LAB_OUT/$name.before"
	start_recorder "$name" --output "$LAB_OUT/$name" --xen all,xen --xen-budget none --xen-buffer "$2" --kernel none
	work &
	worker=$!
	shift 2
	try "$name.flood" "$LAB_OUT/flood" run "$1" "$2" "$3" 30 ${4:+"$4"}
	expect_status "$name: each CPU has had $3 NMIs" 0
	kill $worker
	wait $worker
	end_recorder INT
	"$LAB_OUT/flood" counts >"$LAB_OUT/$name.after"
	expect_line "$name: is recorded" "$name" 'recorded [1-9][0-9]* events'
}

flood few 4Kx8 200 0 2000
flood many 4Kx256 200 16 3500
xl debug-keys n
flood late 4Kx256 1000 64 50 late
expect_line "late: what goes back in time is refused" late 'back'

xl dmesg >"$LAB_OUT/xl-dmesg"
mkdir "$LAB_OUT/logs"
cp few many late "$LAB_OUT/logs/"
end_checks
