#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that the guests of clocks.lab are what they are there for, and records them; then records a guest that attacks by
# setting its counter in a loop. Runs in dom0; the recordings are $LAB_OUT/raw and $LAB_OUT/storm.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

# A guest that sets its counter in a loop changes its clock map at each write. The flight recorder holds 512 KiB for
# each CPU, which is less than what a map for each write takes. dom0 and that guest share CPU 0, and so a ring. On a slow
# machine the loop takes half a minute, in which runstate changes must not fill the rings: pvemul, which moves most, rests.
the_counter_is_set_in_a_loop() {
	tell offset "killall tscsetter"
	xl pause pvemul
	start_recorder storm --overwrite --xen-buffer 64Kx8 --xen 'domain_pause,domain_unpause,runstate_*' \
		--kernel offset:sched_switch --kernel pvhemul:sched_switch --output "$LAB_OUT/flight"
	xl pause pvhemul
	xl unpause pvhemul
	tell offset "tscstorm 8192"
	await_console offset "^tscstorm: done"
	expect_line "the guest has set its counter to the end of the loop" "$LAB_OUT/guest-offset.log" "^tscstorm: done"
	sleep 2
	try snapshot strata snapshot --output "$LAB_OUT/storm"
	expect_status "a snapshot is taken after the attack" 0
	end_recorder INT
	expect_status "the flight recorder ends" 0
	xl unpause pvemul
}

xl info >host
expect_line "Xen offers PVH guests" host 'virt_caps.* hvm .*hap'
xl vcpu-list >vcpus
expect_line "pvhemul is pinned to CPU 1" vcpus '^pvhemul +[0-9]+ +0 .* 1 / all'
expect_line "pvemul may use both CPUs" vcpus '^pvemul +[0-9]+ +0 .* (0-1|all) / all'

show_tsc_modes >tsc
expect_line "pvhemul's TSC is emulated in a PVH guest" tsc "dom$(xl domid pvhemul)\\(hvm\\): mode=1"
expect_line "offset's TSC is native in a PVH guest" tsc "dom$(xl domid offset)\\(hvm\\): mode=2"
expect_line "pvemul's TSC is emulated" tsc "dom$(xl domid pvemul): mode=1"

strata record --duration 8s --xen-buffer 256Kx32 --output "$LAB_OUT/raw" >record.log 2>&1
echo "status $?" >>record.log
expect_line "all of them are recorded" record.log '^status 0$'

# The changes that the test is about happen during the recording, in a guest that lives.
xl list >domains
expect_line "offset lives" domains '^offset +[0-9]+ +128 +1 '

# Without that guest, the lab boots once more.
! grep -q "^offset " domains || the_counter_is_set_in_a_loop
xl dmesg >"$LAB_OUT/xl-dmesg"

end_checks
