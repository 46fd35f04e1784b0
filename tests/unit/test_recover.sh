#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory that outlives its writer: threads write numbered events into rings in files; they and the
# recorder are killed, and `strata recover` finds each event whose writer had begun the next
# one. Also what it refuses, and applications that corrupt their rings. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
work=$(mktemp -d)
# Under names of their own: recorders that other tests run must not take them for theirs.
crowd=crowd$$
vandal=vandal$$
program=$work/$crowd
ln -s "$PWD/out/tests/app/program" "$program"
ln -s "$program" "$work/$vandal"
export STRATA_APP_SOCKET=$work/apps.sock
recorder="" running="" beside=""
trap '[ -z "$recorder$running$beside" ] || kill -9 $recorder $running $beside 2>/dev/null; umount -q "$work/small" 2>/dev/null; rm -rf "$work"' EXIT

rounds=${RECOVER_ROUNDS:-2}
threads=3
record_bytes=32 # of an event of theirs, in a ring

# crowd FILE: starts threads that write, and waits until all of them do.
crowd() {
	rm -f "$1"
	"$program" crowd "$threads" "$1" &
	running=$!
	await all_write "$1" && return 0
	murder
	return 1
}

all_write() { [ -s "$1" ] && ! last_numbers "$1" | grep -qx 0; }

last_numbers() { od -An -v -tu8 -w8 -N $((8 * threads)) "$1" | tr -d ' '; }

# more_than NUMBER FILE: so many events have been written in all.
more_than() { [ $(($(last_numbers "$2" | paste -sd+))) -gt "$1" ]; }

# murder: ends both at once, one before the other, and forgets them.
murder() {
	if [ $((RANDOM % 2)) = 0 ]; then
		kill -9 "$recorder" "$running"
	else
		kill -9 "$running" "$recorder"
	fi
	wait "$recorder" "$running" 2>/dev/null
	recorder="" running=""
}

# numbers RECORDING: thread and number of each event, in the order of the timeline.
numbers() {
	"$strata" merge "$1" --format text -o - 2>/dev/null |
		sed -n 's/.* crowded .*thread=\([0-9]*\) number=\([0-9]*\)$/\1 \2/p'
}

# whole RECORDING LAST REPORT: each thread's numbers count up from 1 to its last or beyond; none
# is there twice.  What is missing must be counted as lost, or lie where the report says that
# something is unknown.
whole() {
	local lost unknown
	lost=$(jq '[.sources[].streams[].lost] | add' "$1/recording.json")
	unknown=$(sed -nE '/^Unknown:/ { s/[^:]*:[^:]*: *//; s/packet [0-9]+//; s/at byte [0-9]+//; s/from byte [0-9]+//; p }' "$3" |
		grep -oE '[0-9]+ (reserved )?bytes' | awk -v record="$record_bytes" '{ n += $1 / record } END { print int(n) }')
	numbers "$1" | awk -v last="$(last_numbers "$2" | tr '\n' ' ')" -v room=$((lost + unknown)) '
		{
			if ($2 <= newest[$1]) { print "thread " $1 ": " $2 " after " newest[$1]; bad = 1 }
			missing += $2 - newest[$1] - 1
			newest[$1] = $2
		}
		END {
			n = split(last, wanted, " ")
			for (i = 1; i <= n; i++)
				if (newest[i - 1] < wanted[i]) missing += wanted[i] - newest[i - 1]
			print NR " events, " missing " missing, of which " room " can be"
			exit bad || n == 0 || NR == 0 || missing > room
		}'
}

# as_json NAME: what was recovered before is recovered again as JSON, which says the same as the report did.
as_json() {
	"$strata" recover --json "$work/$1" -o "$work/$1-json" >"$work/json" || return 1
	rm -r "$work/$1-json"
	jq -e ".status == 0 and .output == \"$work/$1-json\" and .lost == ([.sources[].lost] | add)" "$work/json" || return 1
	# shellcheck disable=SC2016 # what is not expanded is jq's
	jq -r '(.holes[] | "Unknown:  \(.source) CPU \(.cpu), packet \(.packet): " +
			(if .reserved > 0 then "\(.reserved) bytes reserved but not committed at byte \(.at)" else "unknown from byte \(.at) on" end) +
			(if .behind == 0 then "" elif .behind_is_limit then "; up to \(.behind) reserved bytes after it, the packet\u0027s padding included"
			 else "; \(.behind) reserved bytes after it" end)),
		(.sources[] | "Source:   \(.source): \(.written) events were written, " +
			(if .recovered == null then "its rings cannot be read" else "\(.recovered) more were in its rings" end) + "; \(.lost) lost"),
		"Events:   \(.events)"' "$work/json" | diff - <(grep -v ^Recorded: "$work/$1.report")
}

