#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records uprobes of a program in the guest and in dom0. Runs in dom0; what is recorded goes to $LAB_OUT, where checks/uprobes.sh
# compares it with what the program passes.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

# The arguments of strata_probed().
# shellcheck disable=SC2016 # for the kernel
ARGUMENTS='number=$arg1:s64 inner=+0($arg2):x64 text=+8($arg2):string[24] also=+u0(%dx):string'

mkdir -p /tmp/logs
cd /tmp/logs || exit
cp /boot/bin/probed /tmp/probed

# Has a program in the guest and in dom0 make its calls of phase $1.
probed_calls() {
	tell g1 "probed 100 $1"
	await_console g1 "^probed: phase $1 "
	/tmp/probed 100 "$1" >"$LAB_OUT/probed-dom0-$1"
}

# Records program $2 in kernel $1, as $3, with the other arguments.
start_probes() {
	kernel=$1
	program=$2
	log=$3
	shift 3
	# shellcheck disable=SC2016
	start_recorder "$log" --xen sched --xen-buffer 64Kx8 --kernel "$kernel:none" --uprobe "$kernel:entered=$program:strata_probed $ARGUMENTS" \
		--uretprobe "$kernel:left=$program:strata_probed value=\$retval:s64" \
		--uprobe "$kernel:inside=$program:strata_places+5 value=%ax:s64" \
		--uprobe "$kernel:by_offset=$program:$offset value=%di:s64" --output "$LAB_OUT/$log" "$@"
}

programs_are_probed() {
	start_probes g1 /bin/probed guest --kernel-context g1:procname,callstack-user
	guest=$recorder
	start_probes dom0 /tmp/probed dom0
	dom0=$recorder
	probed_calls 1
	end_whole guest $guest
	end_whole dom0 $dom0
	# Nothing is left in the program.
	probed_calls 2
}

# The module finds its events again; it tests their arguments.
arguments_are_filtered() {
	start_recorder filtered --xen none --kernel g1:none --uprobe "g1:entered=/bin/probed:strata_probed $ARGUMENTS" \
		--kernel-filter 'g1:entered: number < 12884901898' --output "$LAB_OUT/filtered"
	probed_calls 3
	end_whole filtered $recorder
	expect_events "ten of the calls pass the filter" "$LAB_OUT/filtered" entered 10
}

# expect_refused NAME WHAT REASON: a probe on WHAT of the guest is refused, and its kernel's log has REASON.
expect_refused() {
	try "refused" strata record --duration 100ms --xen none --kernel g1:none --uprobe "g1:$2" --output "$LAB_OUT/refused" --force
	expect_line "$1 is refused" refused '\(g1\) is left out: its module refuses uprobe '
	expect_line "and the kernel's log says why" "$LAB_OUT/guest-g1.log" "$3"
}

what_cannot_be_probed_is_refused() {
	expect_refused "a function that the file lacks" /bin/probed:no_such 'no uprobe on /bin/probed:no_such with "" \(error -2\)'
	expect_refused "a file that is absent" /bin/absent:main 'no uprobe on /bin/absent:main with "" \(error -2\)'
	expect_refused "a directory" /bin:main 'no uprobe on /bin:main with "" \(error -22\)'
	expect_refused "a file that is no program" /proc/version:main 'no uprobe on /proc/version:main with "" \(error -'
	expect_refused "an offset behind the end" /bin/probed:0x7fffffff 'no uprobe on /bin/probed:0x7fffffff with "" \(error -22\)'
	tell g1 'cp /bin/probed /bin/other; mv /bin/other /bin/probed; echo replaced'
	await_console g1 '^replaced'
	expect_refused "another file of that name, for an old event," 'inside=/bin/probed:strata_places+5 value=%ax:s64' \
		'no uprobe: another file has taken the place of /bin/probed:strata_places\+5'
}

# shellcheck disable=SC2016
session_has_uprobes() {
	stratad >daemon 2>&1 &
	try created strata create --output "$LAB_OUT/session" uprobes
	# No default events, with which dom0 would be busy.
	try added strata enable-event --kernel g1 none
	try added strata enable-event --kernel g1 --uprobe 'again=/bin/probed:strata_probed number=$arg1:s64'
	try added strata enable-event --kernel g1 --uretprobe 'back=/bin/probed:strata_probed'
	try started strata start
	expect_status "a session with uprobes starts" 0
	probed_calls 4
	try stopped strata stop
	expect_status "and stops" 0
	strata status uprobes >shown
	expect_line "it shows the place" shown 'again=/bin/probed:strata_probed number='
}

offset=$(/tmp/probed 0 0 | sed 's/.* offset //')
programs_are_probed
arguments_are_filtered
what_cannot_be_probed_is_refused
session_has_uprobes

dmesg >"$LAB_OUT/dom0-dmesg"
xl dmesg >"$LAB_OUT/xl-dmesg"
end_checks
