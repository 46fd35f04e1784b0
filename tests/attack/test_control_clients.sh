#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Another user puts a false stratad where a client looks for its own: in a HOME in which others may create files, without a
# /run/user/UID. The client refuses it, and does not wait for its answer.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

listener=""
# shellcheck disable=SC2317,SC2086 # the trap calls it; it may be no word
end_all() { kill -KILL $listener 2>/dev/null; }
trap end_all EXIT

# stand_in DIRECTORY QUEUE TURNS: listens there as stratad does, and says that all is done.
stand_in() {
	rm -f "$work/heard"
	# shellcheck disable=SC2016 # of perl
	become "$mallory" perl -MSocket -e '
		my ($dir, $queue, $turns) = @ARGV;
		umask 0;
		mkdir $dir, 0755;
		socket($end, PF_UNIX, SOCK_STREAM, 0) or die $!;
		bind($end, pack_sockaddr_un("$dir/stratad.sock")) or die $!;
		listen($end, $queue) or die $!;
		$| = 1;
		print "listening\n";
		while ($turns--) {
			accept($client, $end) or die $!;
			sysread($client, $asked, 65536);
			print $asked;
			syswrite($client, qq({"status":0,"message":"session web records"}\n));
			close($client);
		}
		sleep 1000;' "$@" >"$work/heard" &
	listener=$!
	await grep -qs listening "$work/heard"
}
stand_down() {
	kill -KILL "$listener" 2>/dev/null
	wait "$listener" 2>/dev/null
	listener=""
	rm -rf "$1"
}
# of_victim HOME VERB...: leaves $ended, its status, and what it says.
of_victim() {
	local home=$1
	shift
	ended=0
	(HOME=$home become "$victim" timeout 20 "$strata" "$@") >"$work/said" 2>&1 || ended=$?
	sed 's/^/# /' "$work/said"
}
refuses() { [ "$ended" = 1 ] && grep -q "$1" "$work/said"; }
is() {
	[ "$1" = "$2" ] || {
		echo "# \"$1\", not \"$2\""
		return 1
	}
}

stand_in /tmp/.strata 8 100
of_victim /tmp start web
check "a client does not ask one who stands in for its stratad" is "$(grep -c start "$work/heard")" 0
check "it says whose the directory is" refuses "reached: /tmp/.strata belongs to user $mallory"
of_victim /tmp create web
check "nor does it say that a session is created" refuses "reached: /tmp/.strata belongs to user $mallory"
stand_down /tmp/.strata

# As where his own directory was put in its place a moment later.
stand_in /tmp/.strata 8 100
chown -h "$victim" /tmp/.strata
of_victim /tmp status
check "a client asks nobody else's process" is "$(grep -c status "$work/heard")" 0
check "it cannot reach its stratad" refuses "stratad cannot be reached at /tmp/.strata/stratad.sock: Permission denied"
stand_down /tmp/.strata

# His is the directory, but in a home of another user, who can put his own in its place.
of_mallory=$(home "$mallory")
chmod 755 "$of_mallory"
stand_in "$of_mallory/.strata" 8 100
chown -h "$victim" "$of_mallory/.strata"
of_victim "$of_mallory" status
check "nor one in the home of another user" refuses "reached: $of_mallory belongs to user $mallory"
stand_down "$of_mallory/.strata"

# The queue is full: it would wait for ever.
stand_in /tmp/.strata 0 0
# shellcheck disable=SC2016 # of perl
as "$mallory" perl -MSocket -e 'socket($end, PF_UNIX, SOCK_STREAM, 0) && connect($end, pack_sockaddr_un("/tmp/.strata/stratad.sock")) or die $!'
of_victim /tmp status
check "it does not wait for one who accepts nobody" refuses "reached: /tmp/.strata belongs to user $mallory"
stand_down /tmp/.strata

# Neither for a lock that nobody opens at the other end.
as "$mallory" mkdir -p /tmp/.strata/sessions
as "$mallory" mkfifo -m 666 /tmp/.strata/stratad.lock
of_victim /tmp status
check "nor for a pipe in place of the lock" refuses "reached: /tmp/.strata belongs to user $mallory"
finish
