#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs tests and counts: `tests/run.sh unit fuzz xen`.  Of all tests of these kinds as many run at once as there are CPUs (or
# TEST_JOBS), and more of those that wait most of the time.  Some need a place that only one test has at a time: the lab, until
# its emulator has ended; the recorder; a pair of users; or the whole machine (see add()).  Called by `make quick` and `make check`.
# Each test program speaks TAP; one that fails, reports fewer results than planned, skips, or does not end within TEST_LIMIT_S
# counts as failed.  The last line is for machines: "N passed, N failed".
#
# `tests/run.sh xen --build tests unit fuzz`: what comes behind `--build TARGET` waits until `make TARGET` has ended, which runs
# beside the tests that come before it.  If it fails, so does the run, and those tests are not run.
set -u
cd "$(dirname "$0")/.." || exit 1

OUT=out/tests/log
passed=0 failed=0
mkdir -p "$OUT"

# What failed is said again at the end: of a long run, often nothing but the end is kept.
failures=$(mktemp)

# Each test that ends writes a line here, so that the next one starts at once.
news=$(mktemp -u)
mkfifo "$news" && exec {news_fd}<>"$news" || exit 1
trap 'rm -f "$failures" "$news"' EXIT

# Longer than any test takes on a slow machine: one that takes longer hangs.
limit_s=${TEST_LIMIT_S:-1500}

# Tests that start recorders, of which there are eight a machine, and which call all applications.
RECORDERS="test_recover.sh test_app_record.sh test_app_late.sh test_app_channels.sh test_app_aggregate.sh test_view_live.sh test_report_live.sh test_command.sh test_tutorial.sh
	test_record_command.sh test_rotation.sh test_trigger.sh test_session_triggers.sh test_idle.sh test_sessions.sh test_session_channels.sh test_session_deaths.sh test_users.sh test_members.sh test_member_triggers.sh test_member_actions.sh test_stratad_start.sh test_control_library.sh test_log_levels.sh test_printf.sh test_systemd.sh"

# Tests of the kind unit that take seconds, mostly because they record, or read large recordings: `make quick` leaves them out.
LONG="$RECORDERS test_agreement.sh test_await.sh test_critical_path.sh test_deps.sh test_drawn.sh test_filters.sh test_report.sh
	test_run.sh test_sql.sh test_timeline.sh test_traces.sh test_why.sh test_app_wake test_live test_merged_ctf test_recorder_fairness"

# Tests that search all processes for applications, as a recorder does, and call them.  Each sees its own processes alone, so
# that none calls another's applications, or waits for a process of another; and its own /run, so that commands find its own
# recorders.
SEARCHERS="$RECORDERS test_app_wake test_app_wake_places test_apps"
own_processes=(tests/own_processes.sh)

# Attacks in which another user's events must not be lost meanwhile, or the recorder has to answer the attacker or others
# within seconds.  If it got no CPU because of other tests, that would be taken for an attack's success.  Those that use the CPU
# themselves run alone; the calm ones wait most of the time, and run beside each other.
QUIET_ATTACKS="test_changing_rings.sh test_costly_looks.sh test_draining.sh test_group_lock.sh test_hang_up.sh test_member_rotations.sh test_pinned_pages.sh test_list.sh test_search.sh"
CALM_ATTACKS="test_descriptions.sh test_dir_lock.sh test_disk.sh test_dying.sh test_file_size.sh test_live_stopped.sh
	test_lock_holder.sh test_locked.sh test_locked_lookups.sh test_memory.sh test_messages.sh test_no_threads.sh
	test_out_of_memory.sh test_range_locks.sh test_recover_many.sh test_slow_close.sh test_slow_copy.sh
	test_slow_status.sh test_slow_talk.sh test_trigger_action.sh test_snapshot_channels.sh test_snapshot_library.sh
	test_snapshot_served.sh test_snapshot_starts.sh test_swapped.sh test_timer_slack.sh"

# As many attacks at once as there are of these: their users' numbers differ, by which the kernel counts what users have.
ATTACKERS="61001 61011 61021"

# Tests of the kind xen that boot no host.
BOOTLESS="test_description.sh test_hypervisor_build.sh"

