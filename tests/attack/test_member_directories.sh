#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A member of the group tracing who creates sessions of ever new names, and destroys them, leaves no directories of root's behind: they
# count in no quota of his, and only root can remove them.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

# names NR [VERB...]: creates and destroys NR sessions, and runs these verbs on each in between.
names() { member "$mallory" /usr/bin/python3 tests/attack/session_names.py "$@" 2>/dev/null | cut -d' ' -f1; }
# directories: the member's, which he cannot remove.
directories() { find "/var/lib/strata/$mallory" -mindepth 1 2>/dev/null | wc -l; }

"$strata" create --output $work/web web 2>/dev/null
check "a member creates and destroys 100 sessions" is "$(names 100)" 100
check "no directory of theirs stays" is "$(directories)" 0
check "a member starts 100 sessions without events" is "$(names 100 start)" 100
check "no directory of theirs stays" is "$(directories)" 0
finish
