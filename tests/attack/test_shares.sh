#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One user's connections, rings and sources do not use up the resources that another user's program needs to be
# recorded.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# Connections that never say a word.
begin silent --app all
attack silent 512
check "a program is recorded beside 512 silent connections" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "all of its events" is "$(readable_steps silent)" 100
check "the refusal says who holds how much of what" said silent "user $mallory holds [0-9]+ of its share of [0-9]+ connections"

# The same, by set-user-ID programs of root's: they count for the user who starts them.
begin started --app all
attacks=$((attacks + 1))
$bin/hostile "$STRATA_APP_SOCKET" started 512 "$mallory" >"$work/attack-$attacks" &
attackers+=($!)
await attacked "$work/attack-$attacks" $!
check "512 set-user-ID programs have the share of the user who started them" \
	await said started "user $mallory holds [0-9]+ of its share of [0-9]+ connections"
check "a program is recorded beside them" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "all of its events" is "$(readable_steps started)" 100

# The same, by a process that is the victim's when the recorder looks whose it is: it has executed a set-user-ID program of his.
begin turned --app all
kill -STOP "$recorder"
attacks=$((attacks + 1))
$bin/hostile "$STRATA_APP_SOCKET" turned 256 "$mallory" "$victim" >"$work/attack-$attacks" &
attackers+=($!)
await attacked "$work/attack-$attacks" $!
kill -CONT "$recorder"
check "the user's program whom a hostile process has become is recorded" as "$victim" $bin/victim 100 0
end_recording
end_attacks
check "all of its events" is "$(readable_steps turned)" 100
check "the recorder says that a process has changed its user" said turned 'process [0-9]+ changed its user'

# The same, and the program that is asked for is not there at all: nobody blames its linking.
begin missing --app nobody
attack silent 512
await said missing "user $mallory holds [0-9]+ of its share of [0-9]+ connections"
end_recording
end_attacks
check "a missing program is not said to lack libstrata where shares were the cause" eval '! said missing "with -lstrata to record"'

# Rings: 17 connections with as many CPUs as a machine can have; the attacker leaves, and his rings come back.
begin big --app all --app-buffer 4Kx2
attack hold 17 1024
check "a program is recorded beside 17 connections with 1,024 rings each" as "$victim" $bin/victim 100 0
end_attacks
check "and when they have left" as "$victim" $bin/victim 100 0
end_recording
check "all events of both" is "$(readable_steps big)" 200

# Sources, by coming and going.
begin coming --app all --app-buffer 4Kx2
attack pass 300
no_sources() { [ "$(jq '[.sources[] | select(. != null)] | length' "$work/coming/recording.json")" = 0 ]; }
# The table is saved with pauses: what came last may be in it for a while.
check "coming and going without an event leaves no source" await no_sources
attack come 1100
check "a program is recorded after 1,100 sources of another user" as "$victim" $bin/victim 100 0
end_recording
check "all of its events" is "$(readable_steps coming)" 100
check "stat reads the recording" "$strata" stat "$work/coming"
finish
