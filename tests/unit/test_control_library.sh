#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libstrata-control and the Python package: symbols, installation, the examples of the documentation, every verb in C and Python,
# threads, another user, wrong arguments, a stratad that cannot start, lists, and replies that lie (control/hostile_stratad.py,
# control/hostile_list.py).  It needs a /run of its own: tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
client=$PWD/out/tests/control/client
library=$PWD/out/lib/libstrata-control
header=include/strata/control_client.h
work=$(mktemp -d)
chmod 755 "$work"
# A tree that was copied has programs that were linked in another one (tests/mutants).
export LD_LIBRARY_PATH=$PWD/out/lib PATH=$PWD/out/bin:$PATH
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	pkill -KILL -x stratad
	pkill -KILL strata-consumer
	rm -rf "$work"
}
trap end_all EXIT

# Symbols.
declared() { tr -c 'a-z_' '\n' <$header | grep '^strata_control_[a-z_]*[a-z]$' | sort -u | comm -23 - <(printf '%s\n' strata_control_client strata_control_result); }
shared() { nm -D --defined-only "$library.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
static() { nm --defined-only --extern-only "$library.a" | awk 'NF == 3 { print $3 }' | sort; }
check "libstrata-control.so exports what its header declares, and nothing else" diff <(declared) <(shared)
check "and so does libstrata-control.a" diff <(declared) <(static)
check "the version is in its name" has "$(readelf -d "$library.so")" "soname: [libstrata-control.so.2]"
# Verbs of sessions in the command have nothing but the public header.
uses_header_alone() {
	local file
	for file in create session rules channel save status triggers list; do
		grep -l '"control/library/\|"control/session_json\|"control/message\|json-c' "dom0-tools/strata/cmd_$file.c"
	done | grep . && return 1
	! grep '"control/library/\|"control/session_json\|"control/message\|json-c' dom0-tools/strata/{session_request,list_text}.[ch]
}
check "the command uses the public header alone" uses_header_alone

# Installation.  PREFIX has no need of root's directories.
installed=$work/installed
install_tree() { env -u MAKEFLAGS -u MAKELEVEL make --no-print-directory install PREFIX="$installed"; }
check "it is installed" install_tree
check "the C example is built with pkg-config" \
	sh -c "PKG_CONFIG_PATH='$installed/lib/pkgconfig' && export PKG_CONFIG_PATH && gcc -Wall -Wextra -Werror docs/examples/record.c -o '$work/record' \$(pkg-config --cflags --libs libstrata-control)"
check "and with the static library" \
	sh -c "PKG_CONFIG_PATH='$installed/lib/pkgconfig' && export PKG_CONFIG_PATH && gcc -Wall -Wextra -Werror docs/examples/record.c -o '$work/record-static' \$(pkg-config --cflags libstrata-control) '$installed/lib/libstrata-control.a' -ljson-c"
check "the header is C++, too" g++ -std=c++11 -Wall -Wextra -Werror "-I$installed/include" -fsyntax-only -x c++ "$installed/include/strata/control_client.h"
python=$(dirname "$(echo "$installed"/lib/python3*/dist-packages/strata)")
check "the Python package is installed" test -s "$python/strata/control.py"
builds_package() {
	cp -r dom0-tools/python "$work/package" && cd "$work/package" &&
		/usr/bin/python3 -c 'import setuptools; setuptools.setup()' --quiet build --build-lib "$work/built" &&
		cmp strata/control.py "$work/built/strata/control.py" && cmp strata/events.py "$work/built/strata/events.py"
}
check "Debian's setuptools build it without a network" builds_package

# The examples, with what is installed; the library finds stratad beside itself.
example() { env -i "PATH=$installed/bin:/usr/bin:/bin" "LD_LIBRARY_PATH=$installed/lib:$PWD/out/lib" "PYTHONPATH=$python" HOME="$work" "$@"; }
records() {
	local name=$1
	shift
	example "$@" "$work/$name" "$program" lengths 20 >"$work/$name.out" || return 1
	is "$(grep -c 'body32' "$work/$name.out")" 20
}
check "the C example records a program and shows its events" records in-c "$work/record"
check "stratad was started from beside the library" is "$(readlink "/proc/$(pgrep -x stratad)/exe")" "$installed/bin/stratad"
pkill -x stratad
await test ! -e /run/strata/stratad.sock
check "so does the one with the static library, with stratad from PATH" records static "$work/record-static"
check "and the Python example" records in-python docs/examples/record.py
check "babeltrace2 reads the same" is "$(babeltrace2 "$work/in-python" 2>/dev/null | grep -c body32)" 20

not_in() { ! grep -q "$@"; }

# lines COMMAND...: a result for each "ok NAME" or "not ok NAME: why".
lines() {
	local line
	"$@" >"$work/lines" 2>"$work/lines.err"
	result $? "$(basename "$1") ends well"
	sed 's/^/# /' "$work/lines.err" | head -n 20
	while IFS= read -r line; do
		case $line in
		"ok "*) result 0 "${line#ok }" ;;
		*) result 1 "${line#not ok }" ;;
		esac
	done <"$work/lines"
}

# Every verb, from Python.
pkill -x stratad
await test ! -e /run/strata/stratad.sock
rm -rf /run/strata/sessions
mkdir "$work/python"
lines example tests/unit/control/session.py "$work/python" "$program"

