#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata record -- COMMAND`, --ready-fd, and the default directories: no existing file is overwritten.
# shellcheck source=tests/tap.sh
. tests/tap.sh
strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh
trap '[ -z "$recorder" ] || kill -9 "$recorder" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1

# recorded STATUS OPTIONS...: `strata record OPTIONS` ends with that status; if another test's recorder is in its way, later.
recorded() {
	local wanted=$1 status end=$((SECONDS + limit_s))
	shift
	while :; do
		status=0
		"$strata" record "$@" >"$work/out" 2>"$work/err" || status=$?
		if ! grep -q 'as many as there can be' "$work/err" || [ "$SECONDS" -ge "$end" ]; then
			break
		fi
		sleep 0.2
	done
	[ "$status" = "$wanted" ] || {
		echo "# status $status"
		sed 's/^/# /' "$work/err"
		return 1
	}
}
# events RECORDING: how many numbered ones it has.
events() { "$strata" convert --format json "$1" --event numbered 2>/dev/null | grep -c '"numbered"'; }
has_events() { [ "$(events "$1")" = "$2" ] || { echo "# $(events "$1") events"; return 1; }; }

check "the command's status is ours" recorded 7 -o status -- sh -c 'exit 7'
check "also if a signal ends it" recorded 137 -o signal -- sh -c 'kill -9 $$'
check "what it prints is printed" recorded 0 -o print -- echo "to be seen"
check "and nothing else" test "to be seen" = "$(cat out)"

check "a command that is not there is named" recorded 127 -o none -- nosuchcommand
check "and nothing is made for it" test ! -e none
touch no-program
check "a file that is no program is named" recorded 126 -o none -- ./no-program
check "a word without -- is no command" recorded 2 -o none echo
check "nor is a file made for that" test ! -e none

check "the events of a command are there" recorded 0 -o one -- "$program" numbered 1000
check "all of them" has_events one 1000
# shellcheck disable=SC2016 # for the command's shell
check "those of what it starts as well" recorded 0 -o children -- \
	sh -c '"$1" numbered 10 & (setsid "$1" numbered 20; "$1" numbered 30) & wait' sh "$program"
check "all of them, whose parents are there" has_events children 60
# Its parent is gone before it connects.
# shellcheck disable=SC2016
check "and of what was left behind" recorded 0 -o orphan -- \
	sh -c '(setsid sh -c "sleep 0.3; $1 numbered 40; touch over" &); while [ ! -e over ]; do sleep 0.05; done' sh "$program"
check "all of them, whose parents are gone" has_events orphan 40
(while [ ! -e stranger ]; do sleep 0.05; done; "$program" numbered 500; touch went) &
# shellcheck disable=SC2016
check "but not of others" recorded 0 -o mine -- \
	sh -c '"$1" numbered 10; touch stranger; while [ ! -e went ]; do sleep 0.05; done' sh "$program"
check "none of them" has_events mine 10
# shellcheck disable=SC2016
check "--app says whose" recorded 0 -o named --app "$(basename "$program"):numbered" -- "$program" numbered 50
check "and which" has_events named 50

# ends STATUS: the recorder ends with it.
ends() {
	local status=0
	await has_ended "$recorder" || kill -9 "$recorder"
	wait "$recorder" || status=$?
	recorder=""
	[ "$status" = "$1" ] || { echo "# status $status"; return 1; }
}
# signalled SIGNAL STATUS: the recorder gets the signal when its command runs, which ends with that status then.
signalled() {
	rm -rf runs signalled signalled.log
	begin signalled -- perl -e "\$SIG{$1} = sub { exit $2 }; open(F, '>', 'runs'); sleep 1 while 1" || return 1
	await test -e runs || return 1
	kill "-$1" "$recorder"
	ends "$2"
}
check "a signal goes to the command, which says how it ends" signalled INT 5
check "also when it is to end" signalled TERM 6
# shellcheck disable=SC2016 # Perl's
twice() {
	rm -f runs
	begin twice -- perl -e '$SIG{INT} = sub { open(F, ">", "heard") }; open(F, ">", "runs"); sleep 1 while 1' || return 1
	await test -e runs && kill -INT "$recorder" && await test -e heard && kill -INT "$recorder"
	ends 0
}
check "a second signal ends the recording, and the command" twice
check "and so does --duration" recorded 0 -o timed --duration 300ms -- sleep 1000

# Scripts are told when it stands.
mkfifo ready
told() {
	exec 7<>ready
	begin ready-told --app "$(basename "$program")" --ready-fd 7 || return 1
	local line=""
	read -r -t "$limit_s" line <&7
	exec 7>&-
	[ "$line" = ready ] || return 1
	"$program" numbered 100
	kill -INT "$recorder"
	wait "$recorder"
	recorder=""
}
check "--ready-fd says when the recording stands" told
check "and nothing is missed from then on" has_events ready-told 100
check "a number that is no file is refused" recorded 2 -o none --ready-fd 99 --app all

# Where recordings go.
mkdir dated
cd dated || exit 1
check "without -o a directory is made" recorded 0 -- "$program" numbered 5
check "and another one" recorded 0 -- "$program" numbered 6
dated() { set -- strata-recording-20[0-9][0-9][0-9][0-9][0-9][0-9]-[0-9]*; [ $# = 2 ] && has_events "$1" 5 && has_events "$2" 6; }
check "with the date in its name, and the first one is as it was" dated
cd ..
refused_as_it_is() {
	recorded 1 -o one -- "$program" numbered 3 && grep -q "one: already holds a recording (use --force, or another -o)" err
}
check "one that holds a recording is refused" refused_as_it_is
check "and stays as it was" has_events one 1000
check "--force does not replace it for a command that is not there" recorded 127 -o one --force -- nosuchcommand
check "it is there still" has_events one 1000
check "nor for one that cannot begin" recorded 1 -o one --force --app-memory "file:$work/no-program" -- "$program" numbered 3
check "it is there still, whole" has_events one 1000
check "and nothing else" test ! -e one/.replaced
check "--force replaces it" recorded 0 -o one --force -- "$program" numbered 3
check "by the new one" has_events one 3
check "and nothing else is left" test ! -e one/.replaced
finish
