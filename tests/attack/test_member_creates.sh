#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of the group tracing who creates sessions at the same time gets no more than his share.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

of() { member "$mallory" "$strata" --system "$@" >/dev/null 2>&1; }
"$strata" create --output $work/web web 2>/dev/null
of create web
# Many rules, so that a session takes long to check.
for i in {1..40}; do
	of enable-event --session web --kernel '*' --filter "prev_pid > $i && prev_comm == \"name$i\" || next_pid < $i" sched_switch
done
"$strata" status --json "web@$mallory" | jq '.sessions[0].model' >$work/model
chmod 755 $work && chmod 644 $work/model
check "four sessions are all that a member has" is "$(member "$mallory" /usr/bin/python3 tests/attack/creates.py $work/model 40)" 4
finish
