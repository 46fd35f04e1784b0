#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tests and counts: `tests/run.sh unit fuzz arch,model,check torture xen`; kinds with commas in
# between run side by side.  Called by `make quick` and `make check`.  Each test program speaks TAP; one that ends badly, says less
# than it planned or skips counts as failed.  The last line is for machines:
# "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1

OUT=out/tests/log
passed=0 failed=0
mkdir -p "$OUT"

# Runs one TAP program: NAME COMMAND...
run() {
	local name=$1 log=$OUT/$1.tap status=0 ok bad skip plan began=$SECONDS
	shift
	printf '  TEST    %s\n' "$name"
	CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$log" 2>"$log.err" || status=$?
	ok=$(grep -cE '^ok ' "$log")
	bad=$(grep -cE '^not ok ' "$log")
	skip=$(grep -ciE '^ok .*# skip' "$log")
	plan=$(grep -E '^1\.\.[0-9]+' "$log" | sed -E 's/^1\.\.([0-9]+).*/\1/' |
		awk '{ n += $1 } END { print n + 0 }')
	if [ "$bad" = 0 ] && { [ "$status" != 0 ] || [ "$plan" = 0 ] ||
		[ "$plan" != "$((ok + bad))" ]; }; then
		printf '          %s: status %s, %s of %s planned tests reported\n' \
			"$name" "$status" "$((ok + bad))" "$plan"
		bad=1
	fi
	bad=$((bad + skip))
	if [ "$bad" != 0 ]; then
		grep -iE -A 12 '^not ok |^ok .*# skip' "$log" | head -60
		tail -n 30 "$log.err"
	fi
	passed=$((passed + ok - skip))
	failed=$((failed + bad))
	printf '          %s passed, %s failed, %s s\n' "$((ok - skip))" "$bad" \
		"$((SECONDS - began))"
}

# side_by_side KIND,KIND...: kinds that each take one CPU, at once.  What each says is shown as a
# whole when all are done.
side_by_side() {
	local kinds pids="" one
	IFS=, read -ra kinds <<<"$1"
	for one in "${kinds[@]}"; do
		tests/run.sh "$one" >"$OUT/side-$one.out" 2>&1 &
		pids="$pids $!"
	done
	printf '  TEST    %s, side by side\n' "$1"
	# shellcheck disable=SC2086 # a list of words
	wait $pids
	for one in "${kinds[@]}"; do
		head -n -2 "$OUT/side-$one.out"
		read -r ok bad < <(tail -n 1 "$OUT/side-$one.out" |
			sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p')
		# One that was ended says nothing of the kind.
		passed=$((passed + ${ok:-0}))
		failed=$((failed + ${bad:-1}))
	done
}

for kind in "$@"; do
	case $kind in
	*,*) side_by_side "$kind" ;;
	unit)
		for source in tests/unit/test_*.c; do
			name=$(basename "$source" .c)
			run "$name" "out/tests/$name"
		done
		for script in tests/unit/test_*.sh; do
			run "$(basename "$script" .sh)" "$script"
		done
		;;
	lttng)
		for script in tests/lttng/test_*.sh; do
			run "$(basename "$script" .sh)" "$script"
		done
		;;
	model)
		for script in tests/model/test_*.sh; do
			run "$(basename "$script" .sh)" "$script"
		done
		;;
	check)
		for source in tests/check/test_*.c; do
			name=$(basename "$source" .c)
			run "$name" "out/tests/check/$name"
		done
		;;
	fuzz)
		for source in tests/fuzz/fuzz_*.c; do
			name=$(basename "$source" .c)
			run "$name" "out/tests/fuzz/$name"
		done
		;;
	arch)
		for program in out/tests/arch/*/test_*; do
			arch=$(basename "$(dirname "$program")")
			run "$arch-$(basename "$program")" tests/arch/on "$arch" "$program"
		done
		run test_traces tests/arch/test_traces.sh
		;;
	torture)
		# Of the events in all, the sanitizers and i386 get a part that takes no longer.
		events=${TORTURE_EVENTS:-100000000}
		run torture out/tests/torture/torture "$events"
		run torture_i386 out/tests/torture/torture_i386 $((events / 10))
		run torture_address out/tests/torture/torture_address $((events / 20))
		run torture_thread out/tests/torture/torture_thread $((events / 100))
		run torture_plain out/tests/torture/torture_plain 200000
		run kill_writer_one_cpu out/tests/torture/kill_writer_one_cpu
		run kill_writer_threads out/tests/torture/kill_writer_threads
		;;
	xen)
		for script in tests/xen/test_*.sh; do
			run "$(basename "$script" .sh)" "$script"
		done
		;;
	*)
		echo "tests/run.sh: no tests of the kind \"$kind\"; unit, model, check, fuzz, arch, torture and xen are known" >&2
		exit 2
		;;
	esac
done

echo
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
