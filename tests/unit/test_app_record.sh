#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Applications from their first event to the merged timeline, on a machine without
# Xen: `strata record --app` and programs that start, run, fork, exec, load
# libraries, are killed, and lie.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
library=$PWD/out/tests/app/library.so
liar=$PWD/out/tests/app/liar
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
trap '[ -z "$recorder" ] || kill "$recorder" 2>/dev/null; rm -rf "$work"' EXIT

# finish_recording NAME: ends it and merges; its exit status in $status.
finish_recording() {
	kill -INT "$recorder"
	status=0
	wait "$recorder" || status=$?
	recorder=""
	"$strata" merge "$work/$1" -o "$work/$1.merged" >"$work/$1.report" 2>&1 || true
	timeline=$work/$1.merged/timeline.txt
	touch "$timeline"
}

# gaps: of numbers on standard input, each one more than the one before: how many are not; there
# must be some.
gaps() { awk 'NR > 1 && $1 != before + 1 { gaps++ } { before = $1 } END { print (NR > 10 ? gaps + 0 : "none") }'; }
lines() { grep -c "$@" || true; }

# The number of the newest event of a program that writes for ever into $work/last; it writes there while it is recorded.
last_number() { od -An -tu8 "$work/last" | tr -d ' '; }
is_past() { [ "$(last_number)" -gt "$1" ]; }

# more_of NUMBER: so many events are recorded more.
more_of() { await is_past $(($(last_number) + $1)); }

# forever WHAT: starts a program that writes for ever, and waits until it is in its main().
forever() {
	rm -f "$work/last"
	"$program" "$1" 0 "$work/last" &
	running=$!
	await test -s "$work/last"
}

# said PATTERN NAME: by the recorder of that recording.
said() { grep -q "$1" "$work/$2.log"; }

# in_tables NAME FILTER: the tables on the disk say so.
in_tables() { jq -e "$2" "$work/$1/recording.json"; }

