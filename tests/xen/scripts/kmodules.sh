#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records a guest whose modules come and go meanwhile. Runs in dom0; what it records goes to $LAB_OUT, where checks/kmodules.sh compares
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

# A file system whose structures the kernel's headers lack: its own BTF has the names. The guest's tracer shows the same writes.
file_system_by_name() {
	try early strata record --output /tmp/early --duration 100ms --xen none --kernel g1:none --tracepoint g1:ext4_da_write_begin
	expect_line "a trace point of a module that is not loaded is refused" early \
		'neither the kernel nor a loaded module has this trace point; load the module that has it'
	# shellcheck disable=SC2016 # expanded in the guest
	tell g1 'for ko in /lib/modules-for-scsi/* /lib/modules-for-ext4/*; do insmod $ko; done; while [ ! -b /dev/sda ]; do sleep 1; done; mke2fs /dev/sda; mkdir /tmp/disk; mount -t ext4 /dev/sda /tmp/disk && echo "ext4: is mounted"'
	await_console g1 '^ext4: is mounted'
	# shellcheck disable=SC2016 # $arg is the probe's
	start_recorder ext4 --xen none --kernel g1:none --output "$LAB_OUT/ext4" \
		--tracepoint 'g1:wrote=ext4_da_write_begin ino=inode->i_ino pos len disk=inode->i_sb->s_id:string' \
		--tracepoint 'g1:synced=ext4_sync_file_exit $arg*' --tracepoint 'g1:ended=sched_process_exit name=p->comm:string p->pid' \
		--kprobe 'g1:opened=ext4_file_open inode->i_ino filp->f_flags'
	# shellcheck disable=SC2016 # likewise
	tell g1 'cd /sys/kernel/tracing; echo >trace; for e in ext4_da_write_begin ext4_sync_file_exit; do echo 1 >events/ext4/$e/enable; done; for n in 1 2 3; do dd if=/dev/zero of=/tmp/disk/file-$n bs=${n}111 count=3 conv=fsync; done; echo 0 >events/ext4/enable; sed -n "s/.*\\(ext4_[a-z_]*: .*\\)/ext4-traced: \\1/p" trace; cd /; echo "ext4: is traced"'
	await_console g1 '^ext4: is traced'
	end_recorder INT
	log=ext4
	expect_status "the recording of a file system ends well" 0
	expect_line "and lost nothing" ext4 'recorded [1-9][0-9]* events .*, 0 lost'
	refuses g1 tracepoint <<-'END'
		ext4_da_write_begin,ino 'ext4_da_write_begin' has no parameter 'ino'; its parameters: inode, pos, len
		ext4_da_write_begin,%di a trace point has no registers
		ext4_da_write_begin,$retval->i_ino only a function's return has .retval
		no_such_trace_point neither the kernel nor a loaded module has this trace point
	END
	tell g1 'umount /tmp/disk; rmmod ext4 2>&1 | grep -q "in use\|busy\|unavailable" && echo "ext4: it stays"'
	await_console g1 '^ext4: it stays' && passed "a module whose trace point has a name here stays"
}

# strata.ko itself goes while it follows a module, and comes back.
module_goes() {
	tell g1 'rmmod strata && rmmod ext4 && insmod /lib/strata.ko && echo strata: is back'
	await_console g1 '^strata: is back' && passed "the module can be unloaded, then ext4, and it can be loaded again"
}

modules_come_and_go
file_system_by_name
module_goes

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
