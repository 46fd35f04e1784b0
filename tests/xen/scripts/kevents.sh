#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Trace points, kprobes, filters and flush of real kernels. Runs in dom0; what it records and lists goes to $LAB_OUT, where
# test_kevents.sh looks at it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"
# shellcheck source=tests/xen/scripts/recorder.sh
. "${0%/*}/recorder.sh"

CALLS=2000
GETPRIORITY=__x64_sys_getpriority
CTL=/local/domain/0/data/strata

mkdir -p /tmp/logs
cd /tmp/logs || exit

# Starts $CALLS calls in each of two threads, which wait for a recording to begin; $thread is one of them.
start_calls() {
	"$LAB_OUT/calls" $CALLS >calls 2>&1 &
	calls=$!
	await -p $calls 300 has_lines calls '^calls: threads'
	# shellcheck disable=SC2034 # read sets them all
	read -r _ _ _ thread <calls
}

# What strata says of each event, and what the kernel itself says.
list_events() {
	strata list --events --long dom0 >"$LAB_OUT/listed"
	strata list --events --long --json >"$LAB_OUT/listed.json"
	mount -t tracefs tracefs /sys/kernel/tracing
	grep -H field: /sys/kernel/tracing/events/*/*/format >"$LAB_OUT/formats"
	strata list --events g1 'sched_switch' 'exceptions/*' >chosen
	expect_line "list takes a name of an event" chosen '^ +sched/sched_switch$'
	expect_line "list takes a group" chosen '^ +exceptions/page_fault_user$'
	wc -l <chosen >lines
	expect_line "and lists nothing else" lines '^4$'
}

probes_and_filter() {
	start_calls
	echo "$thread" >"$LAB_OUT/thread"
	strata record --output "$LAB_OUT/probed" --event-header compact --xen none --kernel dom0:sys_enter \
		--kprobe dom0:$GETPRIORITY --kretprobe dom0:$GETPRIORITY --tid "dom0:$thread" >probed 2>&1 &
	recorder=$!
	wait "$calls"
	end_recorder INT
	echo "status $status" >>probed
	expect_line "probes and a filter are recorded" probed '^status 0$'
}

# Starts a process that makes 100 marked calls of phase $1 once file go-$1 is there; its number is $process.
start_marked() {
	# shellcheck disable=SC2016 # that shell expands it
	sh -c 'until [ -e "go-$1" ]; do usleep 20000; done; exec "$2" 100 "$1"' sh "$1" "$LAB_OUT/marked" >"marked-$1" 2>&1 &
	process=$!
}

# Lets the process of phase $1 go, and waits for its end.
let_go() {
	touch "go-$1"
	wait "$process"
}

# At first the filter lets nobody pass; then one process by its number as a thread, and then another by its own.
filter_changes_while_it_records() {
	start_recorder filtered --output "$LAB_OUT/filtered" --xen none --kernel dom0:sys_enter --tid dom0:1
	start_marked 1
	let_go 1
	for by in tid:2 pid:3; do
		start_marked "${by#*:}"
		strata select "--${by%:*}" "dom0:$process" >selected 2>&1
		echo "status $?" >>selected
		expect_line "a filter by ${by%:*} is changed while it records" selected '^status 0$'
		echo "$process" >"$LAB_OUT/process-${by#*:}"
		let_go "${by#*:}"
	done
	end_recorder INT
	echo "status $status" >>filtered
	expect_line "and the recording ends well" filtered '^status 0$'
}

# shellcheck disable=SC2317 # await calls it
is_flushed() {
	[ "$(xenstore-read "$CTL/state")" = "flushed 4294967000" ]
}

# A sub-buffer that is not full reaches the recorder only when it is flushed; full ones, if all calls were on one CPU, came before.
flush_hands_over() {
	start_calls
	strata record --output /tmp/flushed --switch-timer 0 --xen none --kernel dom0:none --kprobe dom0:$GETPRIORITY >flushed 2>&1 &
	recorder=$!
	wait "$calls"
	sleep 1
	before=$(cat /tmp/flushed/dom0/cpu_* | wc -c)
	xenstore-write $CTL/ctl "flush 4294967000"
	await 300 is_flushed
	usleep 500000
	echo "$(($(cat /tmp/flushed/dom0/cpu_* | wc -c) - before)) bytes" >after
	expect_line "flush hands it over while recording goes on" after '^[1-9][0-9]+ bytes'
	end_recorder INT
	echo "status $status" >>flushed
	expect_line "and the recording ends well" flushed "^strata: recorded $((2 * CALLS)) events .*, 0 lost"
}

wrong_probes_are_refused() {
	strata record --output /tmp/wrong --duration 100ms --xen none --kernel dom0:none --kprobe dom0:no_such_symbol >wrong 2>&1
	echo "status $?" >>wrong
	expect_line "a symbol that is not there is named" wrong 'left out: its module refuses kprobe no_such_symbol \(a symbol that its kernel or the file lacks'
	expect_line "and nothing is recorded" wrong '^status [13]$'
	strata record --output /tmp/nonsense --duration 100ms --xen none --kernel dom0:nonsense_\* >nonsense 2>&1
	expect_line "a pattern that names no event is named" nonsense '"nonsense_\*" names no event of this kernel'
}

