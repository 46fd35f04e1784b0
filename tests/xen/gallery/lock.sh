#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A lock holder preempted: one of g3's two vCPUs spins for a lock, while the other, which holds it, waits behind g2.

title="a lock holder that is preempted"
question="A system call of g3 takes long, and no task of g3 is to blame. What does it wait for?"
command="why --syscall g3:read --worst 20"
# The fewer events a kernel is to record, the sooner a recording of two vCPUs that compete begins and ends.
options="--xen sched --kernel dom0:sched_switch --kernel g2:sched_switch
	--kernel g3:sched_switch,sched_waking,sys_enter,sys_exit,contention_begin,contention_end"

# Puts both vCPUs of g3 on one physical CPU while its kernel patches its code: when a recording begins, and when it ends. QEMU 7.2
# emulates each CPU in a thread. A thread that translates code while another one patches it may keep the translation of the old bytes. The
# vCPU then meets a breakpoint that is no longer in memory, again and again for minutes, and the other vCPU waits for it.
share_cpu() {
	xl vcpu-pin g3 all 0
}

prepare() {
	# Even an idle guest takes its time where the host is emulated: none but g2 is to compete with the vCPU that has the lock.
	xl vcpu-pin g1 0 0
	xl unpause g3
	share_cpu
	tell g3 "insmod /lib/strata.ko && insmod /lib/modules-for-tests/heldlock.ko && echo pre''pared"
	await_console g3 prepared
}

before() {
	xl vcpu-pin g3 1 1
	tell g3 "locker &"
	tell g2 "busy &"
}

after() {
	quiet g3 locker
	quiet g2 busy
	share_cpu
}

tidy() {
	tell g3 "rmmod strata && echo un''loaded"
	if await_console g3 unloaded; then
		xl pause g3
	else
		# Later recordings would wait for its module.
		xl destroy g3
		missed "$title: the module is unloaded" "g3 does not answer" /dev/null
	fi
	xl vcpu-pin g1 0 1
}

# The lock was not free because its holder had no CPU, which cost more than waiting for other tasks of g3; and g2 had that CPU.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.findings[] | select(.blame == "lock_holder_preempted")] as $held |
		[.findings[] | select(.blame == "task_preempted")] as $tasks |
		($held | max_by(.ns) | .by == "g2" and .share > 0.03) and ($held | map(.ns) | add) > ([0, $tasks[].ns] | add)'
}
