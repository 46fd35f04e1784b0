#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Measures how long clients that connect at the same time wait for the first bytes of their answer: programs that register with a
# session's recorder, beside clients of Apache by each way in which it hands on connections (processes, threads, threads and events), in
# turns. sessions/dispatch.sh DIR TURNS: called by tests/bench/run.sh; prints lines for its table.
set -eu
cd "$(dirname "$0")/../../.."

dir=$(realpath "$1") turns=$2
here=tests/bench/sessions
export LD_LIBRARY_PATH=$PWD/out/lib HOME=$dir/dispatch-home
strata=$PWD/out/bin/strata
port=18080

rm -rf "$HOME"
mkdir -p "$HOME"
# Where Apache's own user may read it.
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
chmod 755 "$page"
echo "a page" >"$page/index.html"
gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude $here/dispatch.c -o "$dir/dispatch"

# The settings of Debian's /etc/apache2, which a machine that has the server alone lacks; and room for as many clients as come, where
# its own limit of 150 has them wait.
configure() {
	cat <<-END
		ServerName localhost
		ServerRoot /usr/lib/apache2
		Listen 127.0.0.1:$port
		PidFile $HOME/apache.pid
		ErrorLog $HOME/apache.log
		DocumentRoot $page
		User www-data
		Group www-data
		LoadModule mpm_$1_module modules/mod_mpm_$1.so
		LoadModule authz_core_module modules/mod_authz_core.so
		LoadModule dir_module modules/mod_dir.so
		DirectoryIndex index.html
	END
	case $1 in
	prefork) printf '%s\n' "StartServers 5" "MinSpareServers 5" "MaxSpareServers 10" "MaxRequestWorkers 150" ;;
	*) printf '%s\n' "StartServers 2" "MinSpareThreads 25" "MaxSpareThreads 75" "ThreadLimit 64" "ThreadsPerChild 25" "MaxRequestWorkers 150" ;;
	esac
}

begin_apache() {
	configure "$1" >"$HOME/apache.conf"
	/usr/sbin/apache2 -f "$HOME/apache.conf"
	until "$dir/dispatch" http $port 1 >/dev/null 2>&1; do sleep 0.1; done
}
end_apache() {
	kill "$(cat "$HOME/apache.pid")"
	while [ -e "$HOME/apache.pid" ]; do sleep 0.1; done
}

# dispatch VARIANT KIND PLACE: lines for one client, and for 10 and 100 at once.
dispatch() {
	local nr median all failed
	for nr in 1 10 100; do
		read -r median all failed < <("$dir/dispatch" "$2" "$3" $nr)
		[ "$failed" = 0 ] || echo "bench: $1: $failed of $nr clients had no answer" >&2
		echo "dispatch_$nr $1 ns $median"
		echo "dispatch_${nr}_all $1 ns $all"
	done
}

for ((turn = 0; turn < turns; turn++)); do
	"$strata" create --output "$dir/dispatch-out" dispatch >&2
	"$strata" enable-event --app all dispatched >&2
	"$strata" start >&2
	dispatch strata strata /run/strata/apps.sock
	# The clients leave with their answer, before they have recorded anything, which is its status.
	"$strata" destroy dispatch >&2 2>/dev/null || [ $? = 3 ]
	rm -rf "$dir/dispatch-out"
	for way in prefork worker event; do
		begin_apache $way
		dispatch apache_$way http $port
		end_apache
	done
done
pkill -x stratad || true