# Lists in C.
pkill -x stratad
await test ! -e /run/strata/stratad.sock
rm -rf /run/strata/sessions
list_apps() { "$client" apps "$PWD/out/bin/stratad" 1 60000 >"$work/apps"; }
"$program" forever 0 "$work/last" &
forever=$!
await test -s "$work/last"
check "running applications are listed" list_apps
check "with name, user and number of events" grep -qx "app program answer 0 uid 0 of 10 events" "$work/apps"
check "and the events that were asked for, with fields" is "$(grep '\[' "$work/apps")" "test/plain [] number:u64*1"
check "so they are for a program without standard input and error" eval 'list_apps <&- 2>&-'
check "with the same content" grep -qx "app program answer 0 uid 0 of 10 events" "$work/apps"
check "the list is freed by the next call" not_in 'still there' "$work/apps"
kill -STOP $forever
check "one that is stopped does not delay the list for long" list_apps
check "and is not in it" is "$(cat "$work/apps")" "0 0 "
kill -KILL $forever
check "a list leaves no stratad behind" test -z "$(pgrep -x stratad)"
printf '#!/bin/sh\necho "stratad: the moon is full" >&2\n' >"$work/sick"
# shellcheck disable=SC2016 # the scripts expand it
printf '#!/bin/sh\necho $$ >"$0.pid"\nexec sleep 30\n' >"$work/mute"
chmod +x "$work/sick" "$work/mute"
check "a program that cannot list says why" has "$("$client" apps "$work/sick" 1 60000)" "-1 0 cannot list: stratad: the moon is full"
check "one that is missing is named" has "$("$client" apps "$work/missing" 1 60000)" "$work/missing: No such file or directory; install"
check "one that does not answer is waited for no longer than the handle says" has "$("$client" apps "$work/mute" 1 300)" "-1 0 cannot list: Connection timed out"
check "and is ended" test ! -e "/proc/$(cat "$work/mute.pid")"
# shellcheck disable=SC2016
printf '#!/bin/sh\nread -r request\necho "strata: a note" >&2\n{ tr -d "\\n" <"$0.json"; echo; } >&0\n' >"$work/host"
chmod +x "$work/host"
cat >"$work/host.json" <<-END
	{"status": 1, "message": "not all", "hypervisor": {"version": "4.17", "channels": [{"channel": 3}], "classes": [{"name": "evtchn"}], "events": [{"name": "evtchn_send", "class": "evtchn"}]}, "domains": [{"domain": 1, "name": "g1", "rings": 2, "events": [{"name": "tick"}]}, {"domain": 2, "name": "g2", "why_not": "no module"}],
	"applications": [{"pid": 1, "name": "a", "uid": 7, "answers": true}, {"pid": 2, "name": "b", "uid": 8, "answers": false}, {"pid": 3, "name": "c"}, {"pid": 4}]}
END
check "hypervisor and domains are structures, also if not all can be listed" diff - <("$client" host "$work/host") <<-END
	1 4 not all
	note strata: a note
	xen 4.17 channels 1 classes 1 events 1, the first of class evtchn
	domain 1 g1 rings 2 why_not "" events 1
	domain 2 g2 rings 0 why_not "no module" events 0
END
check "it is known how far each application came" is "$("$client" apps "$work/host" 1 60000 | grep '^app')" \
	"$(printf 'app %s of 0 events\n' 'a answer 0 uid 7' 'b answer 1 uid 8' 'c answer 2 uid 0' ' answer 3 uid 0')"
mkdir "$work/hostile"
lines tests/unit/control/hostile_list.py "$client" "$work/hostile"

# In C: several threads, with a stratad that none of them finds running.
pkill -x stratad
await test ! -e /run/strata/stratad.sock
check "eight threads start stratad, create, change, save, load and destroy" has "$("$client" threads 8 2>&1)" "8 of 8"
check "wrong arguments are refused before they are sent" is "$("$client" arguments | cut -d' ' -f1 | sort | uniq -c | tr -s ' ')" " 27 2"
pkill -x stratad
await test ! -e /run/strata/stratad.sock
check "a program with blocked signals and open descriptors starts stratad" "$client" start "$PWD/out/bin/stratad"
check "which has no descriptor of its" test ! -e "/proc/$(pgrep -x stratad)/fd/77"
# SIGHUP, SIGPIPE and SIGXFSZ; the C library ignores one of its own.
check "and ignores no signal but its own three" has "$(grep SigIgn "/proc/$(pgrep -x stratad)/status")x" "1001001x"
"$strata" destroy started 2>/dev/null
pkill -x stratad
await test ! -e /run/strata/stratad.sock
printf '#!/bin/sh\necho "stratad: the moon is full" >&2\nexit 1\n' >"$work/sick"
chmod +x "$work/sick"
check "a stratad that cannot start says why" has "$("$client" start "$work/sick")" "-1 stratad could not be started: stratad: the moon is full"
check "one that is missing is named" has "$("$client" start "$work/missing")" "$work/missing: No such file or directory; install"
rm -rf /run/strata/sessions

# Another user, whose directory is in his home.
user=54321
mkdir -m 700 "$work/home"
chown $user:$user "$work/home"
cp "$program" "$work/record" "$work/home"
as_user() { HOME=$work/home LD_LIBRARY_PATH=$installed/lib:$installed/lib PATH=$installed/bin:/usr/bin:/bin setpriv --reuid $user --regid $user --clear-groups -- "$@"; }
records_own() { is "$(as_user "$work/home/record" "$work/home/recorded" "$work/home/program" lengths 5 | grep -c body32)" 5; }
check "a user records his own program" records_own
check "with a stratad of his own" test -S "$work/home/.strata/stratad.sock"

# Replies of a stratad that lies.
pkill -x stratad
rm -rf /run/strata
lines tests/unit/control/hostile_stratad.py "$client"
finish
