#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of the group tracing whose connections take long to close delays neither other members nor the end of root's stratad.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

# As before Linux 6.16, when a socket could not refuse descriptors.
LD_PRELOAD=$bin/takes_files.so "$strata" create --output $work/web web 2>/dev/null
check "a member is served" in_time "$victim"
stratad=$(daemon)
# As on a machine where it does not get the CPU before the attacker has closed his own descriptors.
kill -STOP "$stratad"
coproc member "$mallory" /usr/bin/python3 tests/attack/lingering.py 30
read -r word <&"${COPROC[0]}"
kill -CONT "$stratad"
check "another member's refused connections carry files that take long to close" is "$word" refused
check "a member is served meanwhile" in_time "$victim"
kill -STOP "$stratad"
echo >&"${COPROC[1]}"
read -r word <&"${COPROC[0]}"
kill -CONT "$stratad"
check "so do those that are served" is "$word" sent
check "and still" in_time "$victim"
kill -TERM "$stratad"
limit_s=20
check "stratad ends when it is told to" await has_ended "$stratad"
kill "$COPROC_PID"
finish
