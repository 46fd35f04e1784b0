#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=dash
#
# The first process of a machine of two_machines.sh: records with LTTng, kernel and application, while it and the other machine
# send to each other, and leaves the trace in the shared folder. Its role follows "--" on the kernel's command line:
#     NAME ADDRESS OTHER serve|ask PPM
# where its clock runs PPM millionths faster than it would. It tells what it does in lines that start with MACHINE.

export PATH=/bin:/lttng/bin
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu

say() {
	echo "MACHINE $*" >/dev/ttyS0
}

finish() {
	sync
	umount /out
	say "end status=$1"
	poweroff -f
}

# Arguments: what failed, and a file that says more.
fail() {
	[ -z "${2-}" ] || cat "$2"
	say "failed: $1"
	finish 1
}

mount_all() {
	mount -t proc proc /proc
	mount -t sysfs sysfs /sys
	mount -t devtmpfs devtmpfs /dev
	mkdir -p /dev/shm /out
	mount -t tmpfs tmpfs /dev/shm
	mount -t tmpfs tmpfs /run
	mount -t tmpfs -o size=75% tmpfs /tmp
	exec </dev/console >/dev/console 2>&1
	for ko in /lib/modules/*.ko; do
		insmod "$ko" || fail "insmod $ko"
	done
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /out || fail "mount /out"
}

# The name also goes into what LTTng says of the machine.
set_up() {
	hostname "$name"
	ip link set lo up
	ip addr add "$address/24" dev eth0 || fail "there is no network device"
	ip link set eth0 up
	# In parts of 2^-16 of a millionth.
	adjtimex -q -f $((ppm * 65536)) || fail "cannot set the clock's rate"
}

# Prints the file of the memory that both machines have.
shared_memory() {
	for device in /sys/bus/pci/devices/*; do
		[ "$(cat "$device/vendor"):$(cat "$device/device")" = 0x1af4:0x1110 ] || continue
		echo 1 >"$device/enable"
		echo "$device/resource2"
		return
	done
	fail "there is no shared memory"
}

start_lttng() {
	export LTTNG_HOME=/tmp LTTNG_SESSION_CONFIG_XSD_PATH=/lttng/share
	kernel=sched_switch,sched_waking,sched_process_fork,sched_process_exit,irq_handler_entry,irq_handler_exit
	kernel=$kernel,irq_softirq_entry,irq_softirq_exit,net_dev_queue,net_dev_xmit,net_if_receive_skb
	{
		lttng-sessiond --daemonize --kmod-probes=sched,irq,net,statedump --consumerd64-path=/lttng/bin/lttng-consumerd &&
			lttng create machine --output=/tmp/trace &&
			lttng enable-channel --kernel --discard --subbuf-size=1M --num-subbuf=8 kernel &&
			lttng enable-event --kernel --channel=kernel "$kernel" &&
			lttng enable-event --kernel --channel=kernel --syscall sendto,recvfrom,nanosleep,connect,accept &&
			lttng enable-event --userspace 'traffic:*' &&
			lttng start
	} >/tmp/log 2>&1 || fail "LTTng does not record" /tmp/log
}

stop_lttng() {
	{ lttng stop && lttng destroy; } >/tmp/log 2>&1 || fail "LTTng does not end" /tmp/log
	! grep -i discarded /tmp/log || fail "LTTng lost events" /tmp/log
	kill "$(cat /run/lttng/lttng-sessiond.pid)"
	cp -r /tmp/trace "/out/$name" || fail "cannot copy the trace"
}

mount_all
# shellcheck disable=SC2046 # several words
set -- $(sed 's/.* -- //' /proc/cmdline)
name=$1 address=$2 other=$3 what=$4 ppm=$5
set_up
start_lttng
say "records"
memory=$(shared_memory)
if [ "$what" = ask ]; then
	compare_clocks lead "$memory" >/tmp/clocks &
	comparing=$!
	traffic ask "$other" >/tmp/log 2>&1 || fail "the traffic stopped" /tmp/log
	kill $comparing
	wait $comparing
	cp /tmp/clocks /out/clocks
else
	compare_clocks follow "$memory" &
	comparing=$!
	traffic serve >/tmp/log 2>&1 || fail "the traffic stopped" /tmp/log
	kill $comparing
fi
say "has sent and received all"
stop_lttng
finish 0
