#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A vCPU woken late: a task of g1 sleeps and wakes a hundred times a second, while g2 computes on its pCPU.

title="a vCPU that runs late after it was woken"
question="A task of g1 sleeps for 10 ms and wakes late. What does it wait for?"
command="why --wakeup g1:sleeper --worst 20"

before() {
	tell g1 "sleeper 10 &"
	tell g2 "busy &"
}

after() {
	quiet g1 sleeper
	quiet g2 busy
}

# No other domain, and no task, has as much of the blame as g2, whose part is a quarter or more.
finding() {
	found '[.findings[] | select(.by == "g2") | .share] | add > 0.25' &&
		found '[.findings[] | select(.blame != "interrupts" and .blame != "vm_exits" and .by)] | group_by(.by) |
			max_by(map(.ns) | add) | .[0].by == "g2"'
}
