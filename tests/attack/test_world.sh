#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The environment of the attack scripts is as they expect: two users without privileges, and a recorder that records both.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

trap '[ -z "$recorder" ] || kill "$recorder" 2>/dev/null' EXIT

has_no_rights() { ! as "$mallory" touch /run/probe && as "$mallory" grep -q '^CapEff:.0*$' /proc/self/status; }
check "an attacker has no rights" has_no_rights
check "an attacker can make a user namespace, as on Debian" as "$mallory" unshare -U true

begin both --app all
as "$mallory" $bin/app/program numbered 100
as "$victim" $bin/app/program numbered 200
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
check "programs of two users are recorded" test "$status" = 0
numbered() { [ "$("$strata" convert --format json "$work/both" --event numbered | grep -c numbered)" = 300 ]; }
check "every event of both is there" numbered
finish
