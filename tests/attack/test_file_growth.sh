#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Memory of applications in files (--app-memory file): a user who extends the file of his rings must not fill the disk that
# contains another user's rings and recording.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

end_all() {
	local pid
	for pid in $recorder $grower $program; do
		kill -KILL "$pid" 2>/dev/null
	done
}
trap end_all EXIT
grower="" program=""
work=/var/tmp/work
mkdir -p $work
export STRATA_APP_SOCKET=/tmp/apps.sock

# room: KiB that are free on the disk of the recording.
room() { df --output=avail -k $work | tail -n 1; }
events() { "$strata" convert --format json "$work/$1" --event numbered | grep -c numbered; }
is() { [ "$1" = "$2" ] || { echo "$1, not $2"; return 1; }; }

# linger USER NAME: starts a program of that user, which stays when it has written a few events.
linger() {
	setpriv --reuid "$1" --regid "$1" --clear-groups --inh-caps=-all -- $bin/app/program linger 5 "$(home "$1")/$2" &
	program=$!
	await test -e "/tmp/home-$1/$2"
}
end_program() {
	kill "$program"
	wait "$program" 2>/dev/null
	program=""
}

begin grown --app all --app-memory file --app-buffer 256Kx16
before=$(room)
setpriv --reuid "$mallory" --regid "$mallory" --clear-groups --inh-caps=-all -- $bin/stranger grow "$STRATA_APP_SOCKET" \
	>/tmp/grow.out 2>&1 &
grower=$!
check "an attacker does what he can to his memory" await grep -q grown /tmp/grow.out
check "the disk has room" test "$(room)" -gt $((before - 16384))
as "$victim" $bin/app/program numbered 3000
linger 0 of-root
rings() { find "$work/$1/rings/" -name '*.ring' | wc -l; }
check "programs of root get their rings in files" is "$(rings grown)" 1
end_program
kill -INT "$recorder"
status=0
wait "$recorder" || status=$?
recorder=""
kill -KILL "$grower"
wait "$grower" 2>/dev/null
grower=""
check "all of the other users' events are recorded" is "$(events grown)" 3000
check "that a user's rings are no files is said once a user" is \
	"$(grep -c 'not in files' "$work/grown.log"):$(grep -c "user $victim .*not in files" "$work/grown.log")" 2:1

begin trusted --app all --app-memory file --app-file-users "root,$victim"
linger "$victim" of-victim
check "a user whom root names gets files" is "$(rings trusted)" 1
truncate -s +1M "$(find $work/trusted/rings/ -name '*.ring')"
end_program
check "a file that has been made longer is cut off when its program ends" \
	await grep -q 'has extended its file by 1024 KiB; the file is truncated again' $work/trusted.log
kill -INT "$recorder"
wait "$recorder"
recorder=""
check "a user who does not exist is a wrong usage" is \
	"$("$strata" record --app all --app-memory file --app-file-users nobody-such 2>&1 | grep -c 'app-file-users.*nobody-such')" 1
finish
