#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A noisy application in the same guest: no other domain is to blame.

title="a noisy application in the same guest"
question="A task of g1 wakes late. Is it another guest?"
command="why --wakeup g1:sleeper --worst 20"

before() {
	tell g1 "sleeper 10 & busy & busy &"
}

after() {
	tell g1 "killall sleeper; killall busy"
}

# Of tasks and domains, one of the two other tasks has the most of the blame.
finding() {
	found '[.findings[] | select(.blame == "task_preempted" or .by == "g2" or .by == "dom0")] | max_by(.ns) |
		.by | startswith("busy-")'
}