# execute NAME COMMAND...: runs one TAP program, without a word; what there is to say of it is in files then: its output, and
# in NAME.end its status, its seconds, and its seconds of CPU.  In a subshell of its own.  The test gets a session, which is
# killed at its end: what it left behind would hold files and locks that the next one wants.
execute() {
	local name=$1 status=0 began=$SECONDS test watch
	shift
	rm -f "$OUT/$name.end" "$OUT/$name.left"
	TEST_LEFT_LAB=$PWD/$OUT/$name.left CMOCKA_MESSAGE_OUTPUT=TAP setsid "$@" >"$OUT/$name.tap" 2>"$OUT/$name.tap.err" </dev/null {news_fd}>&- &
	test=$!
	watch "$test" "$OUT/$name.tap.err" </dev/null >/dev/null {news_fd}>&- &
	watch=$!
	# shellcheck disable=SC2064 # these two
	trap "kill $watch; kill_session $test; exit 130" INT TERM
	# The shell would tell of one that was killed.
	wait "$test" 2>/dev/null || status=$?
	kill "$watch" 2>/dev/null
	kill_session "$test"
	read_cpu_ticks
	echo "$status $((SECONDS - began)) $((cpu_ticks / $(getconf CLK_TCK)))" >"$OUT/$name.end.new"
	mv "$OUT/$name.end.new" "$OUT/$name.end"
	echo >&"$news_fd"
}

# Sets cpu_ticks to the CPU time of the children of this subshell that have ended and were waited for, and of theirs.
read_cpu_ticks() {
	local stat fields
	read -r stat <"/proc/$BASHPID/stat"
	read -ra fields <<<"${stat##*) }"
	cpu_ticks=$((fields[13] + fields[14]))
}

# runs PROGRAM [ARGUMENTS]: whether this machine's kernel knows the format of the program.
runs() {
	local status=0
	"$@" >/dev/null 2>&1 || status=$?
	[ "$status" != 126 ]
}

# note_no_i386 PROGRAM: says why it is left out, and fails.
note_no_i386() {
	echo "  NOTE    $1 is not run: this kernel runs no i386 programs, and QEMU 7.2 gives all threads of one the thread-local"
	echo "          storage of the last, once a signal came; the other processors have the same test"
	return 1
}

# watch SESSION FILE: ends a test that hangs, and says in FILE what it was doing.
watch() {
	local pid
	# Before it sleeps: a short test may have ended by then.  A sleeper that is left behind keeps files and locks of ours.
	trap 'kill $! 2>/dev/null; exit' TERM
	sleep "$limit_s" &
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
	local name=$1 log=$OUT/$1.tap status=ended took=0 cpu=0 ok bad skip plan
	touch "$log" "$log.err"
	[ ! -e "$OUT/$name.end" ] || read -r status took cpu <"$OUT/$name.end"
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
	printf '          %s passed, %s failed, %s s, %s s of CPU\n' "$((ok - skip))" "$bad" "$took" "$cpu"
}

# What is to run, in order; of each, the command, and what no two may have at once.
waiting=()
declare -A command_of=() needs=()

# add NAME NEED COMMAND...: NEED is the place that only one test may have at a time: "lab", which a test gives back as soon as its
# emulator has ended (leave_lab in tests/tap.sh); "recorder"; "attack", of which there is one for each of ATTACKERS; "calm", the
# same, beside which nothing runs but others of this kind; "machine", beside which nothing else runs; or "nothing".
add() {
	[ -z "${needs[$1]:-}" ] || {
		echo "tests/run.sh: two tests are called $1, and each would write over what the other says" >&2
		exit 2
	}
	waiting+=("$1")
	needs[$1]=$2
	command_of[$1]="${*:3}"
	rm -f "$OUT/$1.end" "$OUT/$1.left"
}

# How many run at once.
jobs=${TEST_JOBS:-$(nproc)}

# The running tests by process number, the test that holds each place, and the place of each test.
declare -A running=() held=() place_of=()

# What a test is started with that yields to labs: the emulator gets the CPU whenever it wants it, so that a lab takes what it
# takes on a quiet machine.  Where the scheduler groups processes by sessions, the group's niceness decides.
# shellcheck disable=SC2016 # that shell expands it
yielding=(bash -c '[ ! -w /proc/self/autogroup ] || echo 10 >/proc/self/autogroup; exec nice -n 10 "$@"' yielding)

