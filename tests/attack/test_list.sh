#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `strata list --apps` shows a user's programs, and ends, whatever another user's programs do.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"
unset STRATA_APP_SOCKET

# start USER COMMAND...: in the background; it ends with the script.
start() {
	become "$@" &
	attackers+=($!)
}

start "$victim" $bin/app/program forever 0 "$(home "$victim")/last"
await test -s "$(home "$victim")/last"

# Connections that never say a word, while a program that does not answer is waited for.  The list is made with the highest
# number that a recorder can have.
start "$mallory" $bin/app/program forever 0 "$(home "$mallory")/last"
await test -s "$(home "$mallory")/last"
kill -STOP "${attackers[-1]}"
cat >/tmp/bin/crowd <<-END
	#!/bin/bash
	until $bin/hostile /run/strata/apps.sock.7 silent 2500 >/dev/null 2>&1; do :; done
END
chmod 755 /tmp/bin/crowd
start "$mallory" /tmp/bin/crowd
"$strata" list --apps >"$work/listed" 2>"$work/listed.log"
check "a program is listed beside 2,500 silent connections" grep -q 'program: 10 events' "$work/listed"
check "whose they are is said" grep -q "user $mallory holds [0-9]* of its share" "$work/listed.log"

# A program with more events than its socket holds, which connects after a silent one of another user.
cat >/tmp/bin/come_first <<-END
	#!/bin/bash
	until $bin/hostile /run/strata/apps.sock.7 silent 1 >/dev/null 2>&1; do :; done
END
cat >/tmp/bin/come_later <<-END
	#!/bin/bash
	until test -S /run/strata/apps.sock.7; do :; done
	sleep 0.5
	exec $bin/hostile /run/strata/apps.sock.7 describe 1
END
chmod 755 /tmp/bin/come_first /tmp/bin/come_later
start "$victim" /tmp/bin/come_later
start "$mallory" /tmp/bin/come_first
"$strata" list --apps >"$work/listed-many" 2>"$work/listed-many.log"
check "a program with 1,024 events is listed beside a silent one" grep -q 'hostile: 1024 events' "$work/listed-many"
check "the silent one is listed, too" grep -q 'hostile: does not answer' "$work/listed-many"

# Beside a recorder: processes whose mappings take long to read.
start "$mallory" $bin/crowded_maps 12 50000 "$(home "$mallory")" >"$work/crowd"
await grep -q mapped "$work/crowd"
begin beside --app nobody
beside=$recorder
"$strata" list --apps >"$work/listed-beside" 2>"$work/listed-beside.log"
check "a program is listed with its events beside a recorder" grep -q 'program: 10 events' "$work/listed-beside"
check "that not all could be called is said" grep -q 'not all running applications answered in 2 s' "$work/listed-beside.log"

# Beside as many recorders as there can be.
recorders=("$beside")
for i in 1 2 3 4 5 6 7; do
	begin "beside-$i" --app nobody
	recorders+=("$recorder")
done
"$strata" list --apps >"$work/waiting" 2>"$work/waiting.log"
check "a program is listed beside eight recorders" grep -q ' program$' "$work/waiting"
check "that another's take too long to be looked at is said" \
	grep -q "the mappings of user $mallory's processes take too long to read" "$work/waiting.log"
not_in() { ! grep -q "$@"; }
check "the recorder is no application" not_in ' strata$' "$work/waiting"
kill -INT "${recorders[@]}"
wait "${recorders[@]}"
recorder=""
end_attacks
finish