# arenas PID: how many arenas of malloc's a process has beside its heap; each reserves 64 MiB of addresses, most of which it cannot access.
arenas() {
	local range access rest nr=0
	while read -r range access rest; do
		[ "$access" != ---p ] || [ $((0x${range#*-} - 0x${range%-*})) -lt $((32 << 20)) ] || nr=$((nr + 1))
	done <"/proc/$1/maps"
	echo $nr
}

begin first --app program
check "an event of each kind of field is recorded from before main() on" "$program" numbered 1000
"$program" threads 5000
"$program" linger 0 "$work/lingers" &
running=$!
await test -e "$work/lingers"
check "a program that starts while it is recorded has one heap" is "$(arenas "$running")" 0
kill -KILL "$running"
wait "$running" 2>/dev/null
finish_recording first
check "nothing is left out" is "$status" 0
check "each event is there once" is "$(lines ' numbered ' <"$timeline")" 1000
check "also an event without fields" is "$(lines ' nothing ' <"$timeline")" 1
check "also of threads" is "$(lines ' plain ' <"$timeline")" 20000
check "fields are as they were given, and escaped" grep -qF \
	'number=2 text="\x1b[31mred" small=2 negative=-7 hex=0xbeef half=1 quarter=0.25 three=[1,2,3] _bytes_length=2 bytes=[0xfe,0xed]' "$timeline"
check "nothing is said of guests that there are not" test 0 = "$(grep -ciE 'guest|vCPU|Xen|dom0' "$work/first.report")"
check "and one bound is stated" test 1 = "$(grep -c '^Bound:' "$work/first.report")"
check "process and thread are named" grep -qE 'app .* host/[0-9]+ .*\[ comm="program" pid=([0-9]+) vpid=\1 vtid=\1 \]' "$timeline"
check "babeltrace2 reads it" is "$(babeltrace2 "$work/first" 2>&1 | lines 'numbered')" 1000
check "babeltrace2 reads floating-point numbers" bash -c "babeltrace2 '$work/first' | grep -q 'number = 3, .*half = 1.5, quarter = 0.25'"

check "where nobody records nothing is wanted, and nobody waits" is "$(STRATA_APP_WAIT_MS=3600000 timeout "$limit_s" "$program" off)" 0

forever forever
is_listed() {
	"$strata" list --apps --events --long plain | grep -A 1 "^  $running  *program: 10 events" | grep -q 'test/plain number:u64'
}
check "a program that runs is listed, with its events" await is_listed
begin second --app "$running"
check "a program that runs is recorded" more_of 5000
kill -9 "$running"
wait "$running" 2>/dev/null
check "its end is in the tables" await in_tables second '.sources[0].ended == "process ended"'
finish_recording second
last=$(last_number)
recorded=$(sed -n 's/.* plain .*number=\([0-9]*\)$/\1/p' "$timeline")
check "a program that runs is attached to by its number" test -n "$recorded"
check "what it had published when it was killed is there" test "$(tail -n 1 <<<"$recorded")" -ge "$last"
check "without a gap" is "$(gaps <<<"$recorded")" 0
check "its end is known" grep -q 'process ended' "$work/second.report"

forever forever
begin third --app 'prog*:plain'
check "a program is recorded by a pattern" more_of 100
finish_recording third
check "a program goes on when the recording ends" kill -0 "$running"
check "and was recorded until then" test "$(lines ' plain ' <"$timeline")" -gt 10
begin again --app all
check "it is recorded again" more_of 100
kill -STOP "$running"
finish_recording again
kill -KILL "$running"
wait "$running" 2>/dev/null
check "a second recording has it again, and one that is stopped holds nobody up" test "$(lines ' plain ' <"$timeline")" -gt 10
check "that is no error" is "$status" 0

forever daemon
for turn in daemon daemon-again; do
	begin "$turn" --app "$running"
	check "a program that closed all of its files is recorded ($turn)" more_of 100
	finish_recording "$turn"
	check "a program that closed all of its files is attached to ($turn)" test "$(lines ' plain ' <"$timeline")" -gt 10
done
check "and lives" kill -KILL "$running"
wait "$running" 2>/dev/null

# A thread's records went to the kind of ring that the program had at first.
begin environment --app program
forever environment
more_of 100
finish_recording environment
begin environment-again --app "$running"
more_of 100
finish_recording environment-again
check "a program that changes its environment keeps its kind of ring" test "$(lines ' plain ' <"$timeline")" -gt 10
kill -KILL "$running"
wait "$running" 2>/dev/null

# A program whose files are all in use when the recording ends can be recorded again when there are some.
forever forever
begin files --app "$running"
check "a program is recorded before its files are all in use" more_of 100
prlimit --pid "$running" --nofile=3:
finish_recording files
# cpu_ticks: of all threads but the first, in hundredths of a second.
cpu_ticks() { cat "/proc/$running/task"/[0-9]*/stat | awk -v main="$running" '$1 != main { n += $14 + $15 } END { print n + 0 }'; }
begin files-again --app "$running"
before=$(cpu_ticks) began_ns=$(date +%s%N)
sleep 0.6
ticks=$(($(cpu_ticks) - before)) took=$((($(date +%s%N) - began_ns) / 10000000))
check "without a file it cannot come to a recorder" in_tables files-again '.sources | length == 0'
# In hundredths of a second, both.
check "and sleeps between its attempts" test "$ticks" -lt $((5 + took / 10))
prlimit --pid "$running" --nofile=1000:
check "a program that had no files left is recorded again" more_of 100
finish_recording files-again
kill -KILL "$running"
wait "$running" 2>/dev/null

begin fourth --app program
"$program" fork 500
"$program" exec 300
"$program" dlopen 400 "$library"
finish_recording fourth
check "a child has rings of its own" is "$(lines ' plain ' <"$timeline")" $((2 * 500 + 300 + 4 * 300 + 400))
check "nothing is lost in a fork, an exec or a library" is "$(jq '[.sources[].streams[].lost] | add' "$work/fourth/recording.json")" 0
check "parent, child, and each program are told apart" is \
	"$(grep -oE '\bpid=[0-9]+' "$timeline" | sort -u | wc -l)" 4
check "a library's events come with it" is "$(lines ' loaded .*text="from C++"' <"$timeline")" 400

begin fifth --app 'program:numbered'
STRATA_APP_MODE=reserve-commit "$program" numbered 3000
finish_recording fifth
check "reserve and commit: all is there when a program ends" is "$(lines ' numbered ' <"$timeline")" 3000
begin sixth --app 'program:plain'
# On one CPU: each ring ends for itself, if the program cannot answer before the recorder's patience ends.
STRATA_APP_MODE=reserve-commit taskset -c "$(one_cpu)" "$program" forever 0 "$work/last.rc" &
running=$!
ln -sf "$work/last.rc" "$work/last"
check "reserve and commit: a program that does not end is recorded" await is_past 1000
finish_recording sixth
kill -KILL "$running"
wait "$running" 2>/dev/null
recorded=$(sed -n 's/.* plain .*number=\([0-9]*\)$/\1/p' "$timeline")
check "reserve and commit: a stop flushes" test "$(wc -l <<<"$recorded")" -gt 10
check "reserve and commit: without a gap" is "$(sort -n <<<"$recorded" | gaps)" 0

begin bare-fork --app 'program:plain' --app-buffer 16Kx16
STRATA_APP_MODE=reserve-commit "$program" bare-fork 5000
finish_recording bare-fork
check "reserve and commit: a child that has not started anew writes nothing" is "$(lines ' plain ' <"$timeline")" 5000

# whole_lengths: of events of each length on standard input, how many have all of their fields as they were written.
whole_lengths() {
	awk '/ body[0-9]+ / {
		first = second = third = 0
		for (i = 1; i <= NF; i++)
			if (split($i, field, "=") == 2) {
				if (field[1] == "first") first = field[2] + 0
				if (field[1] == "second") second = field[2] - (/ body20 / ? 1000000 : 2 ^ 40)
				if (field[1] == "third") third = field[2] - (/ body28 / ? 1000000 : 2 ^ 40)
			}
		whole += first > 0 && (!second || second == first) && (!third || third == first)
	} END { print whole + 0 }'
}
for mode in single-store reserve-commit; do
	for form in full compact large; do
		begin "lengths-$mode-$form" --app program --event-header "$form"
		STRATA_APP_MODE=$mode "$program" lengths 2000
		finish_recording "lengths-$mode-$form"
		check "$mode, $form headers: events of each length are whole" is "$(whole_lengths <"$timeline")" 12000
	done
done

# form_of RECORDING: of its events' headers, by the only stream class.
form_of() {
	local names=(full compact large)

	echo "${names[$(sed -n '/^stream {/,/^}/s/^\tid = \(.*\);/\1/p' "$work/$1"/*/metadata)]}"
}

for form in compact large; do
	begin "$form" --app 'program:numbered' --event-header "$form"
	STRATA_APP_MODE=reserve-commit "$program" numbered 3000
	finish_recording "$form"
	check "$form headers: all is there" is "$(lines ' numbered ' <"$timeline")" 3000
	check "$form headers: babeltrace2 reads it" is "$(babeltrace2 "$work/$form" 2>&1 | lines 'numbered')" 3000
	check "$form headers: the recording says so" is \
		"$(form_of "$form")" "$form"
done
check "compact headers make the recording smaller" test \
	"$(du -sb "$work/compact" | cut -f1)" -lt "$(du -sb "$work/fifth" | cut -f1)"
begin single --app 'program:numbered' --event-header compact
"$program" numbered 700
finish_recording single
check "single-store rings keep full headers" is "$(form_of single)" full
check "and all is there" is "$(lines ' numbered ' <"$timeline")" 700
check "no other form is known" is \
	"$("$strata" record --app all --event-header short 2>&1 | grep -c 'use full, compact or large')" 1

# on_disk SOURCE: of a program that has written a few events, and does nothing, some are on the disk.
on_disk() { [ "$(cat "$1"/cpu_* 2>/dev/null | wc -c)" != 0 ]; }
for mode in single-store reserve-commit; do
	ln -s "$program" "$work/$mode"
done
lingering=()
longer=1.2
for period in 50 0; do
	begin "period-$period" --app '*-store' --app '*-commit' --switch-timer $period
	for mode in single-store reserve-commit; do
		STRATA_APP_MODE=$mode "$work/$mode" linger 5 "$work/$mode.$period" &
		lingering[${#lingering[@]}]=$!
	done
	for mode in single-store reserve-commit; do
		source=$work/period-$period/app-$mode
		check "$mode: a program writes (--switch-timer $period)" await test -e "$work/$mode.$period"
		if [ $period = 0 ]; then
			# Longer than the period that is the default; for both.
			sleep "$longer"
			longer=0
			check "$mode: without a switch timer a few events stay in their buffers" is "$(cat "$source"/cpu_* | wc -c)" 0
		else
			check "$mode: with one they are on the disk before the end" await on_disk "$source"
		fi
	done
	[ $period = 0 ] || kill -KILL "${lingering[@]}"
	finish_recording "period-$period"
	kill -KILL "${lingering[@]}" 2>/dev/null
	wait "${lingering[@]}" 2>/dev/null
	lingering=()
	for mode in single-store reserve-commit; do
		check "$mode: and all of them in the end" is "$(grep -c "comm=\"$mode\".* plain \| plain .*comm=\"$mode\"" "$timeline")" 5
	done
done

begin short --app program --app-buffer 4Mx8
(
	ulimit -v 30000
	"$program" numbered 10
)
check "a program that has no memory for its rings runs on" test "$?" = 0
check "that it is not recorded is said" await said 'application program (process [0-9]*) is left out: it ended or gave up' short
finish_recording short
check "and is no success" is "$status" 3

begin no-file-size --app program
(
	ulimit -f 0
	"$program" numbered 10
)
check "a program that may not write files runs on" test "$?" = 0
finish_recording no-file-size
check "and is recorded" is "$(lines ' numbered ' <"$timeline")" 10

begin no-output --app program
"$program" spoken 10 >&-
finish_recording no-output
check "a program without standard output does not print into its recorder's socket" is "$(lines ' plain ' <"$timeline")" 10

begin no-files --app program
files=0
while [ -e "/proc/$recorder/fd/$files" ]; do
	files=$((files + 1))
done
prlimit --pid "$recorder" --nofile=$files:
check "a recorder without a file for it holds no program up" env STRATA_APP_WAIT_MS=3600000 timeout "$limit_s" "$program" numbered 10
prlimit --pid "$recorder" --nofile=1000:
"$program" numbered 20
finish_recording no-files
check "says so" grep -q 'too many files open (ulimit -n)' "$work/no-files.log"
check "and goes on" is "$(lines ' numbered ' <"$timeline")" 20
check "it is no success" is "$status" 3

begin seventh --app all
for seed in 1 2; do
	check "a liar (seed $seed) comes to its end" timeout "$limit_s" "$liar" "$(app_socket)" "$seed"
done
"$program" numbered 700
check "the recorder lives" kill -0 "$recorder"
finish_recording seventh
check "and says that something was left out" is "$status" 3
check "an honest program beside it loses nothing" is "$(lines ' numbered ' <"$timeline")" 700

# slow WHAT MS: a program that waits that long for a recorder that is slow.
slow() { STRATA_APP_SOCKET=$work/slow-$1.sock STRATA_APP_WAIT_MS=$2 timeout "$limit_s" out/tests/app/slow_recorder "$1"; }
check "a child that is forked while its parent connects does not keep that socket" slow fork "${limit_s}000"
check "a recorder that reads too late gets the other events of a library" slow late 300
check "and those of a program that starts" slow slow 300
check "a program wakes a recorder that sleeps, once, when it leaves a sub-buffer" slow asleep "${limit_s}000"
check "a program without the thread that would wake a recorder does not promise to" slow threads "${limit_s}000"

# is_said_to_be_stopped MODE: a snapshot says so, and what to do.
is_said_to_be_stopped() {
	local status=0 output
	output=$(timeout "$limit_s" "$strata" snapshot -o "$work/stopped-$1" 2>&1) || status=$?
	printf '%s\n' "$output"
	[ "$status" = 1 ] && grep -q "(process $recorder) is stopped .*kill -CONT $recorder" <<<"$output"
}

for mode in single-store reserve-commit; do
	begin "flight-$mode" --overwrite --app program --app-buffer 4Kx4
	# On one CPU: in the ring of another its first events would stay for as long as it is not there.
	rm -f "$work/last"
	STRATA_APP_MODE=$mode taskset -c "$(one_cpu)" "$program" forever 0 "$work/last" &
	running=$!
	await test -s "$work/last"
	check "$mode: a flight recorder's ring is written more than once round" await is_past 2000
	last=$(last_number)
	check "$mode: a flight recorder writes a snapshot" "$strata" snapshot -o "$work/snapshot-$mode"
	check "$mode: and goes on" more_of 1000
	kill -STOP "$recorder"
	check "$mode: a recorder that is stopped is not waited for" is_said_to_be_stopped "$mode"
	kill -CONT "$recorder"
	check "$mode: and does what it was told when it goes on" await test -e "$work/stopped-$mode/recording.json"
	# On a busy machine the program may not have run since.
	check "$mode: the program goes on, too" more_of 1000
	finish_recording "flight-$mode"
	kill -KILL "$running"
	wait "$running" 2>/dev/null
	ended=$(sed -n 's/.* plain .*number=\([0-9]*\)$/\1/p' "$timeline")
	"$strata" merge "$work/snapshot-$mode" -o "$work/snapshot-$mode.merged" >"$work/snapshot.report" 2>&1
	recorded=$(sed -n 's/.* plain .*number=\([0-9]*\)$/\1/p' "$work/snapshot-$mode.merged/timeline.txt")
	# A sub-buffer holds 142 of them, and one may be open.
	check "$mode: it has the newest" test "$(sort -n <<<"$recorded" | tail -n 1)" -ge $((last - 142))
	check "$mode: and not the oldest" test "$(sort -n <<<"$recorded" | head -n 1)" -gt 0
	check "$mode: what was in the snapshot is not in the end's recording" \
		test -n "$ended" -a -z "$(comm -12 <(sort <<<"$recorded") <(sort <<<"$ended"))"
	check "$mode: nothing counts as lost" is "$(jq '[.sources[].streams[].lost] | add' "$work/flight-$mode/recording.json")" 0
done

# Inline functions of C++ are in each file that has them, and the linker keeps one.
for file in a b; do
	printf '%s\n' '#include <strata/tracepoint.h>' 'STRATA_EVENT(twice, pushed, strata_u32(value));' \
		'struct queue { void push(uint32_t value) { STRATA_TRACE(twice, pushed, value); } };' \
		"void from_$file(queue &queue) { queue.push(1); }" >"$work/$file.cc"
done
printf '%s\n' 'void from_b(queue &queue);' 'int main() { queue one; from_a(one); from_b(one); }' >>"$work/a.cc"
check "an inline function of C++ in two files is linked" g++ -O0 -Wall -Wextra -Werror -Iinclude "$work/a.cc" "$work/b.cc" \
	-o "$work/twice" -Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib"
begin inline --app twice
"$work/twice"
finish_recording inline
check "and recorded from both" is "$(lines ' pushed ' <"$timeline")" 2

# A program that knows nothing of Strata, and closes the library that brought it along, and says so: what
# listens to recorders is still there when one comes.
printf '%s\n' '#include <dlfcn.h>' '#include <unistd.h>' '#include <fcntl.h>' 'int main(int argc, char **argv)' \
	'{ return argc < 3 || dlclose(dlopen(argv[1], RTLD_NOW)) || creat(argv[2], 0600) < 0 || pause(); }' >"$work/closer.c"
gcc "$work/closer.c" -o "$work/closer"
g++ -Iinclude -fPIC -shared tests/unit/app/library.cc -o "$work/whole.so" out/lib/libstrata.a
for closed in "$library" "$work/whole.so"; do
	name=closed-$(basename "$closed" .so)
	"$work/closer" "$closed" "$work/$name.closed" &
	running=$!
	check "a program closes its last library with events ($name)" await test -e "$work/$name.closed"
	begin "$name" --app "$running"
	check "it is attached to ($name)" await in_tables "$name" '.sources | length == 1'
	finish_recording "$name"
	check "a program that closed its last library with events lives on after a recording ($name)" kill -KILL "$running"
	check "and was found by it" is "$status" 0
	wait "$running" 2>/dev/null
done

# The example of README.md, as it stands there.
sed -n '/^    \/\* server.c \*\/$/,/^    }$/s/^    //p' README.md >"$work/server.c"
check "the example of README.md compiles" gcc -O2 -Wall -Wextra -Werror -Iinclude "$work/server.c" -o "$work/server" \
	-Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib"
begin eighth --app 'server:request_*'
"$work/server"
finish_recording eighth
check "and is recorded" is "$(lines 'comm="server".* \] id=99' <"$timeline")" 2

# known_alike: to what its times are known, view says of its events as merge does of all of them.
known_alike() {
	local merged
	merged=$(jq '.clock | if .applications.bound_ns > 0 then .applications.bound_ns else .bound_ns end' "$work/eighth.merged/summary.json")
	"$strata" view --json "$work/eighth" | jq -es --argjson merged "$merged" 'length > 0 and (map(.bound_ns) | max) == $merged'
}
check "view and merge agree on how well its times are known" known_alike

# The process whose children make the memory of rings is killed again and again, while programs start that need it.
begin helpless --app program
"$program" numbered 10
# makers_helper: the youngest child of the recorder that has a child which stays; the other one looks at programs.
makers_helper() {
	local helper maker
	for helper in $(pgrep -P "$recorder" | sort -rn); do
		maker=$(pgrep -o -P "$helper") || continue
		sleep 0.2
		! kill -0 "$maker" 2>/dev/null || { echo "$helper" && return; }
	done
	return 1
}
# shellcheck disable=SC2317 # check calls it
kill_helper_of_programs() {
	local turn helper started
	for turn in 1 2 3; do
		helper=$(await makers_helper) || return 1
		started=()
		for _ in 1 2 3 4; do
			"$program" numbered 100 &
			started+=($!)
		done
		kill -KILL "$helper"
		for _ in 1 2 3 4; do
			"$program" numbered 100 &
			started+=($!)
		done
		wait "${started[@]}" || return 1
		[ "$(makers_helper)" != "$helper" ] || return 1
		echo "helper $helper of turn $turn is gone"
	done
}
check "programs run whose makers of memory are killed" kill_helper_of_programs
finish_recording helpless
check "the recorder replaced these" is "$(lines 'the process that makes memory has ended; it is replaced' <"$work/helpless.log")" 3
check "each event of those programs is recorded" is "$(lines ' numbered ' <"$timeline")" 2410
check "and nothing is left out" is "$status" 0

begin ninth --app nobody
finish_recording ninth
check "a program that nobody has is named" grep -q 'no application "nobody" connected' "$work/ninth.log"
check "and is no success" is "$status" 3

# spared: a file in place of the socket is somebody's.
spared() {
	# Whatever the number of the recorder is.
	for file in "$work/file" "$work"/file.{1..7}; do
		echo precious >"$file"
	done
	! STRATA_APP_SOCKET=$work/file out/bin/strata record --app all --duration 100ms --output "$work/tenth" 2>"$work/tenth.log" &&
		grep -q 'name another path in the environment variable' "$work/tenth.log" && [ "$(cat "$work"/file* | grep -c precious)" = 8 ]
}
check "a file that stands where the socket should is kept, and it is said" spared
finish
