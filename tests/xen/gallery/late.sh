#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A vCPU woken late: a task of g1 sleeps and wakes a hundred times a second, while g2 computes on its pCPU.

title="a vCPU that runs late after it was woken"
question="A task of g1 sleeps for 10 ms and wakes late. What does it wait for?"
command="why --syscall g1:clock_nanosleep --worst 20"

before() {
	tell g1 "sleeper 10 &"
	tell g2 "busy &"
}

after() {
	quiet g1 sleeper
	quiet g2 busy
}

# The vCPU is woken for the timer, and only then the kernel can wake the task: g2 has a part of the whole call, and no other domain or
# task has as much.
finding() {
	found 'any(.findings[]; .blame == "vcpu_wakes_late" and .by == "g2" and .share > 0.02)' &&
		found '[.findings[] | select(.by == "g2") | .share] | add > 0.15' &&
		found '[.findings[] | select(.blame != "blocked" and .blame != "interrupts" and .blame != "vm_exits" and .by)] |
			group_by(.by) | max_by(map(.ns) | add) | .[0].by == "g2"'
}
