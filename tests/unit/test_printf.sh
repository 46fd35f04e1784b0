#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Messages of applications, of strata_printf(): recorded in binary form, and shown as text in each output; selected by name and
# level; after the death of the recorder; from several threads; and from C++.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh

strata=$PWD/out/bin/strata
messages=$PWD/out/tests/app/messages
source=tests/unit/app/messages.c
work=$(mktemp -d)
export STRATA_APP_SOCKET=$work/apps.sock
# For programs that are linked here.
export LD_LIBRARY_PATH=$PWD/out/lib
running=""
remove_all() {
	[ -z "$recorder" ] || kill "$recorder" 2>/dev/null
	[ -z "$running" ] || kill -KILL "$running" 2>/dev/null
	rm -rf "$work"
}
trap remove_all EXIT

# line_of TEXT: the number of the line of the program that has it.
line_of() { grep -nF -- "$1" "$source" | head -n 1 | cut -d: -f1; }
# run NAME SELECTION PROGRAM [ARGUMENT]...: a recording of a program, with a selection of its events.
run() {
	local name=$1 selection=$2
	shift 2
	"$strata" record --app "$selection" -o "$work/$name" -- "$@" 2>"$work/$name.log" || sed 's/^/# /' "$work/$name.log"
}
# shown NAME: the messages of a recording in columns, with a "|" between them.
shown() { "$strata" view "$work/$1" | sed -n 's/.*vtid=[0-9]* \] //p' | paste -sd'|'; }
# names NAME: of the recorded events, in their order.
names() { "$strata" view --json "$work/$1" | jq -r .event | paste -sd' '; }
# json NAME EVENT FILTER
json() { "$strata" view --json "$work/$1" | jq -c "select(.event == \"$2\") | $3"; }

request=messages_c_$(line_of '"request %d of %s"')
run types messages "$messages"
wanted="chars -5 200 x|shorts -300 65535|longs -9223372036854775808 18446744073709551615 -1|hex 0xff 0000beef 10"
wanted+="|floats 1.500 1e+100 2.500000|flags 1 1|columns [42    ] [    42] [+42] [007]"
wanted+='|request 2 of alice|bounded abc and abcd|address 0x1234 (nil)|null (null), "quoted" 100%|escaped \x1b[31m\x0a|nothing else'
wanted+="|two|on one line|1 2 3 4 5 6 7 8 9 10 11 12|evaluations 1"
check "columns show the messages, with arguments of all types" is "$(shown types)" "$wanted"
check "JSON has the message and the fields, named after the arguments" is "$(json types "$request" '[.message, .fields]')" \
	'["request 2 of alice",{"at_id_1":2,"at_name":"alice"}]'
"$strata" convert --format chrome --events -o "$work/chrome.json" "$work/types" 2>/dev/null
check "Chrome's JSON has the message" is "$(jq -r ".traceEvents[] | select(.name == \"$request\") | .args.message" "$work/chrome.json")" "request 2 of alice"
"$strata" convert --format perfetto --events -o "$work/perfetto" "$work/types" 2>/dev/null
check "a trace of Perfetto has the message" is "$(tr -d '\000-\037\200-\377' <"$work/perfetto" | grep -ao 'message.request 2 of alice')" 'message2request 2 of alice'
check "an argument that is no variable has the name of its place" is \
	"$(json types "messages_c_$(line_of '"chars')" .fields)" '{"tiny":-5,"byte":200,"arg3":120}'
check "an address is no text" is "$(json types "messages_c_$(line_of '"address')" .fields)" '{"address":"4660","arg2":"0"}'
# sql NAME STATEMENT: its rows.
sql() { "$strata" sql --csv "$work/$1" "$2" | tail -n +2; }
check "SQL has the messages of all events" is "$(sql types "SELECT replace(replace(message, char(27), '\x1b'), char(10), '\x0a') FROM events WHERE message IS NOT NULL ORDER BY time_ns" | tr -d '"' | paste -sd'|')" \
	"$(shown types | tr -d '"')"
