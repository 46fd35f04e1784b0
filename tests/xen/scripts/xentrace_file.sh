#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Records everything with xentrace for a few seconds. Runs in
# dom0; xentrace_file.sh takes from there what comes of it.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

cd /tmp || exit

# Buffers of two pages, so that some records are lost and each buffer's end is met.
xentrace -D -e all -S 2 -s 20 -T 4 all.xentrace >xentrace.log 2>&1
cp all.xentrace xentrace.log "$LAB_OUT/"
xl dmesg >"$LAB_OUT/xl-dmesg"
expect_line "xentrace records" xentrace.log 'change evtmask to 0xfff'
ls -l all.xentrace >size
expect_line "for some time" size ' [0-9]{5,} '

end_checks
