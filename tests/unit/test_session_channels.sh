#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Channels of one session have rings of their own: a frequent event overflows its small rings, and a rare one is complete.  Each has
# a directory in that of the recording, which is one timeline; they rotate, are snapshotted and stopped together, and each survives
# stratad's and another's death.  It needs a /run of its own: tests/run.sh gives it one.  Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
program=$PWD/out/tests/app/program
work=$(mktemp -d)
# shellcheck disable=SC2317 # the trap calls it
end_all() {
	for session in web flight; do
		"$strata" destroy "$session" 2>/dev/null
	done
	kill "$(sed 's/process //' /run/strata/stratad.lock)" 2>/dev/null
	rm -rf "$work"
}
trap end_all EXIT

# figure CHANNEL MEMBER: of its status.  Channels are numbered from 0.
figure() { "$strata" status --json web | jq ".sessions[0].channels[$1].status.$2"; }
has_ended_source() { [ "$(figure "$1" 'sources | map(select(.ended)) | length')" -gt 0 ]; }
recording() { "$strata" status --json web | jq -r '.sessions[0].recording'; }
# timeline DIRECTORY: the names of its events, in order.
timeline() { "$strata" view "$1" 2>/dev/null | sed -nE 's/.* (numbered|nothing|plain) +\[ comm=.*/\1/p'; }
# shown DIRECTORY EVENT: how often it has it.
shown() { timeline "$1" | grep -c "$2" || true; }
# consumer CHANNEL: its process.
consumer() { sed 's/process //' "/run/strata/session-web:$1.lock"; }
directories() { find "$1" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | paste -sd' '; }

"$strata" create --output "$work/web" web 2>/dev/null
check "a channel is made" "$strata" enable-channel rare --app --buffer 64Kx16
check "the default one gets small rings" "$strata" enable-channel --app --buffer 4Kx2
check "its events" "$strata" enable-event --app program numbered
check "an event of the other one" "$strata" enable-event --channel rare --app program nothing
check "a channel that does not exist is named" refused "session web has no channel other; .strata enable-channel" \
	"$strata" enable-event -c other --app program plain
check "a bad name is refused" refused "a channel's name has 1 to 40" "$strata" enable-channel a:b --app --buffer 4K
check "a channel without rings of its own" "$strata" enable-channel -- spare
check "status shows each" has "$("$strata" status web | paste -sd' ')" "channel0: stopped   app: 4.0 KiB x 2 a CPU     event program:numbered \
 rare: stopped   app: 64.0 KiB x 16 a CPU     event program:nothing  spare: stopped"
check "a session with two of them starts" "$strata" start web
check "twice it does not" refused "session web records already" "$strata" start web
first=$(recording)
check "each has a directory in that of the recording" is "$(directories "$first")" "channel0 rare"
# The rare event is the last one, when the small rings are full.
"$program" numbered 200000
await has_ended_source 0
await has_ended_source 1
events=$(figure 0 events) lost=$(figure 0 lost)
check "the frequent event overflows its rings" test "$lost" -gt 0
check "each of them is recorded or counted as lost" is $((events + lost)) 200000
check "the rare one is complete" is "$(figure 1 events) $(figure 1 lost)" "1 0"
check "the session's figures are the sums" has "$("$strata" status)" "$((events + 1)) events"

# Changes while it records.
check "a channel cannot be changed meanwhile" refused "its channels can be changed when it is stopped" "$strata" enable-channel more
check "nor be left out" refused "its channels can be changed when it is stopped" "$strata" disable-channel rare
check "events of one that does not record are refused" refused "channel spare of session web had no events when" \
	"$strata" enable-event -c spare --app program plain
check "an event is enabled in one of them" "$strata" enable-event -c rare --app program plain
"$program" fork 10

# Rotation.
check "they rotate together" "$strata" rotate web
second=$(recording)
check "into another directory" is "$(directories "$second")" "channel0 rare"
check "the ended one has a timeline" is "$(shown "$first" numbered) $(shown "$first" nothing) $(shown "$first" plain)" "$events 1 20"
check "in the order in which events happened" is "$(timeline "$first" | grep -v plain | tail -1)" nothing
kill -KILL "$(sed 's/process //' /run/strata/stratad.lock)"
check "the next stratad finds both consumers" is "$("$strata" status web | grep -cE '^ (channel0|rare): records')" 2
"$program" fork 10
said=$("$strata" stop web 2>&1)
check "each reports its end" is "$(grep -c 'its report:' <<<"$said") $(grep -c '^strata: recorded' <<<"$said")" "2 2"
check "the next recording has what came after" is "$(shown "$second" plain)" 20
check "the directory above has all" is "$(shown "$work/web" plain)" 40