# pt_regs of a system call: its arguments are at 0x70, 0x68 and 0x60, what it returns is not there yet.
probes_have_arguments() {
	short=/tmp/short long=/tmp/a-name-that-is-longer-than-its-field
	touch $short $long
	# shellcheck disable=SC2016 # $arg1 is the probe's
	start_recorder arguments --output "$LAB_OUT/arguments" --xen none --kernel dom0:none \
		--kprobe "dom0:call=$GETPRIORITY which=+0x70(\$arg1):s32 who=+0x68(\$arg1):x32 phase=+0x60(%di):u8" \
		--kretprobe "dom0:called=$GETPRIORITY \$retval:s64 low=\$retval:s8" \
		--kprobe 'dom0:open=do_sys_openat2 dfd=$arg1:s32 file=+u0($arg2):string[24] flags=+0($arg3):x64 none=+0($arg1):u64 bad=+8(+0($arg1)):string[12]'
	start_marked 4
	let_go 4
	cat $short $long
	end_recorder INT
	echo "status $status" >>arguments
	expect_line "probes with arguments are recorded" arguments '^status 0$'
	# shellcheck disable=SC2016 # likewise
	for wrong in '$retval' '%di:u24'; do
		try refused strata record --output /tmp/refused --force --duration 100ms --xen none --kernel dom0:none \
			--kprobe "dom0:refused=$GETPRIORITY $wrong"
		expect_line "an argument $wrong is refused" refused 'left out: its module refuses kprobe .* wrong argument'
	done
	try again strata record --output /tmp/again-call --duration 100ms --xen none --kernel dom0:none --kprobe "dom0:call=$GETPRIORITY %di"
	expect_line "a name is not used for two probes" again 'left out: its module refuses kprobe'
}

# Parameters and members by their names, which the kernel's BTF knows.
probes_have_names() {
	read=/tmp/read-by-name
	echo "some text" >$read
	stat -c %i $read >"$LAB_OUT/inode"
	# shellcheck disable=SC2016 # $retval is the probe's
	start_recorder named --output "$LAB_OUT/named" --xen none --kernel dom0:none \
		--kprobe 'dom0:reads=vfs_read file->f_inode->i_ino count name=file->f_path.dentry->d_iname:string pos' \
		--kprobe 'dom0:all=vfs_read $arg*' --kretprobe 'dom0:opened=do_filp_open inode=$retval->f_inode->i_ino'
	dd if=$read of=/dev/null bs=12345 count=1
	end_recorder INT
	echo "status $status" >>named
	expect_line "arguments by name are recorded" named '^status 0$'
	refuses dom0 kprobe <<-'END'
		vfs_read,fil 'vfs_read' has no parameter 'fil'; its parameters: file, buf, count, pos
		vfs_read,file->f_inode->ino struct inode has no member 'ino'; its members: i_mode, i_opflags
		vfs_read,file->f_path 'f_path' is a struct, not a number
		vfs_read,ip=count an argument is called as a field of each such event
		vfs_read+4,file parameters are known by name where a function begins
		no_such_function,file the kernel has no function 'no_such_function'
	END
}

# What a probe could stumble over, while the function tracer is on: faults, interrupts, page tables, allocators, locks.
MUCH='exceptions/*,irq_vectors/*,kmem/*,xen/*,sched/*,irq/*,timer/*,raw_syscalls/*,rcu/*,tlb/*,mmap_lock/*,signal/*,task/*'

everything_at_once() {
	await_console g1 'churn: round'
	strata record --output "$LAB_OUT/all" --duration 4s --event-header large --kernel "g1:$MUCH" --kernel dom0:default,xen/xen_evtchn_upcall >all 2>&1
	echo "status $?" >>all
	cat all
	expect_line "much of g1 is recorded at once" all '^status 0$'
	expect_line "its function tracer was on" "$LAB_OUT/guest-g1.log" 'churn: function tracer is on'
	rounds=$(grep -c 'churn: round' "$LAB_OUT/guest-g1.log")
	await_console g1 'churn: round' $((rounds + 1))
	grep -c 'churn: round' "$LAB_OUT/guest-g1.log" | awk -v before="$rounds" '{ print ($1 > before ? "lives" : "stands still") }' >g1
	expect_line "g1 goes on afterwards" g1 '^lives$'
	strata record --output /tmp/again --duration 1s --kernel g1 >again 2>&1
	echo "status $?" >>again
	expect_line "and records again" again '^status 0$'
}

list_events
probes_and_filter
filter_changes_while_it_records
flush_hands_over
wrong_probes_are_refused
probes_have_arguments
probes_have_names
everything_at_once

dmesg >"$LAB_OUT/dom0-dmesg"
end_checks
