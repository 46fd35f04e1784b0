#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A lock holder preempted: of g3's two vCPUs one spins for a lock, while the other one, which has it, waits behind g2.

title="a lock holder that is preempted"
question="A system call of g3 takes long, and no task of g3 is to blame. What does it wait for?"
command="why --syscall g3:read --worst 20"
options="--kernel dom0 --kernel g2:sched_switch --kernel g3:default,contention_begin,contention_end"

prepare() {
	xl vcpu-pin g3 0 0
	xl vcpu-pin g3 1 1
	tell g3 "insmod /lib/strata.ko && insmod /lib/modules-for-tests/heldlock.ko && echo pre''pared"
	await_console g3 prepared
}

before() {
	tell g3 "locker &"
	tell g2 "busy &"
}

after() {
	quiet g3 locker
	quiet g2 busy
}

tidy() {
	tell g3 "rmmod strata && echo un''loaded"
	await_console g3 unloaded
}

# The lock was not free as its holder had no CPU, which costs more than the tasks of g3 do; and g2 had that CPU more than anybody.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.findings[] | select(.blame == "lock_holder_preempted")] as $held |
		[.findings[] | select(.blame == "running" or .blame == "task_preempted")] as $tasks |
		($held | max_by(.ns) | .by == "g2") and ($held | map(.ns) | add) > ([0, $tasks[].ns] | add)'
}
