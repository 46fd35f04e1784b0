#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that the lab built the host that smoke.lab describes. Runs in dom0, started by its init.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

xl list >domains
expect_line "g1 is listed" domains '^g1 +1 +128 +1 '
expect_line "g2 is listed" domains '^g2 +2 +128 +1 '

xl vcpu-list >vcpus
expect_line "dom0 is pinned to CPU 0" vcpus '^Domain-0 +0 +0 +0 .* 0 / all'
expect_line "g1 is pinned to CPU 1" vcpus '^g1 +1 +0 .* 1 / all'
expect_line "g2 is pinned to CPU 1" vcpus '^g2 +2 +0 .* 1 / all'
expect_line "g2's workload never blocks" vcpus '^g2 +2 +0 +[0-9-]+ +[r-]--'

show_tsc_modes >tsc
expect_line "g1's TSC is native" tsc 'dom1: mode=2'
expect_line "g2's TSC is native" tsc 'dom2: mode=2'

# For next.sh: a file, a recorder, and one guest too few.
touch /tmp/left
strata record --kernel none --xen sched --output /tmp/recording >/dev/null 2>&1 &
xl destroy g2

end_checks
