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

# Runs the loops while strata records: WHAT VARIANT OPTION...
count_recorded() {
	what=$1 name=$2
	shift 2
	strata record "$@" --output "/tmp/$what-$name" >log 2>&1 &
	recorder=$!
	until grep -q "recording .* sources into" log; do
		kill -0 $recorder || fail "strata record ends" log
		usleep 100000
	done
	count "$what" "$name"
	kill -INT $recorder
	wait $recorder || fail "strata record" log
	cp -r "/tmp/$what-$name" "$LAB_OUT/"
}

count_xentrace() {
	xentrace -D -S 256 -e 0x0020f000 /tmp/xentrace >log 2>&1 &
	recorder=$!
	sleep 1
	count hypercalls xentrace
	kill -INT $recorder
	wait $recorder || fail "xentrace" log
	cp /tmp/xentrace "$LAB_OUT/"
}

insmod "$LAB_OUT/strata.ko" || fail "strata.ko does not load"
while read -r variant; do
	case $variant in
	off)
		count hypercalls off
		count tracepoint off
		;;
	xentrace) count_xentrace ;;
	*)
		count_recorded hypercalls "$variant" --xen 'pv_hypercall*' --kernel none
		count_recorded tracepoint "$variant" --xen none --kernel dom0:power/cpu_frequency
		;;
	esac
done <"$LAB_OUT/variants"