check "and the table of one has a column for them" is "$(sql types "SELECT message FROM $request LIMIT 1")" "request 2 of alice"
check "all rows of SQL have the messages of the JSON" python3 tests/unit/sql_peer.py "$strata" 1 60 "$work/types"
# timeline NAME [OPTION]...: the messages on the page of a recording, with their events.
timeline() {
	local name=$1
	shift
	"$strata" timeline --force -o "$work/page.html" "$@" "$work/$name" 2>>"$work/timeline.log" || sed 's/^/# /' "$work/timeline.log"
	python3 -c 'import sys; sys.path.insert(0, "tests/unit")
import timeline_page; page = timeline_page.Page(sys.argv[1]); page.check()
for span in page.spans():
	track = page.tracks[span.track]
	assert (track["kind"], track["process"], span.length) == ("messages", "app-messages", 0) and span.bound > 0, span
	print("%s %s" % (page.strings[span.name], span.detail))' "$work/page.html"
}
check "the timeline has them, on a track of the program" is "$(timeline types | sed 's/^[^ ]* message=//' | paste -sd'|')" "$wanted"
check "each with its event" has "$(timeline types)" "$request message=request 2 of alice"
first=$("$strata" view --json "$work/types" | jq -r .ns | head -n 1)
second=$("$strata" view --json "$work/types" | jq -r .ns | sed -n 2p)
check "only those of the part that is drawn" is "$(timeline types --from "+$(printf '0.%09d' $((second - first)))" | paste -sd'|' | sed 's/^[^ ]* message=//; s/|[^ ]* message=/|/g')" \
	"${wanted#*|}"
check "and to its end" is "$(timeline types --to "+$(printf '0.%09d' $((second - first)))" | sed 's/^[^ ]* message=//')" "${wanted%%|*}"
check "and none of a domain that is not" is "$(timeline types --domain other)" ""
check "tracks of other formats have none" is \
	"$("$strata" convert --format chrome --force -o "$work/tracks.json" "$work/types" 2>/dev/null; jq '[.traceEvents[] | select(.ph == "X")] | length' "$work/tracks.json")" 0
check "a string is recorded up to its precision, and no further" is "$(json types "messages_c_$(line_of '"bounded')" .fields)" \
	'{"open_end":"abc","arg2":4,"arg3":"abcd"}'
check "babeltrace2 reads the fields, and has no complaint" is \
	"$(babeltrace2 "$work/types" 2>&1 | grep -E " $request: |[WE] [A-Z]+/" | sed 's/.* vtid = [0-9]* }, //')" '{ at_id_1 = 2, at_name = "alice" }'
check "calls of one line are events of two names" is "$(names types | grep -o "messages_c_$(line_of '"two"')[_2]*" | sort | paste -sd' ')" \
	"messages_c_$(line_of '"two"') messages_c_$(line_of '"two"')_2"
check "the metadata have each format once" is "$(grep -cF '"request %d of %s"' "$work/types/app-messages/metadata")" 1

run counted messages "$messages" counted
check "a length of any integer type bounds a string" is "$(shown counted)" \
	"unsigned lengths abc abcd abcde abcdef|signed lengths abcdefg abcdefgh|a truth for a length a|negative lengths whole text|no length [] []|%-20m % [abc]|4 text 5 [ab]"
check "and no byte after that is recorded" is "$(grep -cr SECRET "$work/counted" | grep -vc ':0$' || true)" 0
run pieces messages "$messages" pieces
check "unsigned and signed characters are strings, and addresses for %p" is "$(shown pieces | cut -d'|' -f2-)" \
	"byte strings bytes name code (null)|byte address 0x1234"
check "a difference and a comparison name no field" is "$(json pieces "messages_c_$(line_of '"expressions')" .fields)" \
	'{"arg1":2,"arg2":1,"at_id":7}'

"$strata" merge "$work/types" -o "$work/merged" >"$work/merge.log" 2>&1
check "a merge keeps them" is "$(shown merged)" "$wanted"
check "and its timeline has them" has "$(cat "$work/merged/timeline.txt")" "request 2 of alice"
"$strata" convert --format ctf "$work/types" -o "$work/converted" >"$work/convert.log" 2>&1
check "so does a conversion to CTF" is "$(shown converted)" "$wanted"
check "which babeltrace2 reads without a complaint" is "$(babeltrace2 "$work/converted" 2>&1 | grep -cE '[WE] [A-Z]+/' || true)" 0

run levels 'messages:*@warning' "$messages" levels
check "a level selects messages" is "$(shown levels)" "disk sda is full|disk sda is slow: 90 ms"
run group 'messages:printf/*' "$messages" levels
check "their group selects all" is "$(shown group)" "disk sda is full|disk sda is slow: 90 ms|disk sda is idle"
run line "messages:messages_c_$(line_of 'is slow')" "$messages" levels
check "file and line select one" is "$(shown line)" "disk sda is slow: 90 ms"
run none 'messages:other_c_*' "$messages" levels
check "another file's name selects none" is "$(shown none 2>/dev/null)" ""

run threads messages "$messages" threads 2000
check "no message of four threads at one call is lost or mixed" is \
	"$("$strata" view --json "$work/threads" | jq -r '"\(.stream_context.vtid) \(.message)"' |
		awk '$2 == "step" && $4 == "of" && $3 == next_of[$1] + 0 { next_of[$1]++; n++ } END { print n, NR, length(next_of) }')" "8000 8000 4"

