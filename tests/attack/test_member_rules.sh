#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Texts of a member of the group tracing, in the rules of his sessions: the next stratad of root's still knows the session, so that its
# consumer is not left alone and its recording is not given away meanwhile; and root's terminal shows none of their control characters.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/members.sh
. "$(dirname "$0")/members.sh"

names() { "$strata" status --json 2>/dev/null | jq -r '[.sessions[].model.name] | sort | join(" ")'; }
# hostile: how many lines have control characters, or such as reverse the direction of a text.
hostile() { LC_ALL=C grep -caP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]'; }

"$strata" create --output $work/web web 2>/dev/null

rule=$'a\u009b2J\u202eb'
member "$mallory" "$strata" --system create shown 2>/dev/null
check "a member's rule has control characters" member "$mallory" "$strata" --system enable-event --kernel x "$rule"
"$strata" status --json "shown@$mallory" >$work/json
"$strata" status "shown@$mallory" >$work/text
"$strata" save "shown@$mallory" >$work/saved
check "the rule is in the JSON" is "$(jq -r '.sessions[0].model.channels[0].kernel.rules[0].text' $work/json)" "$rule"
check "status shows none of them" is "$(hostile <$work/text)" 0
check "nor does its JSON" is "$(hostile <$work/json)" 0
check "nor a session that root saves" is "$(hostile <$work/saved)" 0
member "$mallory" "$strata" --system destroy shown 2>/dev/null

# A consumer of the member's session, with its lock: this machine may have no Xen, so it records applications.
cat >$work/consumer <<EOF
#!/usr/bin/python3
import fcntl, os, struct, sys
lock = os.open("/run/strata/session-flight@$mallory:channel0.lock", os.O_RDWR | os.O_CREAT, 0o600)
os.set_inheritable(lock, True)
fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, 0, 0, 0))
os.write(lock, b"process %d" % os.getpid())
os.execv("$strata", sys.argv)
EOF
chmod 700 $work/consumer
flight=/var/lib/strata/$mallory/flight
accepted=$(member "$mallory" /usr/bin/python3 tests/attack/rules.py flight)
check "a member's session has many long rules" test "$accepted" -gt 0
kill -KILL "$(daemon)"
mkdir -p "$flight"
strata=$work/consumer begin consumer --overwrite --app program --output "$flight/recording-1" || exit 1
check "the next stratad knows the session" is "$(names)" "flight@$mallory web"
check "so that it records" is "$("$strata" status --json "flight@$mallory" 2>/dev/null | jq '.sessions[0].channels[0].records')" true
member "$mallory" "$strata" --system create flight 2>/dev/null
# Of a session that stratad knows, this ends the consumer first.
member "$mallory" timeout 20 "$strata" --system destroy flight 2>/dev/null
kept() { ! kill -0 "$recorder" 2>/dev/null || [ "$(stat -c %u "$flight/recording-1")" = 0 ]; }
check "the member does not own what root's consumer still writes" kept
kill "$recorder" 2>/dev/null
finish
