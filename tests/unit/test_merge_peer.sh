#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The same traces as babeltrace2's library reads them: the number of events and the hash over
# all their times and values are the same, merged by one thread and by two.  Speaks TAP; run by
# tests/run.sh.  STRATA_TEST_SEED repeats a run.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

strata=out/bin/strata
work=$(mktemp -d /tmp/strata-peer-XXXXXX)
trap 'rm -rf "$work"' EXIT
seed=${STRATA_TEST_SEED:-$(date +%s)}

build() {
	# shellcheck disable=SC2046 # lists of words
	gcc -O1 -Imerge tests/bench/bt2_hash.c -o "$work/bt2_hash" $(pkg-config --cflags --libs babeltrace2) &&
		gcc -O1 tests/bench/make_ctf.c -o "$work/make_ctf" &&
		gcc -O1 -D_GNU_SOURCE -Imerge tests/unit/peer/make_rich.c tests/unit/ctf_{forms,random,maker}.c \
			-o "$work/make_rich" -lcmocka
}

# same TRACE...: all three readers agree, and there is something to agree on.
same() {
	local theirs one two
	theirs=$("$work/bt2_hash" "$@") || return 1
	# Of clocks that nothing ties to each other it says so: status 3.
	one=$("$strata" convert --format count --threads 1 "$@") || [ $? = 3 ] || return 1
	two=$("$strata" convert --format count --threads 2 "$@") || [ $? = 3 ] || return 1
	printf 'babeltrace2 %s; one thread %s; two %s (seed %s)\n' "$theirs" "$one" "$two" "$seed"
	[ "${theirs%% *}" != 0 ] && [ "$theirs" = "$one" ] && [ "$theirs" = "$two" ]
}

made() {
	"$work/make_ctf" "$work/made" "$@" && same "$work/made"
	local status=$?
	rm -rf "$work/made"
	return $status
}

# rich FORM STREAMS: traces of random types, each of another seed.
rich() {
	local form=$1 streams=$2 i status=0
	for i in 1 2 3; do
		mkdir "$work/rich" && "$work/make_rich" "$work/rich" $((seed * 8 + i)) "$form" "$streams" 200 &&
			same "$work/rich" || status=1
		rm -rf "$work/rich"
		[ $status = 0 ] || return 1
	done
}

two_traces() {
	"$work/make_ctf" "$work/a" 3 2000 5 && mkdir "$work/b" &&
		"$work/make_rich" "$work/b" "$seed" 3 2 500 && same "$work/a" "$work/b"
}

check "the peers can be built" build
check "one stream" made 1 20000 1
check "8 streams at random" made 8 50000 1
check "8 streams in bursts" made 8 50000 16
check "100 streams at random" made 100 30000 1
# The last form has no time, of which babeltrace2 gives none.
forms=$(($("$work/make_rich") - 1))
for ((form = 0; form < forms; form++)); do
	check "random types, headers of form $form" rich "$form" 3
done
check "two traces of different clocks' names" two_traces
finish
