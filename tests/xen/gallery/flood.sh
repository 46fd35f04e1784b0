#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A hypercall flood: a process of g2 notifies an event channel without a listener as fast as it can.

title="a flood of hypercalls"
question="g2 is slow, and Xen is busy. What is Xen doing?"
command="report hypercalls"

before() {
	tell g2 "storm 1000000 &"
}

after() {
	quiet g2 storm
}

# Besides the return from each system call, which is a hypercall, too, no vCPU made any other as often.
finding() {
	found '[.hypercalls[] | select(.what != "iret")] | max_by(.count) |
		.of == "g2/0" and .what == "event_channel_op" and .count >= 10000'
}
