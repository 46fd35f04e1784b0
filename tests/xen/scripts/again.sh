#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Leaves a directory behind, writes Xen's message of a triple fault on Xen's console, and fails. Runs in dom0, started by its
# init, in each of two boots.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

find "$LAB_OUT" >found
expect_line "what was given is there" found '/given/file$'
expect_no_line "nothing of another boot is there" found '/recording$'

mkdir "$LAB_OUT/recording" "$LAB_OUT/given/recording"
echo "d1v0 Triple fault - invoking HVM shutdown action 1" >/dev/hvc0
echo "a boot that fails" >found
expect_line "and this boot fails" found '^a boot that does not fail$'
end_checks
