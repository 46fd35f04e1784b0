#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# CPU steal by a neighbour: g1 and g2 compete for pCPU 1.

title="CPU steal by a neighbour"
question="g1 computes, and takes twice as long as it should. Who has its CPU?"
command="report steal"

before() {
	tell g1 "busy &"
	tell g2 "busy &"
}

after() {
	quiet g1 busy
	quiet g2 busy
}

# g1's vCPU waited for a third of the time or more, and all but a tenth of that behind g2.
finding() {
	found '(.vcpus[] | select(.vcpu == "g1/0") | .runnable_share > 0.33) and
		([.behind[] | select(.waiter == "g1/0")] | .[0].ran == "g2/0" and .[0].share > 0.9)'
}