# By size, each for itself, and removed by --keep.
check "rotation by size is set" "$strata" enable-rotation --session web --size 64K --keep 2
"$strata" start web 2>/dev/null
third=$(recording)
removed() {
	"$program" numbered 20000
	[ "$(figure 0 rotations)" -ge 3 ] && [ ! -e "$third/channel0" ]
}
check "the frequent one's oldest recording is removed" await removed
check "the rare one's stays" test -f "$third/rare/recording.json"
"$strata" stop web 2>/dev/null
"$strata" disable-rotation --session web 2>/dev/null
check "no directory of removed ones stays" is "$(find "$work/web" -type d -empty | wc -l)" 0

# One dies.
"$strata" start web 2>/dev/null
died=$(consumer rare)
kill -KILL "$died"
one_is_dead() { "$strata" status web | grep -q '^ rare: killed'; }
check "the death of one is shown" await one_is_dead
check "the other records on" has "$("$strata" status web)" " channel0: records"
check "the stop names the way to recover" refused "was killed; .strata recover .*/rare. restores" "$strata" stop web
check "what the other recorded is whole" test -f "$(find "$work/web" -newer "$third/rare/recording.json" -path '*channel0/recording.json' | head -1)"

# A channel that is left out.
check "a channel is disabled" "$strata" disable-channel --session web rare
check "status says so" has "$("$strata" status web)" " rare: disabled"
check "one that does not exist is not" refused "session web has no channel other" "$strata" disable-channel --session web other
check "its events can be enabled for later" "$strata" enable-event --session web -c rare --app program body16
"$strata" start web 2>/dev/null
check "the only one records into the directory itself" test -f "$(recording)/recording.json"
check "events of the one that is left out are accepted meanwhile" "$strata" enable-event --session web -c rare --app program lengths
"$strata" stop web 2>/dev/null
"$strata" disable-channel --session web channel0 2>/dev/null
check "without an enabled one it does not start" refused "has no events in an enabled channel" "$strata" start web
"$strata" enable-channel --session web channel0 2>/dev/null
"$strata" enable-channel --session web rare 2>/dev/null

# One cannot start, because it has no log: the others end.
rm "/run/strata/sessions/web:rare.log"
mkdir "/run/strata/sessions/web:rare.log"
check "one that cannot start is named" refused "channel rare: .*web:rare.log: Is a directory" "$strata" start web
check "no channel records then" is "$("$strata" status web | grep -cE '^ (channel0|rare): records')" 0
rmdir "/run/strata/sessions/web:rare.log"
check "and the session can start again" "$strata" start web
"$strata" stop web 2>/dev/null

# A session is saved, and the earlier form of one is loaded.
"$strata" save web >"$work/web.json"
check "a saved session has its channels" is "$(jq -c '[.channels[].name]' "$work/web.json")" '["channel0","rare","spare"]'
check "the earlier form, of one channel, is loaded" bash -c \
	"jq '.strata_session = 1 | .name = \"flight\" | .snapshot = true | .channels = (.channels[0] | del(.name, .disabled))' '$work/web.json' | '$strata' load -"
check "it is channel0" is "$("$strata" save flight | jq -c '[.channels[] | .name, .app.nr_subbufs]')" '["channel0",2]'

# Names of the greatest length, which begin alike.
long=$(printf 'n%.0s' {1..39})
"$strata" create --output "$work/long" "${long}1" 2>/dev/null
"$strata" enable-event --app program numbered 2>/dev/null
for channel in "${long}2" "${long}3"; do
	"$strata" enable-channel "$channel" 2>/dev/null
	"$strata" enable-event -c "$channel" --app program nothing 2>/dev/null
done
check "channels with long names that begin alike record" "$strata" start
"$program" numbered 10
"$strata" stop 2>/dev/null
check "each for itself" is "$(timeline "$work/long" | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' ')" "2 nothing 10 numbered"
"$strata" destroy 2>/dev/null
check "nothing of them is left" is "$(find /run/strata -name '*nnn*' | wc -l)" 0

# A flight recorder of two.
"$strata" enable-channel rare --session flight --app --buffer 64Kx16 2>/dev/null
"$strata" enable-event --session flight --app program plain 2>/dev/null
"$strata" enable-event --session flight -c rare --app program plain 2>/dev/null
check "a flight recorder of two starts" "$strata" start flight
"$program" linger 100 "$work/written" &
running=$!
await test -e "$work/written"
check "a snapshot has both" "$strata" snapshot --session flight --output "$work/snapshot"
check "in directories of their names" is "$(directories "$work/snapshot")" "channel0 rare"
check "with the events of each" is "$(shown "$work/snapshot/channel0" plain) $(shown "$work/snapshot/rare" plain)" "100 100"
check "clear discards both" "$strata" clear flight
"$strata" snapshot --session flight --output "$work/cleared" 2>/dev/null
check "so that nothing is left" is "$(timeline "$work/cleared" | wc -l)" 0
kill "$running"
"$strata" stop flight 2>/dev/null
finish
