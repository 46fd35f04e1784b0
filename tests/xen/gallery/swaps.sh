#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# A guest that swaps pCPUs: g1 computes, and is moved from one pCPU to the other and back.

title="a guest that moves between pCPUs"
question="Where does g1 run?"
command="report schedule"

before() {
	tell g1 "busy &"
}

meanwhile() {
	for to in 0 1 0 1 0 1; do
		xl vcpu-pin g1 0 $to
		sleep 1
	done
}

after() {
	quiet g1 busy
}

# It had both of them for a tenth of its time and more.
# shellcheck disable=SC2016 # jq expands it
finding() {
	found '[.pcpus[] | select(.vcpu == "g1/0")] | length == 2 and (map(.ns) | add as $all | all(. > $all / 10))'
}
