#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tests and counts: `tests/run.sh unit fuzz arch,model,check torture xen`; kinds separated by commas run in
# parallel, and as many unit tests at once as there are CPUs. Called by `make quick` and `make check`. Each test program
# speaks TAP; one that fails, reports fewer results than planned, skips, or does not end within TEST_LIMIT_S counts as
# failed. The last line is for machines: "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1

OUT=out/tests/log
passed=0 failed=0
mkdir -p "$OUT"

# What failed is said again at the end: of a long run, often nothing but the end is kept.
failures=$(mktemp)
trap 'rm -f "$failures"' EXIT

# Longer than any test takes on a slow machine: one that takes longer hangs.
limit_s=${TEST_LIMIT_S:-900}

# Tests that start a recorder, of which there is one a machine.
RECORDERS="test_recover test_app_record test_view_live test_report_live test_command test_app_wake test_tutorial test_record_command"

# Runs one TAP program: NAME COMMAND...
run() {
	printf '  TEST    %s\n' "$1"
	execute "$@" &
	wait $!
	show "$1"
}

# The same, without a word; what there is to say of it is in files then.  In a subshell of its own.
# The test gets a session, which is killed at its end: what it left behind would hold files and
# locks that the next one wants.
execute() {
	local name=$1 status=0 began=$SECONDS test watch
	shift
	rm -f "$OUT/$name.end"
	CMOCKA_MESSAGE_OUTPUT=TAP setsid "$@" >"$OUT/$name.tap" 2>"$OUT/$name.tap.err" </dev/null &
	test=$!
	watch "$test" "$OUT/$name.tap.err" </dev/null >/dev/null &
	watch=$!
	# shellcheck disable=SC2064 # these two
	trap "kill $watch; kill_session $test; exit 130" INT TERM
	# The shell would tell of one that was killed.
	wait "$test" 2>/dev/null || status=$?
	kill "$watch" 2>/dev/null
	kill_session "$test"
	echo "$status $((SECONDS - began))" >"$OUT/$name.end.new"
	mv "$OUT/$name.end.new" "$OUT/$name.end"
}

# watch SESSION FILE: ends a test that hangs, and says in FILE what it was doing.
watch() {
	local pid
	sleep "$limit_s" &
	# shellcheck disable=SC2064 # this one
	trap "kill $!; exit" TERM
	wait $!
	{
		echo "no end within $limit_s s; killed with all that it had started:"
		for pid in $(session "$1"); do
			printf '%s %s: ' "$pid" "$(cat "/proc/$pid/wchan")"
			tr '\0' ' ' <"/proc/$pid/cmdline"
			echo
		done
	} >>"$2" 2>&1
	kill_session "$1"
}

# session ID: the processes of that session.
session() {
	local stat line fields
	for stat in /proc/[0-9]*/stat; do
		read -r line 2>/dev/null <"$stat" || continue
		# Behind the name, which may hold anything: state, parent, group, session.
		read -ra fields <<<"${line##*) }"
		[ "${fields[3]}" != "$1" ] || [ "${fields[0]}" = Z ] || basename "${stat%/stat}"
	done
}

# Also what its processes start meanwhile.  Returns when all have ended, or after some 10 s: one that the kernel holds
# up is not waited for.
kill_session() {
	local pids
	for _ in {1..1000}; do
		pids=$(session "$1")
		[ -n "$pids" ] || break
		# shellcheck disable=SC2086 # a list of words
		kill -KILL $pids 2>/dev/null
		sleep 0.01
	done
}

# Says how one that was executed went, and counts it.
show() {
	local name=$1 log=$OUT/$1.tap status=ended took=0 ok bad skip plan
	touch "$log" "$log.err"
	[ ! -e "$OUT/$name.end" ] || read -r status took <"$OUT/$name.end"
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
		{
			printf '%s: status %s, %s s, %s of %s planned tests reported\n' "$name" "$status" "$took" "$((ok + bad))" "$plan"
			grep -iE -A 4 '^not ok |^ok .*# skip' "$log" | head -20
			tail -n 4 "$log.err"
		} | cut -c 1-300 >>"$failures"
	fi
	passed=$((passed + ok - skip))
	failed=$((failed + bad))
	printf '          %s passed, %s failed, %s s\n' "$((ok - skip))" "$bad" "$took"
}