# find_place NEED: sets place to one that no test has.
find_place() {
	local job calm=0 user
	place=$1
	[ -z "${held[machine]:-}" ] || return 1
	for job in "${!running[@]}"; do [ "${needs[${running[$job]}]}" != calm ] || calm=$((calm + 1)); done
	case $1 in
	calm) [ "$calm" = "${#running[@]}" ] || return 1 ;; # as many as there are ATTACKERS, on however few CPUs
	*) [ "$calm" = 0 ] && [ "${#running[@]}" -lt "$jobs" ] || return 1 ;;
	esac
	case $1 in
	nothing) ;;
	machine) [ "${#running[@]}" = 0 ] ;;
	attack | calm)
		for user in $ATTACKERS; do
			place=$user
			[ -n "${held[$user]:-}" ] || return 0
		done
		return 1
		;;
	*) [ -z "${held[$1]:-}" ] ;;
	esac
}

# start NAME PLACE COMMAND...: runs a test in the background.
start() {
	local name=$1 place=$2
	shift 2
	held[$place]=$name
	place_of[$name]=$place
	execute "$name" "$@" </dev/null &
	running[$!]=$name
}

# Starts a test from the queue that can have what it needs; false when every test has to wait.  Tests that need a place come first,
# because they run one after the other, which takes longest.
start_next() { start_first places || start_first any; }

# start_first WHICH: the first one that needs a place, or "any".
start_first() {
	local i name need place command
	for i in "${!waiting[@]}"; do
		name=${waiting[i]}
		need=${needs[$name]}
		[[ $1 = any || $need != @(nothing|machine|calm) ]] || continue
		find_place "$need" || continue
		unset 'waiting[i]'
		read -ra command <<<"${command_of[$name]}"
		[[ $need != @(attack|calm) ]] || command=(env "ATTACKER=$place" "${command[@]}")
		[[ "$need" = lab || " ${needs[*]} " != *" lab "* ]] || command=("${yielding[@]}" "${command[@]}")
		start "$name" "$place" "${command[@]}"
		return
	done
	return 1
}

# give_back NAME: its place, unless another test has it by now.
give_back() {
	local place=${place_of[$1]}
	[ "${held[$place]:-}" != "$1" ] || unset "held[$place]"
}

# Shows those that have ended, and takes the lab's place from those that have left it.
show_ended() {
	local job name
	for job in "${!running[@]}"; do
		name=${running[$job]}
		[ ! -e "$OUT/$name.left" ] || give_back "$name"
		[ -e "$OUT/$name.end" ] || ! kill -0 "$job" 2>/dev/null || continue
		wait "$job" 2>/dev/null
		unset "running[$job]"
		give_back "$name"
		printf '  TEST    %s\n' "$name"
		show "$name"
	done
}

# start_build TARGET: beside the labs, to which it gives way.
start_build() {
	# It may take longer than any test: all processors' programs are built.
	local limit_s=$((4 * limit_s))
	place_of[build]=build needs[build]=nothing
	start build build "${yielding[@]}" tests/build.sh "$1"
}

# Adds what waits for the build, when it has ended well.
add_built() {
	local status kind
	[ "${#behind_build[@]}" != 0 ] && [ -z "${held[build]:-}" ] || return 0
	read -r status _ <"$OUT/build.end"
	if [ "$status" = 0 ]; then
		for kind in "${behind_build[@]}"; do add_kind "$kind"; done
	fi
	behind_build=()
}

