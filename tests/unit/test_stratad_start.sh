#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stratad outlives the shell in which somebody was first to create a session: what that shell had set for itself does not hold for
# everybody's recordings.  It needs root, and a /run of its own: tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
work=$(mktemp -d)
daemon() { sed 's/process //' /run/strata/stratad.lock; }
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "$(daemon)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# fresh: the next command starts the first stratad of a machine.
fresh() {
	local stratad
	stratad=$(daemon 2>/dev/null) && kill -KILL "$stratad" && await has_ended "$stratad"
	rm -rf /run/strata
}
create() { "$strata" create --output "$work/web" web 2>/dev/null; }
limit_of() { grep "^Max $1 " "/proc/$(daemon)/limits" | sed "s/^Max $1 *//; s/ .*//"; }

# Those that root may raise again everywhere, also in a container.
(ulimit -S -f 4 -t 5 -v 4000000 -d 2000000 && create)
for limit in "file size" "cpu time" "address space" "data size"; do
	check "a limit of root's shell does not hold for stratad: $limit" is "$(limit_of "$limit")" unlimited
done

# So small that a consumer would end by SIGSEGV when a program comes, and so large that no thread could be made.
for stack in 64 50000000; do
	fresh
	(ulimit -S -s "$stack" && create)
	check "nor does that of its stacks: $stack KiB" is "$(limit_of "stack size")" 8388608
	"$strata" enable-event --session web --app all '*' 2>/dev/null
	check "a session starts" "$strata" start web
	check "and stops" "$strata" stop web
done

fresh
(ulimit -f 1 && exec out/bin/stratad) 2>/dev/null &
await test -S /run/strata/stratad.sock
create
enable() { for i in {1..20}; do "$strata" enable-event --session web --app "program-$i" '*' || return; done; }
check "a limit that the service manager has set on purpose is told of" refused "File too large" enable
check "and ends no stratad" is "$("$strata" status --json | jq -r '.sessions[].model.name')" web

fresh
nice -n 5 "$strata" create --output "$work/web" web 2>/dev/null
check "nor does its priority" is "$(ps -o ni= -p "$(daemon)" | tr -d ' ')" 0

fresh
python3 -c 'import ctypes, os, sys
ctypes.CDLL(None).prctl(29, ctypes.c_ulong(4000000000)) # PR_SET_TIMERSLACK
os.execv(sys.argv[1], sys.argv[1:])' "$strata" create --output "$work/web" web 2>/dev/null
check "nor how late its timers may be" is "$(cat "/proc/$(daemon)/timerslack_ns")" 50000

fresh
(umask 077 && create)
check "others find the recorders, whatever root's umask is" is "$(stat -c %a /run/strata)" 711

fresh
# shellcheck disable=SC2317 # check calls it
without_files() { out/bin/stratad --background 0<&- 1>&- 2>&-; }
check "it starts without standard files" without_files
create
check "none of its own files takes their place" is "$(readlink "/proc/$(daemon)/fd/"{0,1,2} | sort -u)" /dev/null
finish
