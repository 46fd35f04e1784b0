#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A noisy application in the same guest: no other domain is to blame.

title="a noisy application in the same guest"
question="A task of g1 wakes late. Is it another guest?"
command="why --wakeup g1:sleeper --worst 20"
# The fewer events a kernel is to record, the less it has to do when a recording begins and ends.
options="--kernel dom0 --kernel g1 --kernel g2:sched_switch"

before() {
	tell g1 "sleeper 10 & busy & busy &"
}

after() {
	quiet g1 sleeper
	quiet g1 busy
}

# Of more of the wake-ups, the two other tasks and their children have more of the blame than all other domains, not the other way round.
# Not of their sum: where the recording begins and ends, g2's kernel has work, too, and on a busy host one wake-up of 20 ms behind it is
# as much as two hundred behind tasks.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.instances[].findings | ([.[] | select(.blame == "task_preempted" and (.by | test("^(busy|exe)-"))) | .ns] | add // 0) -
		([.[] | select(.blame | startswith("vcpu_")) | .ns] | add // 0)] |
		(map(select(. > 0)) | length) > (map(select(. < 0)) | length)'
}
