#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that nothing is left of smoke.sh, which ran on the same host before, and that its guests are there again. Runs in dom0,
# started by its init.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

find /tmp -mindepth 1 >found
expect_no_line "no file is left" found '/(left|domains|recording)'
pidof strata >found
expect_no_line "no recorder is left" found .

xl list >domains
expect_line "a guest that was not destroyed goes on" domains '^g1 +1 +128 +1 '
expect_line "a guest that was destroyed runs again" domains '^g2 +3 +128 +1 '
xl vcpu-list >vcpus
expect_line "where it was" vcpus '^g2 +3 +0 .* 1 / all'

expect_line "consoles are logged in the script's directory" "$LAB_OUT/guest-g2.log" '^LAB guest g2 ready'
expect_no_line "from its beginning on" "$LAB_OUT/guest-g1.log" '^LAB guest g1 ready'

end_checks
