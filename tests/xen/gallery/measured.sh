#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2034,SC2154,SC2317 # who sources it uses and sets them
#
# The guest's own figures: while g2 computes, g1 measures its wake-ups, and asks Xen and its kernel what its vCPU waited for.

title="what the guest measured itself"
question="g1's kernel says that time was stolen from it. Do the reports agree, and which domain took the time?"
command="report steal,wakeups"

before() {
	tell g2 "busy &"
	tell g1 "insmod /lib/modules-for-tests/runstates.ko; measured 4"
}

meanwhile() {
	await_console g1 'measured: done'
}

after() {
	quiet g2 busy
}

# The reports are equal to the guest's figures, each within its bound.
finding() {
	python3 tests/xen/gallery/guests_figures.py "$OUT/$case_name" "$OUT/guest-g1.log"
}