# Runs all that were added.
run_all() {
	# Each in a process group, so that it can be ended with all that it started.
	set -m
	[ "${#behind_build[@]}" = 0 ] || start_build "$build_target"
	while [ "${#waiting[@]}" != 0 ] || [ "${#running[@]}" != 0 ]; do
		while start_next; do :; done
		# The end of a test is told; that it has left the lab, or was killed, is seen after a second.
		read -r -t 1 -u "$news_fd" _
		show_ended
		add_built
	done
	set +m
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

# is_among NAME LIST
is_among() { [[ " ${2//[[:space:]]/ } " == *" $1 "* ]]; }

need_of() {
	if is_among "$1" "$RECORDERS"; then
		echo recorder
	else
		echo nothing
	fi
}

KINDS="unit brief lttng model check fuzz arch torture attack browser xen"

# add_kind KIND: all its tests.
add_kind() {
	local kind=$1 source name program script arch events need
	case $kind in
	unit | brief)
		for source in tests/unit/test_*.c tests/unit/test_*.sh; do
			name=$(basename "$source" .c)
			[ "$kind" = unit ] || ! is_among "$name" "$LONG" || continue
			case $name in
			*.sh) program=$source ;;
			*) program=out/tests/$name ;;
			esac
			if is_among "$name" "$SEARCHERS"; then
				add "$name" "$(need_of "$name")" "${own_processes[@]}" "$program"
			else
				add "$name" "$(need_of "$name")" "$program"
			fi
		done
		;;
	lttng)
		for script in tests/lttng/test_*.sh; do
			add "lttng_$(basename "$script" .sh)" lab "$script"
		done
		;;
	model)
		for script in tests/model/test_*.sh; do
			add "$(basename "$script" .sh)" nothing "$script"
		done
		;;
	check)
		for source in tests/check/test_*.c; do
			name=$(basename "$source" .c)
			add "$name" nothing "out/tests/check/$name"
		done
		;;
	fuzz)
		for source in tests/fuzz/fuzz_*.c; do
			name=$(basename "$source" .c)
			add "$name" nothing "out/tests/fuzz/$name"
		done
		;;
	arch)
		for program in out/tests/arch/*/test_*; do
			arch=$(basename "$(dirname "$program")")
			[ "$program" != out/tests/arch/i386/test_ring_signals ] || runs out/tests/arch/i386/test_event_table ||
				note_no_i386 "$program" || continue
			add "$arch-$(basename "$program")" nothing tests/arch/on "$arch" "$program"
		done
		add test_traces nothing tests/arch/test_traces.sh
		;;
	torture)
		# Writers and readers have to run at the same time. Of the events in all, the sanitizers and i386 get a part that takes no longer.
		events=${TORTURE_EVENTS:-100000000}
		add torture machine out/tests/torture/torture "$events"
		if runs out/tests/torture/torture_i386 1 || note_no_i386 torture_i386; then
			add torture_i386 machine out/tests/torture/torture_i386 $((events / 10))
		fi
		add torture_address machine out/tests/torture/torture_address $((events / 20))
		add torture_thread machine out/tests/torture/torture_thread $((events / 100))
		add torture_plain machine out/tests/torture/torture_plain 200000
		add kill_writer_one_cpu machine out/tests/torture/kill_writer_one_cpu
		add kill_writer_threads machine out/tests/torture/kill_writer_threads
		;;
	attack)
		for script in tests/attack/test_*.sh; do
			need=attack
			is_among "$(basename "$script")" "$QUIET_ATTACKS" && need=machine
			is_among "$(basename "$script")" "$CALM_ATTACKS" && need=calm
			add "attack_$(basename "$script" .sh)" "$need" tests/attack/world.sh "$script"
		done
		;;
	browser)
		for script in tests/browser/test_*.mjs; do
			add "browser_$(basename "$script" .mjs)" nothing "$script"
		done
		;;
	xen)
		# Findings of the gallery are about time: guests that get less of the CPU than they need behave otherwise.
		for script in tests/xen/test_*.sh; do
			need=lab
			[ "$(basename "$script")" = test_gallery.sh ] && need=machine
			is_among "$(basename "$script")" "$BOOTLESS" && need=nothing
			add "xen_$(basename "$script" .sh)" "$need" "$script"
		done
		;;
	esac
}

# What waits for the build, and what is to be built for it.
behind_build=() build_target=""
kinds=()
while [ "$#" != 0 ]; do
	if [ "$1" = --build ]; then
		build_target=${2:?--build needs a target of the Makefile}
		shift 2
		behind_build=("$@")
		break
	fi
	kinds+=("$1")
	shift
done
for kind in "${kinds[@]}" "${behind_build[@]}"; do
	is_among "$kind" "$KINDS" || {
		echo "tests/run.sh: no tests of the kind \"$kind\"; known are: $KINDS (brief: unit without long ones)" >&2
		exit 2
	}
done
for kind in "${kinds[@]}"; do add_kind "$kind"; done
run_all

if [ -s "$failures" ]; then
	printf '\nWhat failed:\n'
	sed 's/^/  /' "$failures"
fi
echo
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
