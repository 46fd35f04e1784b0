#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# The calls and the returns of kernel functions were traced in a guest and in dom0, also of those that the recording itself calls.
# Checks them against the calls that a program makes. Sourced by check_scripts of tests/tap.sh.

CALL=__x64_sys_getpriority

# traced RECORDING SOURCE CHECKS...: the events of functions are right.
traced() {
	local recording=$1 source=$2
	shift 2
	"$here/functions.py" "$OUT/$recording" "$source" "$OUT/kallsyms" "$@"
}

# names RECORDING NAME...: the recording has calls of each function.
names() {
	local recording=$1 name
	shift
	for name; do
		babeltrace2 "$OUT/$recording" | grep -c "_entry: .*name = \"$name\"" || { echo "no $name"; return 1; }
	done
}

# counts RECORDING PATTERN NUMBER: exactly NUMBER events of the recording match PATTERN.
counts() {
	local found
	found=$(babeltrace2 "$OUT/$1" | grep -cE "$2")
	echo "$found events"
	[ "$found" = "$3" ]
}

# distinct RECORDING EVENT FIELD NUMBER: the field has at least so many values.
distinct() {
	local found
	found=$(out/bin/strata sql --csv "$OUT/$1" "SELECT count(DISTINCT $3) FROM $2" 2>/dev/null | tail -n 1)
	echo "$found values"
	[ "$found" -ge "$4" ]
}

# sources RECORDING: their names.
sources() { jq -r '[.sources[].name] | sort | join(" ")' "$OUT/$1/recording.json"; }

check "each call and return in a guest is recorded as it was" traced guest g1 "calls=call_$CALL:100" probes=probed:100 \
	"caller=$CALL:do_syscall_64" caller=vfs_read:ksys_read
check "also of functions of other names" names guest vfs_read vfs_write vfs_statx
check "so is each in dom0" traced dom0 dom0 calls=get:100 "caller=$CALL:do_syscall_64"
check "also of a module's functions" names dom0 p9_client_write
check "an entry has the arguments of its call" counts arguments " marks_entry: .*, phase = 7, name = \"$CALL\"" 100
check "also one without a name for its events" counts arguments " call_${CALL}_[0-9a-f]{4}_entry: .*, phase = 7, name = \"$CALL\"" 100
by_name() { babeltrace2 "$OUT/arguments" | grep -E ' byname_entry: .*, file = 0x[0-9A-Fa-f]+, buf = 0x[0-9A-Fa-f]+, count = [1-9][0-9]*, pos = 0x'; }
check "arguments are named as the kernel's source names them" by_name
check "a filter tests them" counts arguments ' marks_' 100
check "the recording does not record itself" traced own g1 lossy=1
check "but the same functions of others" names own _raw_spin_lock _raw_spin_unlock_irqrestore xen_evtchn_do_upcall
check "together with trace points, too" traced both g1 lossy=1
check "and in dom0" traced self dom0 lossy=1
for half in entry exit; do
	check "thousands of functions are recorded: $half" distinct many thousands_$half ip 50
done
check "their events are those of their functions" traced many g1 lossy=1
check "Xen records the clock of a guest, if no events" test "$(sources own)" = "g1 xen"
check "so the guest's times are known" merged_cleanly "$OUT/own" "$OUT/own-merged"
check "dom0's kernel needs no clock of Xen's" test "$(sources dom0)" = dom0
check "a session has the calls and returns" traced session g1 calls=again:100
check "functions: merges, no violation" merged_cleanly "$OUT/guest" "$OUT/merged"
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount|segfault|stalls' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