# round NAME OPTIONS...: both are killed at some moment; what they left is whole when it is recovered.
round() {
	local status=0
	begin "$1" --app-buffer 256Kx16 --app "$crowd" --app-memory file "${@:2}" || return 1
	crowd "$work/last" || return 1
	sleep "0.$(printf '%03d' $((RANDOM % 250)))"
	murder
	"$strata" recover "$work/$1" >"$work/$1.report" 2>"$work/$1.errors" || status=$?
	if [ "$status" != 0 ] || ! whole "$work/$1-recovered" "$work/last" "$work/$1.report"; then
		cat "$work/$1.report" "$work/$1.errors"
		return 1
	fi
	grep -q 'Events: ' "$work/$1.report" && as_json "$1"
}

for mode in single-store reserve-commit; do
	export STRATA_APP_MODE=$mode
	for i in $(seq "$rounds"); do
		check "$mode: threads and recorder are killed, and all is recovered ($i)" round "$mode-$i"
	done
done

# flown NAME: the same for a flight recorder, of whose rings more was written than all of them hold: the
# newest of each thread are there, but for what a sub-buffer of each CPU can hold; not all are, and none is twice.
flown() {
	local held=$((4 * 65536 * $(nproc) / record_bytes))
	begin "$1" --app "$crowd" --app-memory file --overwrite --app-buffer 64Kx4 || return 1
	crowd "$work/last" || return 1
	await more_than $((held * 3 / 2)) "$work/last" || return 1
	murder
	"$strata" recover "$work/$1" >"$work/$1.report" 2>"$work/$1.errors" || { cat "$work/$1.errors"; return 1; }
	numbers "$work/$1-recovered" | awk -v last="$(last_numbers "$work/last" | tr '\n' ' ')" \
		-v held="$held" -v open=$((65536 * $(nproc) / record_bytes)) '
		{
			if ($2 <= newest[$1]) { print "thread " $1 ": " $2 " after " newest[$1]; bad = 1 }
			newest[$1] = $2
		}
		END {
			n = split(last, wanted, " ")
			for (i = 1; i <= n; i++) {
				print "thread " i - 1 ": up to " newest[i - 1] " of " wanted[i]
				if (newest[i - 1] < wanted[i] - open) bad = 1
			}
			print NR " events; all rings hold " held
			exit bad || n == 0 || NR == 0 || NR > held
		}'
}

for mode in single-store reserve-commit; do
	export STRATA_APP_MODE=$mode
	check "$mode: a flight recorder and its threads are killed, and the newest are recovered" flown "$mode-flight"
done
check "records with short headers are recovered" round compact --event-header compact
check "as what they are" grep -qzP '\nstream \{\n\tid = 1;' "$work"/compact-recovered/*/metadata
unset STRATA_APP_MODE
check "some of it lay in the rings alone" grep -qE ' [1-9][0-9]* more were in its rings' "$work"/*.report

# same RECORDING: recovered again it is the same, to the byte.
same() {
	cp -a "$work/$1-recovered" "$work/before"
	"$strata" recover --force "$work/$1/" >/dev/null && diff -r "$work/before" "$work/$1-recovered"
}
check "a second time gives the same" same single-store-1
check "and babeltrace2 reads it" opens "$work/single-store-1-recovered"

# The recorder alone is killed, in the middle of its work; the program lives, and stops by itself.
begin alone --app-buffer 256Kx16 --app "$crowd" --app-memory "file:$work/elsewhere"
crowd "$work/last"
# So much that it is more than the smallest disks below have room for.
check "the program writes" await more_than 30000 "$work/last"
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
check "a program whose recorder was killed lets go of its rings" await lets_go_of_rings "$running"
# It writes no more; until the next recorder comes, whosever that is.
cp "$work/last" "$work/last.alone"
check "rings in a directory of their own are found" "$strata" recover "$work/alone"
"$strata" recover "$work/alone" >"$work/alone.report" 2>&1
check "the recorder alone is killed, and all is recovered" whole "$work/alone-recovered" "$work/last.alone" "$work/alone.report"
check "the program lives" kill -9 "$running"
wait "$running" 2>/dev/null
running=""

# unreachable NAME: its rings are in a directory that is not there now; what was written is recovered.
unreachable() {
	local status=0
	mv "$work/elsewhere" "$work/unmounted"
	"$strata" recover "$work/$1" -o "$work/written" >"$work/written.report" 2>&1 || status=$?
	mv "$work/unmounted" "$work/elsewhere"
	cat "$work/written.report"
	[ "$status" = 3 ] && grep -q 'left out: .*/rings: No such file.*mount it' "$work/written.report" &&
		[ -n "$(numbers "$work/written")" ]
}
check "rings that are not in reach are no silent success" unreachable alone

