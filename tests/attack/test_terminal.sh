#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A command of another user, on the terminal where root starts the recorder with it, cannot have the kernel stop the recorder when it
# writes its progress there.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

cat >"$work/shell" <<END
set -m
$strata record --output $work/on-terminal --app all --duration 3 -- setpriv --reuid $mallory --regid $mallory --clear-groups $bin/terminal_taker
echo "the shell goes on, status \$?"
sleep 60
END
script --flush --quiet --command "bash $work/shell" "$work/typescript" </dev/null >/dev/null &
terminal=$!
# shellcheck disable=SC2317 # the trap calls it
end_all() { kill -KILL "$terminal" 2>/dev/null; }
trap end_all EXIT
check "the command takes the terminal" await grep -q taken "$work/typescript"
as "$victim" $bin/victim 1000 100
check "the shell goes on" await grep -q 'the shell goes on' "$work/typescript"
check "the recorder has ended, and was not stopped" grep -q 'the shell goes on, status 0' "$work/typescript"
check "another user's program is recorded" test "$("$strata" convert --format json "$work/on-terminal" 2>/dev/null | grep -c '"step"')" = 1000
finish
