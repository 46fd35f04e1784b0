#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that the guests of clocks.lab are what they are there for, and records them. Runs in dom0; the
# recording is $LAB_OUT/raw.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

xl info >host
expect_line "Xen offers PVH guests" host 'virt_caps.* hvm .*hap'
xl vcpu-list >vcpus
expect_line "pvhemul is pinned to CPU 1" vcpus '^pvhemul +[0-9]+ +0 .* 1 / all'
expect_line "pvemul may use both CPUs" vcpus '^pvemul +[0-9]+ +0 .* (0-1|all) / all'

show_tsc_modes >tsc
expect_line "pvhemul's TSC is emulated in a PVH guest" tsc "dom$(xl domid pvhemul)\\(hvm\\): mode=1"
expect_line "offset's TSC is native in a PVH guest" tsc "dom$(xl domid offset)\\(hvm\\): mode=2"
expect_line "pvemul's TSC is emulated" tsc "dom$(xl domid pvemul): mode=1"

strata record --duration 8s --xen-buffer 256Kx32 --output "$LAB_OUT/raw" >record.log 2>&1
echo "status $?" >>record.log
expect_line "all of them are recorded" record.log '^status 0$'

# The changes that the test is about happen during the recording, in a guest that lives.
xl list >domains
expect_line "offset lives" domains '^offset +[0-9]+ +128 +1 '
xl dmesg >"$LAB_OUT/xl-dmesg"

end_checks