# A recorder is killed after an application has ended, and before the tables name it (here: as they cannot be
# written): all that it wrote is there.
begin unnamed --app "$crowd" --app-memory file
mkdir "$work/unnamed/recording.json.new"
"$program" numbered 1000
check "a recorder lets go of the rings of an application that ended" await lets_go_of_rings "$recorder"
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
"$strata" recover "$work/unnamed" >"$work/unnamed.report" 2>&1
check "an application that the dead recorder's tables do not name is recovered" \
	test 1000 = "$("$strata" merge "$work/unnamed-recovered" --format text -o - 2>/dev/null | grep -c ' numbered ')"
begin named --app "$crowd" --app-memory file
"$program" numbered 1000
is_empty() { [ -z "$(ls "$1")" ]; }
check "when they name it, its rings are removed" await is_empty "$work/named/rings"
kill -INT "$recorder"
wait "$recorder"
recorder=""

# The same, where the disk has no room for what the application wrote, nor for tables: there is some when all have ended.
mkdir "$work/small"
for mode in single-store reserve-commit; do
	mount -t tmpfs -o size=4m none "$work/small"
	begin small/full --app "$crowd" --app-memory "file:$work/rings-$mode"
	head -c 8m /dev/zero >"$work/small/fill" 2>/dev/null
	STRATA_APP_MODE=$mode "$program" numbered 1000
	check "$mode: a recorder on a full disk lets go of the rings of an application that ended" await lets_go_of_rings "$recorder"
	kill -9 "$recorder"
	wait "$recorder" 2>/dev/null
	recorder=""
	rm "$work/small/fill"
	"$strata" recover "$work/small/full" -o "$work/full-$mode" >"$work/full.report" 2>&1
	check "$mode: what the disk had no room for is recovered" \
		test 1000 = "$("$strata" merge "$work/full-$mode" --format text -o - 2>/dev/null | grep -c ' numbered ')"
	umount "$work/small"
done

# A recorder whose directory is moved goes on writing into it.
begin followed --app "$crowd" --app-memory file
threads=1 crowd "$work/last"
mv "$work/followed" "$work/followed-away"
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
kill -9 "$running"
wait "$running" 2>/dev/null
running=""
check "a recorder whose directory is moved goes on" test "$status" = 0
check "what it wrote is whole" "$strata" merge "$work/followed-away" --format text -o "$work/followed.txt"

# One that cannot write its tables at the end leaves the rings for that.
begin moved --app "$crowd" --app-memory file
threads=1 crowd "$work/last"
# It writes them again as long as streams begin.
until mkdir "$work/moved/recording.json" 2>/dev/null; do
	mv "$work/moved/recording.json" "$work/moved.json"
done
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
kill -9 "$running"
wait "$running" 2>/dev/null
running=""
rmdir "$work/moved/recording.json"
mv "$work/moved.json" "$work/moved/recording.json"
check "a recorder that cannot write its tables fails" test "$status" = 1
check "and does not say that all is complete" test 0 = "$(grep -c 'is complete' "$work/moved.log")"
check "what it wrote, and what not, is recovered" "$strata" recover "$work/moved"

gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC tests/unit/app/failing_disk.c -o "$work/failing_disk.so" -ldl || exit 1

# A recorder that cannot write any more ends; what it left in the rings is recovered.
for mode in single-store reserve-commit; do
	export STRATA_APP_MODE=$mode
	FAILING_DISK_KIB=$((300 + 100 * $(getconf _NPROCESSORS_CONF))) LD_PRELOAD=$work/failing_disk.so \
		begin "stuck-$mode" --app-buffer 16Kx4 --app "$crowd" --app-memory file
	crowd "$work/last"
	check "$mode: a recorder that cannot write any more ends" await has_ended "$recorder"
	kill -9 "$recorder" 2>/dev/null
	wait "$recorder" 2>/dev/null
	recorder=""
	kill -9 "$running"
	wait "$running" 2>/dev/null
	running=""
	check "$mode: a recorder that cannot write says where the rest is" \
		grep -q 'the unwritten events are in .*app-.*\.ring' "$work/stuck-$mode.log"
	"$strata" recover "$work/stuck-$mode" >"$work/stuck.report" 2>&1
	check "$mode: from there it is recovered" whole "$work/stuck-$mode-recovered" "$work/last" "$work/stuck.report"
