#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Messages of the strata command when there is nothing to record: on a machine without Xen, and for
# wrong command lines. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

strata=out/bin/strata

# says STATUS PATTERN ARGUMENTS...: the status, and one line on stderr or stdout that matches.
says() {
	local wanted=$1 pattern=$2 status=0 output
	shift 2
	output=$("$strata" "$@" 2>&1) || status=$?
	printf 'status %s: %s\n' "$status" "$output"
	[ "$status" = "$wanted" ] && printf '%s\n' "$output" | grep -qE "$pattern"
}

check "without a verb it shows how" says 2 '^Usage: strata .--system. VERB'
for word in version --version -V; do
	check "$word prints the version" says 0 '^strata [0-9]+\.[0-9]+$' "$word"
done
check "it takes no argument" says 2 'version takes no "x"' version x
check "a wrong verb is named" says 2 'unknown verb "recrod"' recrod
check "--system is for verbs of sessions" says 2 '"record" asks no stratad' --system record --duration 1s
check "enable-consumer of lttng: what to do here" says 2 'no verb "enable-consumer": .strata start. starts' enable-consumer
check "regenerate likewise" says 2 'no verb "regenerate": .*.strata recover.' regenerate metadata
check "version --json prints the same" reply ".status == 0 and .name == \"strata\" and \"strata \" + .version == \"$("$strata" version | head -n 1)\" and
	.hypervisor_abi > 0 and .guest_abi > 0 and .application_protocol > 0 and .oldest_recording <= .newest_recording" version --json
check "and takes nothing else" says 2 'version takes no "x"' version --json x
check "select --json without a recorder: the reply says why" reply '.status == 1 and (.message | length > 0)' select --json --xen sched
check "snapshot --json likewise" reply '.status == 1 and (.message | length > 0)' snapshot --json
for verb in list record recover merge; do
	check "$verb explains itself" says 0 "^Usage: strata $verb" "$verb" --help
done
# The first file that a recorder opens is its lock; without a stderr of its own it would write its complaint into that.
closed_stderr_is_no_file_of_ours() {
	local status=0
	"$strata" record --duration 1s --output out/tests/none 2>&- || status=$?
	[ "$status" = 1 ] && ! grep Xen /run/strata/*.lock
}

full_stdout_is_no_success() {
	local status=0
	"$strata" list --help >/dev/full 2>/dev/null || status=$?
	[ "$status" = 1 ]
}

check "what could not be shown is no success" full_stdout_is_no_success
check "list: not on Xen" says 1 'does not run under Xen .*run strata in dom0' list
check "record: not on Xen" says 1 'does not run under Xen .*run strata in dom0' record --duration 1s
check "record: a closed stderr is not the lock" closed_stderr_is_no_file_of_ours
check "record: a wrong time is named" says 2 '"soon" is not a time' record --duration soon
check "record: a wrong class is named" says 2 '"shed" is not a class and matches no event of Xen' record --xen shed
check "record: a wrong size is named" says 2 '"63K" is not SIZExN' record --xen-buffer 63K
for period in 9 60001 -1 +50 1e3 50ms 4294967396 ''; do
	check "record: a wrong period (\"$period\") is named" says 2 'is not a number of milliseconds from 10 to 60000, or 0' \
		record --switch-timer "$period"
done
check "record: a flight recorder has no switch timer" says 2 'cannot be combined with --overwrite' record --switch-timer 100 --overwrite
check "record: half a selection is named" says 2 'is not DOMAIN:EVENTS' record --kernel :sched
check "record: a probe without a domain is named" says 2 'is not DOMAIN:\[NAME=\]SYMBOL\[\+OFFSET\]' record --kprobe do_nanosleep
check "record: a return has no offset" says 2 '"g1:f\+4" is not DOMAIN:\[NAME=\]SYMBOL \[ARGUMENT' record --kretprobe g1:f+4
check "record: a function is a pattern of names" says 2 '"g1:vfs_\{a\}" is not DOMAIN:\[NAME=\]PATTERN' record --function 'g1:vfs_{a}'
check "record: a program is known by its whole path" says 2 '"g1:cat:main" is not DOMAIN:\[NAME=\]PATH:SYMBOL' record --uprobe g1:cat:main
check "record: a thread is a number" says 2 '"g1:init" is not DOMAIN:N,N' record --tid g1:init
check "record: a context is known by its name" says 2 '"colour" is not a context; .strata add-context --list. lists them' record --kernel-context g1:pid,colour
check "add-context: it lists the contexts" says 0 '^callstack-user +addresses' add-context --list
check "add-context: and the counters" says 0 '^perf:cpu:page-faults +page faults' add-context --list
check "record: a counter is known by its name" says 2 '"perf:cpu:colours" is not a context' record --kernel-context g1:perf:cpu:colours
check "add-context: a kernel and names are needed" says 2 'kernel and --type are needed' add-context -t pid
check "add-context: a list takes no other option" says 2 'list takes no other option' add-context --list --json
check "add-context: names follow an option" says 2 'the contexts follow --type' add-context --kernel g1 -t nice pid
check "list: a domain goes with --events" says 2 '^Usage: strata list' list g1
check "record: half an application is named" says 2 'is not PROGRAM:EVENTS' record --app server:
check "record: asked for Xen too, it wants Xen" says 1 'does not run under Xen' record --app all --xen sched
check "record: an unknown option is refused" says 2 'unknown option' record --nonsense
check "select: too much at once is named" says 2 'xen: .* more than [0-9]+' select --xen "$(printf '%010000d' 0)"
check "recover: what is not there is named" says 1 'nowhere: .*name the output directory' recover nowhere
check "recover: a directory without a name wants another" says 2 'name the output directory with --output' recover .
check "merge: what is not there is named" says 1 'nowhere' merge nowhere -o out/tests/none
check "merge: what is no trace is named" says 1 'contains no trace' merge tests -o out/tests/none
finish
