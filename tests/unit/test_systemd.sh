#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# stratad's units under a real systemd, which runs here as the init of its own namespaces with nothing but these units: the socket starts
# the daemon, sessions record within its sandbox and go on while it is restarted or killed.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
export LD_LIBRARY_PATH=$PWD/out/lib
init=""
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	# Init takes all processes of its namespace with it.
	[ -z "$init" ] || kill -KILL "$init" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# The units as they are installed, but for the programs' place.
make --no-print-directory install-units DESTDIR="$work/root" PREFIX=/usr >"$work/install.log" 2>&1 || sed 's/^/# /' "$work/install.log"
units=$work/root/usr/lib/systemd/system
users=$work/root/usr/lib/systemd/user
check "units are installed for the system and for users" is "$(cd "$work/root" && find . -type f | sort | paste -sd' ')" \
	"./usr/lib/systemd/system/stratad.service ./usr/lib/systemd/system/stratad.socket ./usr/lib/systemd/user/stratad.service ./usr/lib/systemd/user/stratad.socket"
check "they name the installed program" is "$(grep -h '^ExecStart=' "$units/stratad.service" "$users/stratad.service" | sort -u)" "ExecStart=/usr/bin/stratad"
sed -i "s#=/usr/bin/stratad#=$PWD/out/bin/stratad#" "$units/stratad.service" "$users/stratad.service"
verified() {
	local said
	said=$(systemd-analyze verify "$@" 2>&1 | grep stratad)
	[ -z "$said" ] || { echo "$said"; return 1; }
}
check "systemd finds no fault with them" verified "$units/stratad.service" "$units/stratad.socket"
check "nor with those of users" verified --user "$users/stratad.service" "$users/stratad.socket"

# What systemd needs to reach and to leave.
for target in sysinit basic sockets shutdown umount final; do
	printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" >"$units/$target.target"
done
printf '[Unit]\nDescription=test\nDefaultDependencies=no\nWants=stratad.socket\n' >"$units/test.target"
# shellcheck disable=SC2016 # that shell expands it
unshare --mount --propagation private --pid --net --ipc --uts --cgroup --fork --kill-child --mount-proc bash -c '
	mount -t tmpfs -o mode=755 run /run && mkdir -p -m 1777 /run/lock && mkdir /run/units && cp "$1"/* /run/units &&
		exec env -i container=strata PATH=/usr/sbin:/usr/bin:/sbin:/bin SYSTEMD_UNIT_PATH=/run/units /lib/systemd/systemd --unit=test.target \
			--log-target=console' init "$units" >"$work/init.log" 2>&1 </dev/null &
outside=$!
has_child() { init=$(pgrep -P "$outside" 2>/dev/null) && [ -n "$init" ]; }
await has_child
# inside COMMAND...: runs it beside systemd.
inside() { nsenter --target "$init" --mount --pid --net --ipc --uts --cgroup -- "$@"; }
listens() { inside test -S /run/strata/stratad.sock; }
check "systemd listens for stratad" await listens
[ -s "$work/init.log" ] && sed 's/^/# /' "$work/init.log" | head -n 5
check "in a directory where others find names and cannot list any" is "$(inside stat -c '%a %U' /run/strata)" "711 root"
check "at a socket for root alone" is "$(inside stat -c %a /run/strata/stratad.sock)" 600
active() { inside systemctl is-active "$1"; }
main_pid() { inside systemctl show --property MainPID --value stratad.service; }
check "stratad does not run before it is asked" is "$(active stratad.service)" inactive
check "it answers the first request" has "$(inside "$strata" status 2>&1)" "no sessions"
check "and has told systemd that it is ready" is "$(active stratad.service)" active

inside "$strata" create --output "$work/traces" web 2>/dev/null
inside "$strata" enable-event --app program plain 2>/dev/null
check "a session records within the sandbox" inside "$strata" start web
inside "$program" threads 500
first=$(main_pid)
check "systemd restarts it" inside systemctl restart stratad.service
inside "$program" threads 500
second=$(main_pid)
check "by another process" test "$first" != "$second" -a "$second" != 0
check "the session has recorded on" has "$(inside "$strata" status)" "web                      records"
inside kill -KILL "$second"
restarted() { [ "$(main_pid)" != "$second" ] && [ "$(active stratad.service)" = active ]; }
check "when it is killed, systemd starts it again" await restarted
inside "$program" threads 500
check "the session is stopped" inside "$strata" stop web
check "nothing is missing" is "$(babeltrace2 "$work/traces" | grep -c ' plain: ')" 6000
check "its directory is open to root and its group alone" is "$(find "$work/traces" -mindepth 1 -maxdepth 1 -printf "%m %u\n")" "750 root"
inside systemctl stop stratad.service 2>/dev/null
check "stopped, it leaves the socket to systemd" listens
check "which starts it for the next request" has "$(inside "$strata" status)" "web                      stopped"

# Started with another socket than its own.
check "a socket elsewhere is refused" refused "handed over another socket than one that listens at /run/strata/stratad.sock" \
	timeout 60 tests/own_processes.sh bash -c "
		systemd-socket-activate --listen $work/other.sock '$PWD/out/bin/stratad' 2>'$work/other.log' &
		until [ -S $work/other.sock ]; do sleep 0.05; done
		perl -MSocket -e 'socket(my \$s, PF_UNIX, SOCK_STREAM, 0); connect(\$s, pack_sockaddr_un(\$ARGV[0])) or die; sleep 1' $work/other.sock
		wait; cat '$work/other.log' >&2; exit 1"
finish