done
unset STRATA_APP_MODE

# renamed NAME: a file of rings stands in the place of another one's.
renamed() {
	local status=0
	cp -a "$work/$1" "$work/renamed"
	cp "$work/elsewhere/app-$crowd.ring" "$work/renamed/rings/"
	"$strata" recover "$work/renamed" >"$work/renamed.report" 2>&1 || status=$?
	cat "$work/renamed.report"
	[ "$status" = 3 ] && grep -q 'left out: .*/app-.*\.ring: its rings are not those of app-' "$work/renamed.report" &&
		[ "$(numbers "$work/renamed-recovered" | sort | uniq -d | wc -l)" = 0 ]
}
check "the rings of another recording are not taken for those of this one" renamed single-store-1

# shown: the name of a file that somebody put there, fit for a terminal.
shown() {
	echo precious >"$work/elsewhere/"$'\n\e[2J.ring'
	"$strata" recover "$work/alone" -o "$work/shown" 2>"$work/shown.log"
	rm "$work/elsewhere/"*2J.ring
	cat -v "$work/shown.log"
	grep -qF "??[2J.ring: it is truncated" "$work/shown.log" && ! grep -q $'\e' "$work/shown.log"
}
check "a file's name is shown so that no terminal obeys it" shown

ring=$work/elsewhere/app-$crowd.ring
check "a ring file alone is recovered as well" "$strata" recover "$ring" -o "$work/one"
check "its rings keep a new recorder out of that directory" refused 'elsewhere contains rings of a recorder that died' \
	"$strata" record --app "$crowd" --app-memory "file:$work/elsewhere" -o "$work/new" --duration 100ms
check "and out of the old one" refused 'contains rings of a recorder that died' "$strata" record --app "$crowd" -o "$work/alone" --duration 100ms
# kept OPTIONS...: a directory that is no recording, and a file in it that is called as ours are, are somebody's.
kept() {
	mkdir "$work/somebody"
	echo precious >"$work/somebody/rings"
	refused 'contains no recording' "$strata" record -o "$work/somebody" --duration 100ms "$@" && grep -q precious "$work/somebody/rings"
}
check "what is called as rings are is kept" kept --app "$crowd" --app-memory file
head -c 100000 "$ring" >"$work/short.ring"
check "a truncated file is refused" refused 'is truncated: 100000 of its [0-9]+ bytes' "$strata" recover "$work/short.ring"
cp "$ring" "$work/version.ring"
printf '\x63' | dd of="$work/version.ring" bs=1 seek=4 conv=notrunc status=none
check "one of another version is refused" refused 'version 99; this program reads version' "$strata" recover "$work/version.ring"
check "what is no ring file is refused" refused 'not a file of rings' "$strata" recover "$strata"
check "what is no recording is refused" refused 'not a recording' "$strata" recover tests
check "also as JSON" reply '.status == 1 and (.message | test("^recover: .*not a recording"))' recover --json tests
# Too little for what is held back for its tables, and for what was written.
# left_as_it_was KIB: on a disk with so much room.
left_as_it_was() {
	local status=0
	mount -t tmpfs -o size="$1k" none "$work/small" || return 1
	"$strata" recover "$work/alone" -o "$work/small/new" 2>"$work/small.log" && status=1
	cat "$work/small.log"
	ls -A "$work/small"
	grep -q "make room" "$work/small.log" && [ -z "$(ls -A "$work/small")" ] || status=1
	umount "$work/small" && return $status
}
for room in 100 400; do
	check "a disk with $room KiB of room is left as it was" left_as_it_was "$room"
