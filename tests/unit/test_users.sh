#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Users who record their own applications without root: programs that start and that run, two users at a time, beside root, with
# sessions; and what none can do to another. It needs root, to become them, and a /run of its own: tests/run.sh gives it one.
# Speaks TAP.
# shellcheck disable=SC2086 # users are numbers
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
chmod 711 "$work"
alice=54321 bob=54322 carol=54323
declare -A homes=([$alice]=$work/alice [$bob]=$work/bob [$carol]=$work/carol)
running=()
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	kill -KILL "${running[@]}" 2>/dev/null
	pkill -KILL -x stratad
	pkill -KILL strata-consumer
	rm -rf "$work"
}
trap end_all EXIT

for user in $alice $bob $carol; do
	mkdir -m 700 "${homes[$user]}"
	chown $user:$user "${homes[$user]}"
done
# carol's machine makes no such directory when she logs in.
for user in $alice $bob; do
	mkdir -p /run/user/$user
	chown $user:$user /run/user/$user
	chmod 700 /run/user/$user
done

# as USER COMMAND...
as() {
	local user=$1
	shift
	HOME=${homes[$user]} setpriv --reuid "$user" --regid "$user" --clear-groups -- "$@"
}

# forever USER: a program of that user's that writes for ever.
forever() {
	local last=${homes[$1]}/last
	rm -f "$last"
	HOME=${homes[$1]} setpriv --reuid "$1" --regid "$1" --clear-groups -- "$program" forever 0 "$last" &
	running+=($!)
	await test -s "$last"
}
last_number() { od -An -tu8 "${homes[$1]}/last" | tr -d ' '; }
is_past() { [ "$(last_number "$1")" -gt "$2" ]; }
more_of() { await is_past "$1" $(($(last_number "$1") + $2)); }
stop_all() {
	kill -KILL "${running[@]}"
	wait "${running[@]}" 2>/dev/null
	running=()
}

is_run() { local run; run=$(plain_run "$1"); echo "$run"; [[ $run =~ ^[0-9]+' '[0-9]+$ ]] && [ "${run#* }" -ge $((${run% *} + $2)) ]; }
count() { babeltrace2 "$1" 2>/dev/null | grep -c " $2: " || true; }
uids() { jq -c '[.sources[].uid] | unique' "$1/recording.json"; }

# One user.
for user in $alice $carol; do
	check "a user records a program of his own" as $user "$strata" record --app program --output "${homes[$user]}/one" -- "$program" threads 1000
	check "with all of its events" is "$(count "${homes[$user]}/one" plain)" 4000
done
check "the socket was in the user's directory" test -d /run/user/$alice/strata
check "or in the home" test -d "$work/carol/.strata"
check "which is the user's alone" is "$(stat -c %a "$work/carol/.strata" /run/user/$alice/strata | sort -u)" 700
# records_running USER OF OUTPUT: a recorder of that user's, until it has a hundred events of the program of each user in OF.
records_running() {
	local by=$1 of=$2 output=$3 one status=0
	rm -f "$work/running.log"
	if [ "$by" = root ]; then
		"$strata" record --app program --output "$output" 2>"$work/running.log" &
	else
		HOME=${homes[$by]} setpriv --reuid "$by" --regid "$by" --clear-groups -- \
			"$strata" record --app all --output "$output" 2>"$work/running.log" &
	fi
	recorder=$!
	await begun_or_ended "$work/running.log"
	for one in $of; do
		more_of "$one" 100 || status=1
	done
	kill -INT "$recorder"
	wait "$recorder" || status=$?
	recorder=""
	cat "$work/running.log"
	return $status
}
forever $alice
forever $carol
for user in $alice $carol; do
	check "a program that runs is recorded" records_running $user $user "${homes[$user]}/running"
	check "from then on" is_run "${homes[$user]}/running" 50
done
check "programs are listed" has "$(as $alice "$strata" list --apps)" "program: "
check "those of others are not" is "$(as $bob "$strata" list --apps 2>&1)" "no running application is linked with -lstrata"
check "Xen is not a user's" test "$(as $alice "$strata" record --xen sched --output "$work/alice/xen" --duration 1s 2>&1 | grep -c 'does not run under Xen\|run strata as root')" = 1

