#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records a guest whose modules come and go meanwhile. Runs in dom0; what it records goes to $LAB_OUT, where test_kmodules.sh compares
# it with the guest's own tracer.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Has g1 load SCSI and a disk of its own, for the $1st time. The kernel's own tracer follows, too, and shows what it saw.
load() {
	tell g1 "for ko in /lib/modules-for-scsi/*; do case \$ko in *debug.ko) echo 1 >/sys/kernel/tracing/events/scsi/enable;; esac; insmod \$ko; done; echo scsi: loaded $1"
	await_console g1 "^scsi: loaded $1"
	tell g1 "while [ \$(grep -c scsi_dispatch_cmd_done /sys/kernel/tracing/trace) -lt 3 ]; do sleep 1; done; sleep 3; echo 0 >/sys/kernel/tracing/events/scsi/enable; sed -n 's/.*\\(scsi_dispatch_cmd_start.*\\)/traced-$1: \\1/p' /sys/kernel/tracing/trace; echo scsi: traced $1"
	await_console g1 "^scsi: traced $1"
}

unload() {
	tell g1 "rmmod scsi_debug && rmmod scsi_mod && echo scsi: gone $1"
	await_console g1 "^scsi: gone $1" && passed "a module that is recorded can be unloaded, time $1"
}

modules_come_and_go() {
	tell g1 'mount -t tracefs tracefs /sys/kernel/tracing; echo tracefs is there'
	await_console g1 '^tracefs is there'
	strata list --events g1 'scsi/*' 'jbd2/*' >listed
	expect_line "events of a module that is not loaded are listed" listed '^ +scsi/scsi_dispatch_cmd_start$'
	start_recorder modules --xen sched --kernel 'g1:scsi/*,nbd/*,module_load,module_free,sys_enter' --output "$LAB_OUT/modules"
	mark g1 1
	load 1
	unload 1
	mark g1 2
	load 2
	tell g1 'insmod /lib/modules-for-tests/impostor.ko; echo impostor: there'
	await_console g1 '^impostor: there'
	unload 2
	mark g1 3
	end_recorder INT
	log=modules
	expect_status "the recording ends well" 0
	expect_line "nothing was lost" modules 'recorded [1-9][0-9]* events .*, 0 lost'
	expect_no_line "nothing was left out" modules 'left out|refused|does not answer'
}

# strata.ko itself goes while it follows a module, and comes back.
module_goes() {
	tell g1 'rmmod strata && insmod /lib/strata.ko && echo strata: is back'
	await_console g1 '^strata: is back' && passed "the module can be unloaded, and loaded again"
}

modules_come_and_go
module_goes

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
