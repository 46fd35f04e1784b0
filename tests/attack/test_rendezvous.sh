#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How a program and a recorder find each other, attacked by another user: occupies names, wakes programs repeatedly,
# impersonates the recorder, and hides in a user namespace in which he looks like the program's own user.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

trap 'for pid in $recorder $attackers $running; do kill -KILL "$pid" 2>/dev/null; done' EXIT
attackers="" running=""

# start USER COMMAND...: in the background, as that user; $! is the number of the process itself.
start() {
	local user=$1
	shift
	setpriv --reuid "$user" --regid "$user" --clear-groups --inh-caps=-all -- "$@" &
}

# attack ARGUMENT...: starts an attacker that goes on until end_attacks.
attack() {
	start "$mallory" $bin/stranger "$@" >"$work/attack.$1" 2>&1
	attackers="$attackers $!"
}

end_attacks() {
	local pid
	for pid in $attackers; do
		kill -KILL "$pid"
		wait "$pid" 2>/dev/null
	done
	attackers=""
}

# forever USER: starts a program of that user that writes for ever, and waits until it is in its main().
forever() {
	local last
	last=$(home "$1")/last
	rm -f "$last"
	start "$1" $bin/app/program forever 0 "$last"
	running=$!
	await test -s "$last"
}

end_program() {
	kill -KILL "$running"
	wait "$running" 2>/dev/null
	running=""
}

# cpu_ticks: of all threads of the program but the first, in hundredths of a second.
cpu_ticks() { cat "/proc/$running/task"/[0-9]*/stat | awk -v main="$running" '$1 != main { n += $14 + $15 } END { print n + 0 }'; }

# wakes: how often its threads but the first have gone to sleep and been woken.
wakes() {
	local task
	for task in "/proc/$running/task"/[0-9]*; do
		[ "${task##*/}" = "$running" ] || grep -h '^voluntary_ctxt' "$task/status"
	done | awk '{ n += $2 } END { print n + 0 }'
}

# rests: its threads but the first sleep, and nothing wakes them for a while.
rests() {
	local woken states
	woken=$(wakes)
	sleep 0.3
	states=$(cat "/proc/$running/task"/[0-9]*/stat | awk -v main="$running" '$1 != main { print $3 }' | sort -u)
	[ "$states" = S ] && [ "$(wakes)" = "$woken" ]
}

# recorded NAME: the recorder of that name has events of the program.
recorded() { [ "$(cat "$work/$1"/app-program*/cpu_* 2>/dev/null | wc -c)" -gt 1000 ]; }

end_recorder() {
	kill -INT "$recorder"
	wait "$recorder" || true
	recorder=""
}

not_in() { ! grep -q "$@"; }

# Names that anybody may bind mean nothing to a program.
attack squat 4000
await grep -q squatting "$work/attack.squat"
forever "$victim"
found=0
for turn in 1 2 3; do
	begin "squat-$turn" --app "$running"
	await recorded "squat-$turn" && found=$((found + 1))
	end_recorder
done
check "a program is recorded though another user occupies every name" test "$found" = 3
end_program
end_attacks

# Nobody can call a program.
forever "$victim"
await rests
ticks=$(cpu_ticks) woken=$(wakes)
attack call "$running"
await grep -q calling "$work/attack.call"
attack call "$running"
await grep -q calling "$work/attack.call"
# Long enough for an attack to cost something, and nothing to wait for.
sleep 1
check "no thread of a program wakes while another user calls it" test "$(wakes)" = "$woken" -a "$(cpu_ticks)" = "$ticks"
found=0
for turn in 1 2 3 4 5; do
	begin "call-$turn" --app "$running"
	await recorded "call-$turn" && found=$((found + 1))
	end_recorder
done
check "and it is recorded 5 times of 5" test "$found" = 5
end_program
end_attacks

# A user without a name in a program's user namespace is not the program's user.
rm -f "$(home "$victim")/last"
start "$victim" unshare -U $bin/app/program forever 0 "$(home "$victim")/last"
running=$!
await test -s "$(home "$victim")/last"
begin unmapped --app "$running"
end_recorder
check "that a program in such a user namespace was not recorded is said" \
	grep -q "no application \"$running\" connected.*user namespaces" "$work/unmapped.log"
refuses() { ! as "$mallory" timeout 20 $bin/stranger "$@" >"$work/stranger.out" 2>&1; }
check "a stranger cannot attach to a program in a user namespace" refuses attach "$running"
check "it lives" kill -0 "$running"
check "and has read nothing" not_in attached "$work/stranger.out"
end_program

mkdir -p /tmp/sockets
chmod 1777 /tmp/sockets
# impersonated NAME COMMAND...: a stranger stands where COMMAND, a program of the victim's, looks for a recorder.
impersonated() {
	local name=$1
	shift
	attack listen "/tmp/sockets/$name"
	mv "$work/attack.listen" "$work/$name.out"
	await grep -q listening "$work/$name.out"
	rm -f "$(home "$victim")/last"
	start "$victim" env STRATA_APP_WAIT_MS=500 "STRATA_APP_SOCKET=/tmp/sockets/$name" "$@" forever 0 "$(home "$victim")/last"
	running=$!
	await test -s "$(home "$victim")/last"
	# The attacker ends when he is refused, or has truncated the memory.
	wait "${attackers# }" || true
	attackers=""
}
impersonated namespace unshare -U $bin/app/program
check "a stranger who stands in for the recorder is refused in a user namespace" not_in attached "$work/namespace.out"
check "the program in the user namespace lives" kill -0 "$running"
end_program
impersonated plain $bin/app/program
check "and outside of one" not_in attached "$work/plain.out"
check "the program lives" kill -0 "$running"
end_program

# Where the victim's HOME is a directory that all may write to, and there is no /run/user/UID.
as "$mallory" mkdir -m 777 /tmp/.strata
attack listen /tmp/.strata/apps.sock
await grep -q listening "$work/attack.listen"
start "$victim" env HOME=/tmp STRATA_APP_WAIT_MS=500 $bin/app/program numbered 10
wait $!
check "a program does not connect to one who listens where its user's recorder would" kill -0 "${attackers# }"
check "and leaves no file in his directory" test ! -e /tmp/.strata/wait
end_attacks

# Of the same user, but with memory that can be truncated.
mallory=$victim impersonated same $bin/app/program
check "memory that can be truncated is refused, also of the program's own user" not_in attached "$work/same.out"
check "so the program lives" kill -0 "$running"
end_program
finish