# forever: numbered messages without end.
forever() {
	rm -f "$work/last"
	"$messages" forever "$work/last" &
	running=$!
	await test -s "$work/last"
	await is_past 0
}
forever
listed=messages_c_$(line_of '"number %lu"')
check "the list shows formats" await bash -c "'$strata' list --apps --events 2>/dev/null | grep -qF 'printf/$listed \"number %lu\"'"
check "and so does its JSON" is "$("$strata" list --apps --events --json "$listed" | jq -c '.applications[].events')" \
	"[{\"name\":\"$listed\",\"group\":\"printf\",\"format\":\"number %lu\"}]"
stop_program

begin killed --app messages --app-memory file
forever
more_of 100
# A program whose recorder is dead stops to write, so the recorder only seems to be alive meanwhile.
kill -STOP "$recorder"
more_of 100
stop_program
kill -KILL "$recorder"
wait "$recorder" 2>/dev/null
recorder=""
last=$(last_number)
check "after the death of program and recorder, recover reads the rings" "$strata" recover "$work/killed"
recovered=$(find "$work" -maxdepth 1 -name 'killed*' -type d | sort | tail -n 1)
"$strata" view --json "$recovered" | jq -r .message >"$work/recovered"
check "and all messages are whole" is "$(sed 's/^number //' "$work/recovered" | run_of)" "1 $last"

g++ -std=c++11 -Wall -Wextra -Werror -Iinclude tests/unit/app/messages_inline.cc -o "$work/cc" out/lib/libstrata.a -lpthread 2>"$work/cc.log" ||
	sed 's/^/# /' "$work/cc.log"
run cxx cc "$work/cc"
check "C++ has them in templates, members, lambdas and inline functions" is "$(shown cxx | cut -d'|' -f1-6)" \
	"types bob 1 5 c 5 2.5 (nil)|thing one|value 1|value 2|inline 3|lambda 4"
check "and addresses of functions, and strings of bytes" is \
	"$(shown cxx | cut -d'|' -f7- | sed -E 's/function (0x[0-9a-f]{3,}) is \1\|/function is itself|/')" \
	"function is itself|function (nil) has any arguments|strings bytes code"

# Libraries that are loaded and closed, one after the other: each has calls of its own, and one of an inline function.
gcc -std=c11 -Wall -Wextra -Werror -Iinclude tests/unit/app/messages_loader.c -o "$work/loader" -Lout/lib -lstrata -ldl \
	2>"$work/loader.log" || sed 's/^/# /' "$work/loader.log"
for compiler in g++ clang++; do
	if ! command -v "$compiler" >/dev/null; then
		check "$compiler builds libraries with messages # SKIP $compiler is not installed" true
		continue
	fi
	for library in one two; do
		"$compiler" -std=c++11 -Wall -Wextra -Werror -Iinclude -DLIBRARY="$library" -fPIC -shared -O1 \
			tests/unit/app/messages_library.cc -o "$work/$library.so" -Lout/lib -lstrata 2>"$work/$library.log" ||
			sed 's/^/# /' "$work/$library.log"
	done
	for order in forward backward; do
		remaining=one
		[ "$order" = backward ] || remaining=two
		run "$compiler-$order" loader "$work/loader" "$order" "$work/one.so" "$work/two.so"
		check "$compiler: libraries have all their messages until they are closed ($order)" is "$(shown "$compiler-$order")" \
			"$(printf 'shared, from %s|own message of %s|' one one two two)1 closed|$(
				printf 'shared, from %s|own message of %s|' "$remaining" "$remaining"
			)2 closed"
		check "$compiler: and none of their calls is registered then ($order)" "$work/loader" "$order" "$work/one.so" "$work/two.so"
	done
done
printf '#include <strata/printf.h>\nint main(void) { strata_printf("%%s", 5); return 0; }\n' >"$work/wrong.c"
check "the compiler warns about an argument that does not fit its conversion" refused 'Werror=format' \
	gcc -Wall -Werror -Iinclude -c "$work/wrong.c" -o "$work/wrong.o"
printf '#include <strata/printf.h>\nint main(void) { strata_printf("many", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13); return 0; }\n' \
	>"$work/many.c"
check "it names the limit of arguments" refused 'static assertion failed: "strata_printf\(\) takes at most 12 arguments' \
	gcc -Iinclude -c "$work/many.c" -o "$work/many.o"
printf '#include <strata/printf.h>\nstruct s { int f; };\nint main() { strata_printf("%%d", &s::f); return 0; }\n' >"$work/member.cc"
check "it refuses a pointer to a member" refused 'use of deleted function' g++ -std=c++11 -Iinclude -c "$work/member.cc" -o "$work/member.o"
finish