# at_once NAME...: runs these unit tests, as many at once as there are CPUs; each is shown as a whole, in that order.
at_once() {
	local name running=1
	waiting=("$@")
	for name in "$@"; do
		rm -f "$OUT/$name.end"
	done
	# Each in a process group, so that it can be ended with all that it started.
	set -m
	one_after_the_other "$@" </dev/null &
	for name in "$@"; do
		is_recorder "$name" && continue
		while [ "$running" -ge "$(nproc)" ]; do
			wait -n
			running=$((running - 1))
			show_ready
		done
		execute "$name" "$(command_of "$name")" </dev/null &
		running=$((running + 1))
	done
	while [ "$running" -gt 0 ]; do
		wait -n
		running=$((running - 1))
		show_ready
	done
	set +m
	# One that was ended says nothing.
	for name in "${waiting[@]}"; do
		printf '  TEST    %s\n' "$name"
		show "$name"
	done
}

command_of() {
	if [ -e "tests/unit/$1.sh" ]; then
		echo "tests/unit/$1.sh"
	else
		echo "out/tests/$1"
	fi
}

is_recorder() { [[ " $RECORDERS " == *" $1 "* ]]; }

# Of those that are named, the ones that start a recorder.
one_after_the_other() {
	local name
	for name in "$@"; do
		! is_recorder "$name" || execute "$name" "$(command_of "$name")"
	done
}

# Shows those that have ended, up to the first that has not.
show_ready() {
	while [ ${#waiting[@]} -gt 0 ] && [ -e "$OUT/${waiting[0]}.end" ]; do
		printf '  TEST    %s\n' "${waiting[0]}"
		show "${waiting[0]}"
		waiting=("${waiting[@]:1}")
	done
}

# Whoever ends us ends what runs at once, too.
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	local job
	for job in $(jobs -p); do
		kill -TERM -- "-$job" 2>/dev/null || kill -TERM "$job" 2>/dev/null
	done
	exit 130
}
trap end_all INT TERM

# side_by_side KIND,KIND...: kinds that each take one CPU, at once.  What each says is shown as a
# whole when all are done.
side_by_side() {
	local kinds pids="" one
	IFS=, read -ra kinds <<<"$1"
	for one in "${kinds[@]}"; do
		rm -f "$OUT/side-$one.failures"
		RUN_FAILURES=$OUT/side-$one.failures tests/run.sh "$one" >"$OUT/side-$one.out" 2>&1 &
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
		cat "$OUT/side-$one.failures" >>"$failures" || echo "$one: ended, with all that it ran" >>"$failures"
	done
}

for kind in "$@"; do
	case $kind in
	*,*) side_by_side "$kind" ;;
	unit)
		names=()
		for source in tests/unit/test_*.c tests/unit/test_*.sh; do
			name=$(basename "$source")
			names+=("${name%.*}")
		done
		at_once "${names[@]}"
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
	attack)
		for script in tests/attack/test_*.sh; do
			run "attack_$(basename "$script" .sh)" tests/attack/world.sh "$script"
		done
		;;
	browser)
		for script in tests/browser/test_*.mjs; do
			run "browser_$(basename "$script" .mjs)" "$script"
		done
		;;
	xen)
		for script in tests/xen/test_*.sh; do
			run "$(basename "$script" .sh)" "$script"
		done
		;;
	*)
		echo "tests/run.sh: no tests of the kind \"$kind\"; unit, model, check, fuzz, arch, torture, attack, browser and xen are known" >&2
		exit 2
		;;
	esac
done

# Another run shows them, where it is one of several side by side.
if [ -n "${RUN_FAILURES:-}" ]; then
	cp "$failures" "$RUN_FAILURES"
elif [ -s "$failures" ]; then
	printf '\nWhat failed:\n'
	sed 's/^/  /' "$failures"
fi
echo
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
