#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# "localhost" means ::1 as well as 127.0.0.1, and a browser or an ssh tunnel may try ::1 first. Another user who listens there, at the
# port of `strata timeline --serve`, would get the secret address: he cannot.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

server=""
trap 'end_all; [ -z "$server" ] || kill "$server"' EXIT
begin served --app all
as "$victim" $bin/victim 10 0
end_recording
# serve OPTIONS...: in the background; $port: where.
serve() {
	rm -f "$work/address"
	"$strata" timeline --serve "$@" "$work/served" >"$work/address" 2>"$work/served.log" &
	server=$!
	await served
	port=$(sed -n 's,^http://127.0.0.1:\([0-9]*\)/.*,\1,p' "$work/address")
}
served() { [ -s "$work/address" ] || has_ended "$server"; }
# listens ADDRESS PORT: mallory can.
# shellcheck disable=SC2016 # Perl's
listens() {
	as "$mallory" perl -MSocket=:all -e 'socket($end, PF_INET6, SOCK_STREAM, 0) or die $!;
		setsockopt($end, SOL_SOCKET, SO_REUSEADDR, 1); setsockopt($end, IPPROTO_IPV6, IPV6_V6ONLY, 1);
		bind($end, pack_sockaddr_in6($ARGV[1], inet_pton(AF_INET6, $ARGV[0]))) or die "bind: $!\n";
		listen($end, 1) or die "listen: $!\n"; $| = 1; print "listens\n"; sleep $ARGV[2]' "$@"
}

serve
check "a page is served" test -n "$port"
check "another user cannot listen at its port of ::1" refused 'in use' listens ::1 "$port" 0
check "nor at that of all addresses" refused 'in use' listens :: "$port" 0
kill -INT "$server"
check "the server ends" await has_ended "$server"
wait "$server"
check "then he can" listens ::1 "$port" 0

listens :: "$port" 1000 >"$work/squatter" &
attackers+=($!)
await grep -q listens "$work/squatter"
serve --port "$port"
check "a port that he has is refused" grep -q 'cannot listen at .*::1, port .*in use; choose another' "$work/served.log"
check "and no address is printed" test ! -s "$work/address"
server=""
finish
