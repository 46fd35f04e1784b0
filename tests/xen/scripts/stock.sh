#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# On a Xen without the patch the tools say so, and what to do. Runs in dom0.

# shellcheck source=tests/xen/scripts/expect.sh
. "${0%/*}/expect.sh"

status=0
strata record --duration 1s --output /tmp/none >record.log 2>&1 || status=$?
echo "status $status" >>record.log
expect_line "record says that this Xen has no Strata" record.log 'this Xen lacks Strata; boot one .*xen-patch/README.md'
expect_line "record fails" record.log '^status 1$'
status=0
strata list >list.log 2>&1 || status=$?
echo "status $status" >>list.log
expect_line "list says so, too" list.log 'this Xen lacks Strata'
expect_line "list still shows the guest" list.log '^domain 1 +g1 +no module'
expect_line "list fails" list.log '^status 1$'

end_checks
