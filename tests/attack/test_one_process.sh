#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program that may have no thread (`ulimit -u`) is not recorded, and the recorder says so: its user's other programs can cause
# that, and whoever started the recorder with such a limit.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

as_victim=(setpriv --reuid "$victim" --regid "$victim" --clear-groups --inh-caps=-all --)
cp $bin/victim $bin/other

# record NAME OPTIONS... -- COMMAND...: its status in $status.
record() {
	local name=$1
	shift
	status=0
	"$strata" record --output "$work/$name" "$@" 2>"$work/$name.log" || status=$?
}

record none --app all -- prlimit --nproc=1 "${as_victim[@]}" $bin/victim 100 0
check "the recording's status is 3" test "$status" = 3
check "the recorder names the program" grep -q 'application victim (process [0-9]*) is left out: it can have no thread' "$work/none.log"
record others --app victim -- prlimit --nproc=1 "${as_victim[@]}" $bin/other 100 0
check "not one that is not to be recorded" test "$(grep -c 'application other' "$work/others.log")" = 0
record some --app all -- prlimit --nproc=100 "${as_victim[@]}" $bin/victim 100 0
check "one that may have threads is recorded" test "$status" = 0 -a "$("$strata" convert --format json "$work/some" | grep -c '"step"')" = 100
finish
