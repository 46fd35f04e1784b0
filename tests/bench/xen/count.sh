#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Counts the instructions of events under each recorder that $LAB_OUT/variants names. Runs in dom0 of a host whose time passes with
# instructions; instructions.sh reads the lines that it prints, and checks that what it records is all there.

cd /tmp || exit

fail() {
	echo "failed: $1"
	[ -z "${2-}" ] || cat "$2"
	exit 1
}

# Runs the loops over WHAT under VARIANT.
count() {
	dmesg -c >/dev/null
	insmod "$LAB_OUT/strata_count.ko" what="$1" variant="$2" || fail "strata_count.ko does not run"
	rmmod strata_count
	dmesg | sed -n 's/.*strata_count: //p'
}

# Runs the loops while Strata records: WHAT VARIANT OPTION...
count_strata() {
	what=$1 name=$2
	shift 2
	: >log
	strata record "$@" --output "$what-$name" >log 2>&1 &
	recorder=$!
	until grep -q "recording .* sources into" log; do
		kill -0 $recorder || fail "strata record" log
		usleep 100000
	done
	count "$what" "$name"
	kill -INT $recorder
	wait $recorder || fail "strata record" log
	cp -r "$what-$name" "$LAB_OUT/"
}

# Runs the loops while Strata counts the events, and records none: WHAT OPTION...
count_aggregate() {
	what=$1
	shift
	: >log
	strata record --aggregate count --json "$@" >"$what-strata_aggregate.json" 2>log &
	recorder=$!
	until grep -q "counting in channel" log; do
		kill -0 $recorder || fail "strata record --aggregate" log
		usleep 100000
	done
	count "$what" strata_aggregate
	kill -INT $recorder
	wait $recorder || fail "strata record --aggregate" log
	cp "$what-strata_aggregate.json" "$LAB_OUT/"
}

# While xentrace records what guests' kernels do, into 1 MiB.
count_xentrace() {
	xentrace -D -S 256 -e 0x0020f000 hypercalls-xentrace >log 2>&1 &
	recorder=$!
	sleep 1
	kill -0 $recorder || fail "xentrace" log
	count hypercalls xentrace
	kill -INT $recorder
	wait $recorder || fail "xentrace" log
	cp hypercalls-xentrace "$LAB_OUT/"
}

# While LTTng records, into as much as strata.ko has.
count_lttng() {
	cp -r "$LAB_OUT/lttng" .
	ln -s "/tmp/lttng/lib/modules/$(uname -r)" "/lib/modules/$(uname -r)"
	mkdir -p /dev/shm
	mount -t tmpfs tmpfs /dev/shm
	export PATH="/tmp/lttng/bin:$PATH" LD_LIBRARY_PATH="$LD_LIBRARY_PATH:/tmp/lttng/lib"
	export LTTNG_HOME=/tmp LTTNG_SESSION_CONFIG_XSD_PATH=/tmp/lttng/share
	{
		lttng-sessiond --daemonize --kmod-probes=power --consumerd64-path=/tmp/lttng/bin/lttng-consumerd &&
			lttng create bench --output=/tmp/tracepoint-lttng_modules &&
			lttng enable-channel --kernel --discard --subbuf-size=64K --num-subbuf=16 bench &&
			lttng enable-event --kernel --channel=bench power_cpu_frequency &&
			lttng start
	} >log 2>&1 || {
		# It is not ours to mend, and the other figures stand.
		echo "LTTng does not record: $(tail -n 1 log)"
		return
	}
	count tracepoint lttng_modules
	{ lttng stop && lttng destroy; } >log 2>&1 || echo "LTTng does not end: $(tail -n 1 log)"
	cp -r tracepoint-lttng_modules "$LAB_OUT/"
	kill "$(cat /run/lttng/lttng-sessiond.pid)"
}

insmod "$LAB_OUT/strata.ko" || fail "strata.ko does not load"
while read -r variant; do
	case $variant in
	off)
		count hypercalls off
		count softirqs off
		count tracepoint off
		;;
	strata_two)
		strata record --xen 'pv_hypercall*' --kernel dom0:power/cpu_frequency --output beside >beside.log 2>&1 &
		beside=$!
		until grep -q "recording .* sources into" beside.log; do
			kill -0 $beside || fail "strata record" beside.log
			usleep 100000
		done
		count_strata hypercalls "$variant" --xen 'pv_hypercall*' --kernel none
		count_strata tracepoint "$variant" --xen none --kernel dom0:power/cpu_frequency
		kill -INT $beside
		wait $beside || fail "strata record" beside.log
		;;
	strata_aggregate)
		count_aggregate hypercalls --xen 'pv_hypercall*'
		count_aggregate tracepoint --xen none --kernel dom0:power/cpu_frequency
		;;
	xentrace) count_xentrace ;;
	lttng_modules) count_lttng ;;
	*)
		count_strata hypercalls "$variant" --xen 'pv_hypercall*' --kernel none
		count_strata tracepoint "$variant" --xen none --kernel dom0:power/cpu_frequency
		;;
	esac
done <"$LAB_OUT/variants"