# A page that its owner cuts off.
truncate --size 0 /run/user/$alice/strata/wait
as $alice "$strata" record --app all --output "$work/alice/cut" --duration 100ms 2>/dev/null
check "a program whose page was cut off goes on" kill -0 "${running[@]}"
check "and root records it" records_running root "$alice $carol" "$work/root-cut"
check "as it does the other one" is "$(uids "$work/root-cut")" "[$alice,$carol]"
stop_all

# Two users, and root.
forever $alice
forever $bob
for user in $alice $bob; do
	as $user "$strata" create --output "${homes[$user]}/web" web 2>/dev/null
	as $user "$strata" enable-event --app all all 2>/dev/null
	check "a user starts a session" as $user "$strata" start web
done
"$strata" create --output "$work/root" all 2>/dev/null
"$strata" enable-event --app all plain 2>/dev/null
check "so does root" "$strata" start all
more_of $alice 1000
more_of $bob 1000
check "each sees its own session" is "$(as $alice "$strata" status | awk '{ print $2 ":" $3 }') $("$strata" status | awk '{ print $2 ":" $3 }')" "web:records all:records"
check "and its own program" is "$(as $bob "$strata" status --json web | jq -r '.sessions[0].channels[0].status.sources[].name')" app-program
check "a user stops his session" as $alice "$strata" stop web
more_of $bob 500
check "the other one records on" has "$(as $bob "$strata" status)" "web                      records"
check "and stops, too" as $bob "$strata" stop web
"$strata" stop all 2>/dev/null
stop_all
check "the first user has his program's events" is_run "$(echo "$work"/alice/web/recording-*)" 900
check "and no other's" is "$(uids "$(echo "$work"/alice/web/recording-*)")" "[$alice]"
check "the second one has his" is_run "$(echo "$work"/bob/web/recording-*)" 900
check "and no other's" is "$(uids "$(echo "$work"/bob/web/recording-*)")" "[$bob]"
check "root has both" is "$(uids "$(echo "$work"/root/recording-*)")" "[$alice,$bob]"

# What none can do.
# shellcheck disable=SC2016 # what is not expanded is perl's
reach() { as $bob perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; connect($s, pack_sockaddr_un($ARGV[0])) or die "$!\n"' "$1"; }
check "another user does not reach stratad" refused "Permission denied" reach /run/user/$alice/strata/stratad.sock
check "nor what was recorded" refused "Permission denied" as $bob ls "$work/alice/web"
mkdir -m 755 "$work/shared"
chown $alice "$work/shared"
homes[$bob]=$work/shared
mv /run/user/$bob /run/user/away
check "a home that is another's is refused" refused "$work/shared belongs to user $alice" as $bob "$strata" record --app all --output "$work/bob/x" --duration 1s
homes[$bob]=$work/bob
mkdir -m 777 "$work/bob/.strata"
chown $alice "$work/bob/.strata"
check "so is a directory for sockets" refused "$work/bob/.strata belongs to user $alice" as $bob "$strata" record --app all --output "$work/bob/x" --duration 1s
rmdir "$work/bob/.strata"
mv /run/user/away /run/user/$bob

# Channels of a program: a user's own recorders have four at most.
for number in 1 2 3 4 5; do
	(
		export HOME=$work/alice
		exec setpriv --reuid $alice --regid $alice --clear-groups -- "$strata" record --app all --output "$work/alice/of-$number" 2>"$work/of-$number.log"
	) &
	running+=($!)
	await grep -qs 'recording [0-9]* sources' "$work/of-$number.log"
done
"$strata" record --app all --output "$work/beside" 2>"$work/beside.log" &
beside=$!
await grep -qs 'recording [0-9]* sources' "$work/beside.log"
as $alice "$program" threads 500
kill -INT $beside "${running[@]}"
wait $beside "${running[@]}" 2>/dev/null
running=()
check "four of five recorders of a user have all" is "$(for number in 1 2 3 4 5; do count "$work/alice/of-$number" plain; done | sort -n | paste -sd' ')" "0 2000 2000 2000 2000"
check "and so has root's" is "$(count "$work/beside" plain)" 2000
finish
