#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Selections of `strata view` and `convert` that select nothing: names that no trace has, wrong times, ranges without
# events, and a directory with a recording and its merged timeline.
# shellcheck disable=SC2016 # $ in expressions is no variable of the shell
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

"$work/make_ctf"
"$work/make_ctf" "$work/one" 3 3000 4
check "a recording of the hypervisor is made" "$strata" import tests/unit/data/host.xentrace -o "$work/raw" --tsc-khz 2445427

view() { "$strata" view --color=never "$@"; }
events() { jq -s length <("$strata" view --json "$@" 2>/dev/null); }

nearest='the nearest is'
check "a domain that no trace has is an error, with the nearest name" says 1 "view: --domain: no event in these traces has the domain \"idel\"; $nearest \"idle\"" view --domain idel "$work/raw"
check "an event's name likewise" says 1 "view: --event: no event in these traces has the name \"io_l\"; $nearest \"io_[0-9]\"" view --event io_l "$work/one"
check "a pattern likewise" says 1 "view: --event: no event in these traces has the name \"runstat_\*\"; $nearest \"runstate_" view --event 'runstat_*' "$work/raw"
check "a source likewise" says 1 "view: --source: no event in these traces has the source \"oen\"; $nearest \"one\"" view --source oen "$work/one"
check "a CPU likewise" says 1 "view: --cpu: no event in these traces has the cpu 99; $nearest 2" view --cpu 99 "$work/one"
python3 tests/unit/make_xen_host.py "$work/host"
for part in dom0:0 xen:1; do
	check "a vCPU likewise: ${part%:*}" says 1 "view: --vcpu: no event in these traces has the vcpu 99; $nearest ${part#*:}" view --vcpu 99 "$work/host/${part%:*}"
done
check "a vCPU of several traces likewise" says 1 "convert: --vcpu: no event in these traces has the vcpu 99; $nearest 1" "$strata" convert --format json --vcpu 99 -o "$work/unseen" "$work/host"
check "a vCPU in an expression likewise" says 1 "--filter: column 10: no event in these traces has the vcpu 99; $nearest 1" view --filter '$vcpu == 99' "$work/host/xen"
check "the vCPU of other events is no error" says 0 '^strata: view: no event matches' view --vcpu 1 --filter '$cpu == 0 && $pcpu == 1' "$work/host/xen"
check "nor is one that may be in the events before a range" says 0 '^strata: view: no event matches' view --vcpu 99 --from +0.1 "$work/host/xen"
check "a layer that no trace has likewise" says 1 'view: --layer: no event in these traces has the layer "app"' view --layer app "$work/raw"
check "a field of an expression likewise" says 1 "view: --filter: column 1: no event in these traces has a field lenght; $nearest length" view --filter 'lenght > 1' "$work/one"
check "and a name in an expression" says 1 "column 11: no event in these traces has the name \"io_l\"; $nearest \"io_[0-9]\"" view --filter '$event == "io_l"' "$work/one"
check "that nothing can match is said" says 1 'cannot match anything in these traces' view --event io_l "$work/one"
check "convert refuses as view does" says 1 "$nearest" "$strata" convert --format json --domain idel -o "$work/none" "$work/raw"
check "and leaves no file" test ! -e "$work/none"

# leaves_nothing FORMAT OPTION...: convert fails, after it has read all events too, and the directory has no file more.
leaves_nothing() {
	local format=$1
	shift
	rm -rf "$work/alone"
	mkdir "$work/alone"
	says 1 "$nearest" "$strata" convert --format "$format" "$@" -o "$work/alone/out" "$work/raw" || return
	[ -z "$(ls -A "$work/alone")" ]
}
for format in columns babeltrace json perfetto chrome count ctf; do
	for wrong in "--vcpu 99" "--cpu 99" "--domain idel" "--event runstat_*"; do
		# shellcheck disable=SC2086 # two words
		check "$format: nothing is left of a selection by $wrong" leaves_nothing "$format" $wrong
	done
