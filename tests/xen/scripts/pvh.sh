#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that the lab built the host that pvh.lab describes. Runs in dom0, started by its init.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

xl info >host
expect_line "Xen offers PVH guests" host 'virt_caps.* hvm .*hap'

xl vcpu-list >vcpus
expect_line "g1 is pinned to CPU 1" vcpus '^g1 +1 +0 .* 1 / all'
expect_line "g2 may use both CPUs" vcpus '^g2 +2 +0 .* (0-1|all) / all'

show_tsc_modes >tsc
expect_line "g1's TSC is native" tsc 'dom1\(hvm\): mode=2'
expect_line "g2's TSC is emulated" tsc 'dom2: mode=1'

end_checks
