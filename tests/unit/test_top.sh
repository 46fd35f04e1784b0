#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# strata top and strata record --aggregate refuse what makes no sense, and say so; on a machine without Xen, too. Speaks TAP; run by
# tests/run.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh

# refuses STATUS MESSAGE ARGUMENT...: strata ends with that status, and its message has that text.
refuses() {
	local wanted=$1 message=$2 status=0 said
	shift 2
	said=$(out/bin/strata "$@" 2>&1) || status=$?
	echo "status $status: $said"
	[ "$status" = "$wanted" ] && [[ $said == *"$message"* ]]
}

check "what cannot be counted" refuses 2 '"counts" is not something to count' top counts
check "an event of Xen that is none" refuses 2 '"nonsense" is not a class' top --xen nonsense count
check "events beside those that a time names" refuses 2 'leave --xen out' top --xen sched time:vm_exit..vm_entry
check "nothing" refuses 2 'leaves nothing to count' top --xen none count
check "two specifications" refuses 2 'one specification at a time' top count count:domain
check "an interval that is none" refuses 2 '--interval needs a time' top --interval never
check "a duration that is none" refuses 2 '--duration needs a time' top --duration 0
check "rows that are none" refuses 2 '--rows needs a number' top --rows -1
check "an unknown option" refuses 2 'unknown option' top --output x
check "a recording that is not made" refuses 2 'leave options of recordings out' record --aggregate count --output x
check "a command that would not be recorded" refuses 2 'leave options of recordings out' record --aggregate count -- true
check "JSON of a recording" refuses 2 '--json is of --aggregate only' record --json
check "help is no error" refuses 0 'Usage: strata top' top --help
finish
