#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A timer that fires late: a task of g1 sleeps for 10 ms at a time, while g2 computes on its pCPU.

title="a timer that fires late"
question="A task of g1 sleeps for 10 ms, and its kernel wakes it late. When was the timer due?"
command="why --syscall g1:clock_nanosleep --worst 20"
options="--kernel dom0 --kernel g1:default,hrtimer_start --kernel g2:sched_switch"

before() {
	tell g1 "sleeper 10 &"
	tell g2 "busy &"
}

after() {
	quiet g1 sleeper
	quiet g2 busy
}

# Timers that were due had not fired, and no domain had their CPU as long as g2.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.findings[] | select(.blame == "timer_late" and .by and (.by | test("^(dom0|[dg][0-9]+|idle)$")))] as $late |
		($late | max_by(.ns) | .by == "g2" and .share > 0.05)'
}
