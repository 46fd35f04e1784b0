#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Three recordings that a rotation has left, in each of which a user has as many programs as may be his: each verb reads all of
# them, and neither time nor memory grows with the square of their number.
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "$0")/with_strata.sh"

recordings=3
sources=2048 # a user's share of a recording
limit_s=120  # CPU time, after which a reader hangs: it needs some seconds

check "a user's programs in $recordings recordings" python3 tests/unit/make_many_sources.py "$work/rotated" $recordings $sources

limited() { prlimit --cpu=$limit_s --data=$((768 << 20)) "$strata" "$@" "$work/rotated" 2>"$work/err"; }

all_listed() {
	limited stat --json |
		jq -e --argjson all $((recordings * sources)) '.traces | length == $all and (map(.source) | unique | length == $all)'
}
check "stat lists each of them, under a name of its own" all_listed

all_shown() { [ "$(limited view --threads 1 | grep -c 'number=')" = $((recordings * sources)) ]; }
check "view shows the event of each" all_shown

all_counted() { limited convert --threads 1 --format count | grep -q "^$((recordings * sources)) "; }
check "convert counts them" all_counted

# As the hard limit, which root may raise.
unraised=()
[ "$(id -u)" != 0 ] || unraised=(setpriv --bounding-set -sys_resource --inh-caps -sys_resource)
few_files() { (ulimit -n 400 && exec "${unraised[@]}" "$strata" "$@" "$work/rotated" 2>"$work/err"); }

all_read() { [ "$(few_files view --threads 2 | grep -c 'number=')" = $((recordings * sources)) ] && ! grep -v '^strata: view: .* events' "$work/err"; }
check "view shows all where fewer files may be open" all_read
check "stat says that they are whole" few_files stat
finish
