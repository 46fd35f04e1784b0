#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the papers' workloads in dom0, each under each recorder, as lines "VARIANT WORKLOAD..." of $LAB_OUT/turns say, and prints how
# many instructions they took, as "took VARIANT WORKLOAD PART INSTRUCTIONS". What was recorded goes to $LAB_OUT/VARIANT/WORKLOAD.
# run.sh reads both.
#
# The disk is a file system in memory: while an emulated one is waited for, no instructions pass, and nothing is counted.

cd /tmp || exit

# The default events of Strata's kernels, as LTTng calls them. Strata records upcalls of event channels besides.
EVENTS=sched_switch,sched_waking,sched_wakeup,sched_wakeup_new,sched_migrate_task,sched_process_fork,sched_process_exec
EVENTS=$EVENTS,sched_process_exit,irq_handler_entry,irq_handler_exit,irq_softirq_raise,irq_softirq_entry,irq_softirq_exit
EVENTS=$EVENTS,timer_hrtimer_expire_entry,timer_hrtimer_expire_exit
# A buffer has as much in both: a flight recorder's 4 MiB, which the workloads fill several times, and else 16 MiB, so that none is lost.
SUBBUF_KB=64
CLIENTS=8 SECONDS_OF_CLIENTS=4

fail() {
	echo "failed: $1"
	[ -z "${2-}" ] || cat "$2"
	exit 1
}

# Clients of dbench and tbench sleep at the end of load.txt, until these seconds are over.
run_workload() {
	case $1 in
	calls) calls ;;
	ping) calls ping ;;
	dbench)
		mkdir clients
		counted dbench -t $SECONDS_OF_CLIENTS -c "$LAB_OUT/load.txt" -D clients $CLIENTS
		rm -rf clients
		;;
	tbench) counted tbench -t $SECONDS_OF_CLIENTS -c "$LAB_OUT/load.txt" $CLIENTS 127.0.0.1 ;;
	gcc) counted compile ;;
	probe)
		dmesg -c >/dev/null
		insmod "$LAB_OUT/strata_count.ko" what=tracepoint
		rmmod strata_count
		dmesg | sed -n 's/.*strata_count: tracepoint .*instructions /probe /p'
		;;
	primitives)
		dmesg -c >/dev/null
		insmod "$LAB_OUT/strata_primitives.ko"
		rmmod strata_primitives
		dmesg | sed -n -E 's/.*strata_primitives: ([a-z_]+) ([0-9.]+) ([0-9.]+)$/\1 \2\n\1_operations \3/p'
		;;
	*) fail "there is no workload $1" ;;
	esac
}

# Prints what WORKLOAD took under VARIANT.
measure() {
	echo 3 >/proc/sys/vm/drop_caches
	run_workload "$2" >result 2>&1 || fail "$1 $2" result
	sed -n -E "s/^([a-z_0-9]+) ([0-9.]+)\$/took $1 $2 \\1 \\2/p" result
}

# Sub-buffers of VARIANT.
nr_subbufs() {
	case $1 in
	*_flight) echo 64 ;;
	*) echo 256 ;;
	esac
}

# The same while Strata records: VARIANT WORKLOAD OPTION...
strata_records() {
	variant=$1 workload=$2
	shift 2
	: >log
	strata record "$@" --output recorded >log 2>&1 &
	recorder=$!
	until grep -q "recording .* sources into" log; do
		kill -0 $recorder || fail "strata record" log
		usleep 100000
	done
	measure "$variant" "$workload"
	kill -INT $recorder
	wait $recorder || fail "strata record" log
}