done
earlier_stays() {
	echo earlier >"$work/earlier"
	says 1 "$nearest" "$strata" convert --format json --vcpu 99 --force -o "$work/earlier" "$work/raw" && [ "$(cat "$work/earlier")" = earlier ]
}
check "--force replaces no earlier file by nothing" earlier_stays
empty_stays() {
	rm -rf "$work/empty"
	mkdir "$work/empty"
	says 1 "$nearest" "$strata" convert --format ctf --vcpu 99 -o "$work/empty" "$work/raw" && [ -z "$(ls -A "$work/empty")" ]
}
check "an empty directory stays and is empty" empty_stays
range_is_written() {
	rm -f "$work/range"
	"$strata" convert --format json --from +1000 -o "$work/range" "$work/raw" 2>/dev/null && [ -e "$work/range" ]
}
check "a range without events makes an empty file" range_is_written

one_of_two() {
	says 0 "--event: no event in these traces has the name \"io_l\"; $nearest \"io_[0-9]\"" view --event io_1,io_l "$work/one" &&
		[ "$(events --event io_1,io_l "$work/one")" = "$(events --event io_1 "$work/one")" ]
}
check "of several names one that no trace has is named, and the others are shown" one_of_two
check "a name that stands beside others with 'or' is named, too" says 0 "column 31: no event in these traces has the name \"io_l\"" view --filter '$event == "io_1" || $event == "io_l"' "$work/one"
check "what is told apart from a name that no event has is no error" says 0 '' view --filter '$event != "io_l"' "$work/one"

check "a range without events is no error, and is said" says 0 'view: no event matches' view --event io_1 --from +1000 "$work/one"
check "also without a filter" says 0 'view: no event matches' view --from +1000 "$work/one"
check "nor are values that no event has" says 0 'view: no event matches' view --filter 'length > 4000000000' "$work/one"
check "of what is shown nothing is said" test -z "$("$strata" view --event io_1 -o /dev/null "$work/one" 2>&1)"

check "a time that is none is a wrong command line" says 2 '"yesterday" is not a time' view --from yesterday "$work/one"
check "an end before the beginning likewise" says 2 '--to \+1 is not after --from \+5' view --from +5 --to +1 "$work/one"
check "also of times since 1970" says 2 '--to 4 is not after --from 5' view --from 5 --to 4 "$work/one"
check "and of one of each" says 2 '--to 1 is not after --from \+5' view --from +5 --to 1 "$work/one"

count_to_file() {
	"$strata" convert --format count -o "$work/counted" "$work/one" >"$work/stdout" && [ ! -s "$work/stdout" ] &&
		[ "$("$strata" convert --format count "$work/one")" = "$(cat "$work/counted")" ]
}
check "convert --format count writes to the file that -o names" count_to_file
check "--help says what \$time counts" says 0 'nanoseconds since 1970' "$strata" view --help

mkdir "$work/both" "$work/pair" "$work/chain"
cp -r "$work/raw" "$work/both/raw"
"$strata" merge "$work/both/raw" -o "$work/both" >/dev/null
cp -r "$work/one" "$work/pair/one"
"$strata" merge "$work/pair/one" -o "$work/pair" >/dev/null 2>&1
cp -r "$work/raw" "$work/chain/raw"
"$strata" convert --format ctf -o "$work/chain/ctf" "$work/chain/raw" 2>/dev/null
once() { [ "$(events "$1")" = "$(events "$2")" ]; }
check "beside its recording a merge is left out" once "$work/both" "$work/raw"
check "which is said" says 0 'both/ctf/xen: was made from .*both/raw; left out' view -o /dev/null "$work/both"
check "what was merged of other traces is shown too, as it may be another's" test "$(events "$work/pair")" = $((2 * $(events "$work/one")))
check "which is said" says 3 'pair/ctf/one: looks like a copy of pair/one, but only DIR/ctf beside its recording DIR/raw is left out' view -o /dev/null "$work/pair"
check "what was converted of a recording is left out" once "$work/chain" "$work/raw"
check "what the command line names is shown" test "$(events "$work/both/raw" "$work/both/ctf")" = $((2 * $(events "$work/raw")))
finish