done
ln -s "$work/one" "$work/link"
check "a link is not replaced by what is recovered" refused 'is a link; name the directory' "$strata" recover "$ring" -o "$work/link"
check "and is as it was" test -L "$work/link" -a -f "$work/one/recording.json"
check "a directory may be named with a slash" "$strata" recover "$ring" -o "$work/slash/"
check "also when it is there" "$strata" recover --force "$ring" -o "$work/slash/"
check "but not without being told" refused 'already holds a recording \(use --force, or another -o\)' "$strata" recover "$ring" -o "$work/slash"
gcc -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -shared -fPIC tests/unit/app/no_rename_flags.c -o "$work/no_flags.so" || exit 1
recover_on_9p() { LD_PRELOAD=$work/no_flags.so "$strata" recover "$@"; }
check "what is recovered is put in its place, also on a file system like 9p" recover_on_9p "$ring" -o "$work/plain-rename"
check "where nothing else is left" is "$(echo "$work"/plain-rename*)" "$work/plain-rename"
check "and what is there stays" refused 'already holds a recording' recover_on_9p "$ring" -o "$work/plain-rename"
check "a recording is not recovered into itself" refused 'the recording to recover' "$strata" recover "$work/alone" -o "$work/alone"
check "nor into what is no recording" refused 'contains no recording' "$strata" recover "$work/alone" -o "$work"
check "an unknown kind of memory is refused" refused 'unknown kind "disk"; use shm, file' "$strata" record --app all --app-memory disk
check "a buffer size that is not a power of two is refused" refused 'not a power of two' "$strata" record --app all --app-buffer 63K
check "one sub-buffer is refused" refused 'a single sub-buffer' "$strata" record --app all --app-buffer 64Kx1
check "a buffer of nothing is refused" refused 'it is empty' "$strata" record --app all --app-buffer 0
check "too large a buffer is refused" refused 'too large' "$strata" record --app all --app-buffer 64Mx2

# A disk that has no room for the rings (here: files may not grow so large) is no trap for those who write to them.
largest_file=30000
begin full --app-buffer 4Mx16 --app "$crowd" --app-memory file
check "where there is no room for its rings a program runs on" "$program" numbered 100
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
largest_file=unlimited
check "it is left out, and that is the status" test "$status" = 3
check "and the reason is said" grep -q 'left out: no space for its rings (.*smaller rings (--app-buffer' "$work/full.log"

# counts_up TIMELINE: the vandal's numbers, from 0 on, at least as many as the first sub-buffer has.
counts_up() {
	sed -n 's/.*comm="'"$vandal"'".* number=\([0-9]*\)$/\1/p' "$1" |
		awk '$1 != NR - 1 { bad = 1 } END { print NR; exit bad || NR < 9000 }'
}

# larger_than BYTES DIR: what is in its files.
larger_than() { [ "$(cat "$2"/cpu_* 2>/dev/null | wc -c)" -gt "$1" ]; }
said() { grep -qs "$1" "$2"; }

# Two applications, of which one ruins its own rings; and a file that is truncated under both sides.
for mode in single-store reserve-commit; do
	begin "vandal-$mode" --app-buffer 256Kx16 --app "$crowd" --app "$vandal" --app-memory file
	rm -f "$work/corrupt"
	STRATA_APP_MODE=$mode taskset -c "$(one_cpu)" "$work/$vandal" corrupt 20000 "$work/corrupt" &
	beside=$!
	check "$mode: the first sub-buffer is written" await larger_than $((256 * 1024 - 1)) "$work/vandal-$mode/app-$vandal"
	check "$mode: while a recorder lives, its rings are its own" refused 'recorder still' "$strata" recover "$work/vandal-$mode"
	check "$mode: also to one who names the file" refused 'a recorder still reads it' "$strata" recover "$work/vandal-$mode/rings/app-$vandal.ring"
	"$program" numbered 2000
	threads=1 crowd "$work/last"
	victim=$running
	truncate -s 4096 "$work/vandal-$mode/rings/app-$crowd-$victim.ring"
	check "$mode: a file that is truncated disables one channel" await said "app-$crowd-$victim: .*control words" "$work/vandal-$mode.log"
	touch "$work/corrupt"
	check "$mode: corrupted control words disable one channel" await said "app-$vandal: .*control words" "$work/vandal-$mode.log"
	kill -9 "$running" "$beside" 2>/dev/null
	wait "$running" "$beside" 2>/dev/null
	running="" beside=""
	"$program" numbered 500
	kill -INT "$recorder"
	status=0
	wait "$recorder" || status=$?
	recorder=""
	"$strata" merge "$work/vandal-$mode" -o "$work/vandal-$mode.merged" >/dev/null 2>&1
	timeline=$work/vandal-$mode.merged/timeline.txt
	check "$mode: that control words were corrupted is said once" test 1 = "$(grep -c "app-$vandal: .*control words" "$work/vandal-$mode.log")"
	check "$mode: what had come from it until then is whole" counts_up "$timeline"
	check "$mode: that a file was truncated is said once" test 1 = "$(grep -c "app-$crowd-$victim: .*control words" "$work/vandal-$mode.log")"
	check "$mode: programs beside them are whole" test 2500 = "$(grep -c ' numbered ' "$timeline")"
	check "$mode: that something was left out is the status" test "$status" = 3
	check "$mode: what was recorded to its end leaves no rings" refused 'No such file' ls "$work/vandal-$mode/rings"
done
finish
