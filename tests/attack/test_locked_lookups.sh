#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user keeps a directory locked so that nobody finds a name in it that the kernel does not know yet (dir_holder.c). Other users'
# programs start nevertheless, and are recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

if ! fuse_for_all; then
	echo "1..0 # SKIP no /dev/fuse"
	exit 0
fi
export STRATA_APP_WAIT_MS=5000

# Nothing below looks up a name in /proc, as grep does: it would wait as well.
# has_text FILE TEXT
has_text() { [[ -e $1 && $(<"$1") == *"$2"* ]]; }
# soon COMMAND...: tries until it succeeds, for 20 s at most.
soon() {
	local end=$((SECONDS + 20))
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.02
	done
}

# lock DIR: mallory locks it.
lock() {
	rm -f "$work/holder"
	become "$mallory" $bin/dir_holder "$(home "$mallory")" "$1" all >"$work/holder" 2>&1 &
	holder=$!
	attackers+=("$holder")
	soon is_locked
}
is_locked() { has_text "$work/holder" locked; }
let_go() {
	kill -KILL "$holder"
	wait "$holder" 2>/dev/null
}

# prepare NAME ENVIRONMENT...: a shell of the victim's, which runs an honest program when go NAME says so.  It looks up names at its
# start.
prepare() {
	local name=$1
	shift
	mkfifo -m 666 "$work/go-$name"
	# shellcheck disable=SC2016 # expanded there
	become "$victim" env "$@" bash -c 'echo >"$2/ready-$0"; read -r <"$3/go-$0"; "$1" 100 0; echo >"$2/$0"' "$name" $bin/victim "$(home "$victim")" "$work" &
	attackers+=($!)
	await test -e "/tmp/home-$victim/ready-$name"
}
go() { echo >"$work/go-$1"; }
ends() { soon test -e "/tmp/home-$victim/$1"; }

# The directory of the user's recorders would be in /run/user/UID, which does not exist, or in his home.
mkdir -m 755 /run/user
prepare user -u STRATA_APP_SOCKET HOME=/nowhere
lock /run/user
check "/run/user can be locked" is_locked
go user
check "meanwhile a program starts whose user has no login session" ends user
let_go
# No recorder has ever run: /run/strata does not exist.
prepare run -u STRATA_APP_SOCKET HOME=/nowhere
lock /run
check "/run can be locked" is_locked
go run
check "a program starts meanwhile" ends run
let_go

# The kernel remembers no name that is missing in a file system in memory.  Each program looks for ld.so.preload.
cp -a /etc /tmp/etc
mount --bind /tmp/etc /etc
touch /etc/ld.so.preload
rm -f /etc/subuid
begin locked --app all
prepare etc
lock /etc
check "/etc can be locked" is_locked
go etc
check "a program runs meanwhile" ends etc
let_go
prepare proc
lock /proc
check "/proc can be locked" is_locked
go proc
check "a program runs meanwhile" ends proc
let_go
end_recording
check "all of their events are recorded" is "$(steps locked)" 200

# The recorder reads files of its own process there, too, and finds running programs.
unset STRATA_APP_SOCKET
become "$victim" $bin/app/program forever 0 "$(home "$victim")/last" &
attackers+=($!)
await test -s "$(home "$victim")/last"
lock /proc
"$strata" record --app all --output "$work/begins" 2>"$work/begins.log" &
recorder=$!
check "a recorder begins while /proc is locked" soon has_text "$work/begins.log" 'strata: recording'
check "and calls the programs that run" soon has_text "$work/begins/recording.json" '"app-program"'
let_go
end_recording
check "it ends as usual" is "$status" 0
end_attacks
finish
