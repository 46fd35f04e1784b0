#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
#
# An expensive VM exit in a loop: a process of g1, a PVH guest, executes CPUID in an endless loop.

title="an expensive VM exit in a loop"
question="A process of g1 computes slowly although no other vCPU takes its CPU. What does it do?"
command="report exits"

before() {
	tell g1 "cpuid &"
}

after() {
	quiet g1 cpuid
}

# Most VM exits of g1, by number and by time in Xen, were for CPUID.
finding() {
	found '[.exits[] | select(.of == "g1/0")] | (max_by(.count) | .what == "cpuid") and (max_by(.in_xen_ns) | .what == "cpuid")'
}