# The same while it records the kernel. Its rings are new, as LTTng's are: their packets are numbered from 0.
strata_records_kernel() {
	module=strata events=default overwrite=
	[ "$2" != probe ] || events=power/cpu_frequency
	case $1 in
	strata_locked | strata_irqs_off) module=$1 ;;
	strata_flight) overwrite=--overwrite ;;
	esac
	insmod "$LAB_OUT/$module.ko" subbuf_kb=$SUBBUF_KB nr_subbufs="$(nr_subbufs "$1")" || fail "strata.ko does not load"
	# shellcheck disable=SC2086 # no argument, or one
	strata_records "$1" "$2" --xen none --kernel "dom0:$events" $overwrite
	rmmod strata || fail "strata.ko does not unload"
}

# The same while xentrace records what Xen does for PV guests' kernels, into 16 MiB: VARIANT WORKLOAD
xentrace_records() {
	mkdir recorded
	xentrace -D -S 4096 -e 0x0020f000 recorded/xentrace >log 2>&1 &
	recorder=$!
	sleep 1
	kill -0 $recorder || fail "xentrace" log
	measure "$1" "$2"
	kill -INT $recorder
	wait $recorder || fail "xentrace" log
}

# The same while LTTng records: VARIANT WORKLOAD
lttng_records() {
	events=$EVENTS
	[ "$2" != probe ] || events=power_cpu_frequency
	case $1 in
	*_flight) session=--snapshot mode=--overwrite ;;
	*) session=--output=/tmp/recorded mode=--discard ;;
	esac
	{
		lttng create bench $session &&
			lttng enable-channel --kernel $mode --subbuf-size=${SUBBUF_KB}K --num-subbuf="$(nr_subbufs "$1")" bench &&
			lttng enable-event --kernel --channel=bench "$events" &&
			{ [ "$2" = probe ] || lttng enable-event --kernel --channel=bench --syscall --all; } &&
			lttng start
	} >log 2>&1 || fail "LTTng" log
	measure "$1" "$2"
	lttng stop >log 2>&1 || fail "LTTng" log
	[ $session != --snapshot ] || lttng snapshot record /tmp/recorded >>log 2>&1 || fail "LTTng" log
	lttng destroy >>log 2>&1 || fail "LTTng" log
}

start_lttng() {
	cp -r "$LAB_OUT/lttng" .
	ln -s "/tmp/lttng/lib/modules/$(uname -r)" "/lib/modules/$(uname -r)"
	mkdir -p /dev/shm
	mount -t tmpfs tmpfs /dev/shm
	export PATH="/tmp/lttng/bin:$PATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH:/tmp/lttng/lib"
	export LTTNG_HOME=/tmp LTTNG_SESSION_CONFIG_XSD_PATH=/tmp/lttng/share
	lttng-sessiond --daemonize --kmod-probes=sched,irq,timer,power --consumerd64-path=/tmp/lttng/bin/lttng-consumerd >log 2>&1 ||
		fail "LTTng does not start" log
}

mount -t tmpfs -o remount,size=2600m tmpfs /tmp
# What a compiler does depends on where its memory lies.
echo 0 >/proc/sys/kernel/randomize_va_space
cp -r "$LAB_OUT/programs" /tmp/programs
export PATH="/tmp/programs/bin:$PATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH:/tmp/programs/lib"
tbench_srv >/dev/null 2>&1 &
while read -r variant workloads; do
	for workload in $workloads; do
		echo "$variant $workload at $(cut -d ' ' -f 1 /proc/uptime) s"
		case $variant in
		off) measure off "$workload" ;;
		strata_xen) strata_records "$variant" "$workload" --xen pv --xen-buffer ${SUBBUF_KB}Kx256 --kernel none ;;
		xentrace_xen) xentrace_records "$variant" "$workload" ;;
		strata_*) strata_records_kernel "$variant" "$workload" ;;
		lttng_*)
			[ -d lttng ] || start_lttng
			lttng_records "$variant" "$workload"
			;;
		esac
		[ "$variant" = off ] || {
			mkdir -p "$LAB_OUT/$variant"
			cp -r recorded "$LAB_OUT/$variant/$workload"
			rm -rf recorded
		}
	done
done <"$LAB_OUT/turns"
