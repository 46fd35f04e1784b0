#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Traces of several machines, of which one lies or has nothing to do with the others: the order of
# what two honest machines exchanged stays within the bounds of its times.  Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

strata=out/bin/strata
machines="python3 tests/unit/make_machines.py"
work=$(mktemp -d /tmp/strata-machines-XXXXXX)
trap 'rm -rf "$work"' EXIT

# at NAME...: the traces' paths
at() {
	printf "$work/%s " "$@"
}

# in_order FIRST SECOND SLACK_NS TRACE...: all segments between the two arrive after they were sent,
# within the bounds of their times, if these are known, and the slack.
in_order() {
	local first=$1 second=$2 slack=$3 said
	shift 3
	# shellcheck disable=SC2046 # a list of paths
	said=$("$strata" view --json $(at "$@") 2>"$work/messages" | $machines reversed "$first" "$second" "$slack")
	[ "$said" = "400 0" ] || { echo "segments, reversed: $said"; cat "$work/messages"; return 1; }
}

# status STATUS TRACE...: how `strata stat` ends; its JSON and messages stay.
status() {
	local expected=$1 status=0
	shift
	# shellcheck disable=SC2046
	"$strata" stat --json $(at "$@") >"$work/stat" 2>"$work/messages" || status=$?
	[ "$status" = "$expected" ] || { echo "status $status"; cat "$work/messages"; return 1; }
}

# machine NAME FILTER: of stat's JSON
machine() {
	jq -r --arg name "$1" ".machines[] | select(.name == \$name) | $2" "$work/stat"
}

# A trace without any segment, read first, unties no others from each other.
stranger_first() {
	$machines make "$work" stranger=0 b=0 c=37e9 b-c && status 3 stranger b c &&
		[ "$(machine c .tied)" = false ] && [ "$(machine c .tied_to)" = b ] &&
		[ "$(machine b '.tied_to // "none"')" = none ] && [ "$(machine c .greatest_bound_ns)" -lt 200000 ] &&
		grep -q 'c: its clock cannot be tied to that of stranger; its times are converted to the clock of b' "$work/messages" &&
		in_order b c 200000 stranger b c
}

# So it is with traces that were converted before: their times stay as they are.
stranger_before_a_merge() {
	# shellcheck disable=SC2046
	"$strata" convert --format ctf -o "$work/merged" $(at b c) && in_order b c 200000 stranger merged
}

# A trace that names the others' merge, and claims to have been before all of its traces.
forged_place() {
	local merge
	mkdir "$work/set" && cp -r "$work/merged" "$work/set/m" && cp -r "$work/stranger" "$work/set/zz" || return 1
	merge=$(grep -rhao 'strata_merge = "[^"]*"' "$work/set/m" | head -1)
	sed -i "s/^env { /env { $merge; strata_place = -1; /" "$work/set/zz/metadata" && grep -q strata_merge "$work/set/zz/metadata" &&
		status 3 set && [ "$(jq -r '.traces[-1].source' "$work/stat")" = stranger ] &&
		[ "$(jq -r '.machines[1].tied' "$work/stat")" = true ]
}

# pairs TRACE...: all segments of b and c that were seen at both ends count.
pairs() {
	# shellcheck disable=SC2046
	"$strata" stat $(at "$@") 2>"$work/messages" | grep 'TCP segments' | tee "$work/pairs" | grep -qw 400 || { cat "$work/pairs"; return 1; }
}

# A machine that says it sent more segments than readers remember, read first or last.
flood() {
	$machines flood "$work" flood 600000 && pairs flood b c && pairs b c flood
}

# Machine a lies about c by a second, and makes its own bounds narrow.  Three machines prove nothing:
# it may be any of them.  The bounds of the later one of b and c grow, so that they hold.
triangle() {
	mkdir "$work/three" && $machines make "$work/three" a=0 b=5e9 c=37e9 a-b:0:fast a-c:1e9:fast b-c || return 1
	status 3 three/a three/b three/c && in_order b c 0 three/a three/b three/c &&
		grep -q 'b, c and a disagree: the segments between b and c contradict the times by way of a by 9998' "$work/messages" &&
		[ "$(machine b .greatest_bound_ns)" -lt 30000 ] && [ "$(machine c .least_bound_ns)" -gt 1000000000 ]
}

# Read last, the liar enlarges nobody's bounds.
triangle_read_last() {
	status 3 three/b three/c three/a && in_order b c 0 three/b three/c three/a &&
		grep -q 'c, a and b disagree' "$work/messages" && [ "$(machine c .greatest_bound_ns)" -lt 200000 ] &&
		[ "$(machine a .least_bound_ns)" -gt 1000000000 ] && status 0 three/b three/c
}

# Of four machines, three agree without the liar: it is left out, and the others are tied to each other.
liar_of_four() {
	mkdir "$work/four" && $machines make "$work/four" a=0 b=5e9 c=37e9 d=1e9 a-b:0:fast a-c:1e9:fast a-d:3e8:fast b-c b-d c-d || return 1
	status 3 four/a four/b four/c four/d && in_order b c 200000 four/a four/b four/c four/d &&
		grep -q ': a: its trace contradicts those of others, which agree without it' "$work/messages" && [ "$(machine a .left_out)" = true ] &&
		[ "$(machine d .tied_to)" = b ] && [ "$(machine d .greatest_bound_ns)" -lt 200000 ] &&
		status 3 four/b four/a four/c four/d && in_order b c 0 four/b four/a four/c four/d &&
		[ "$(machine a .left_out)" = true ] && [ "$(machine a .tied)" = false ] && [ "$(machine c .tied)" = true ] &&
		[ "$(machine c .greatest_bound_ns)" -lt 200000 ]
}

# Two traces of one owner lie about what they exchanged with h: its ties to the others refute that.
two_liars() {
	mkdir "$work/pair" && $machines make "$work/pair" h=0 r=5e9 a=37e9 b=2e9 x=3e9 y=4e9 h-r h-a h-b r-a r-b a-b \
		x-r x-a x-b y-r y-a y-b x-y x-h:1e9:fast y-h:1e9:fast || return 1
	status 3 pair/{h,r,a,b,x,y} && [ "$(jq '[.machines[] | select(.left_out)] | length' "$work/stat")" = 0 ] &&
		in_order r h 200000 pair/{h,r,a,b,x,y} && [ "$(machine b .greatest_bound_ns)" -lt 200000 ] &&
		status 3 pair/{r,h,x,a,b,y} && [ "$(machine h .left_out)" != true ] && [ "$(machine h .tied)" = true ]
}

# A ring: the liar x makes its bounds narrow, so that b is tied to r by way of it.  Whoever is named
# first, b and x are in doubt, and all four are named.
ring() {
	mkdir "$work/ring" && $machines make "$work/ring" r=0 a=37e9 b=2e9 x=3e9 a-r b-a x-r:1e9:fast x-b:0:fast || return 1
	for others in "b a x" "a b x" "x b a" "x a b"; do
		# shellcheck disable=SC2086 # several words
		set -- $others
		status 3 ring/r "ring/$1" "ring/$2" "ring/$3" && in_order a b 0 ring/r "ring/$1" "ring/$2" "ring/$3" &&
			[ "$(machine a .greatest_bound_ns)" -lt 200000 ] && [ "$(machine b .least_bound_ns)" -gt 1000000000 ] &&
			[ "$(machine x .least_bound_ns)" -gt 1000000000 ] &&
			grep -qE '(b, a, r and x|a, b, x and r) disagree: .* the bounds of x are larger' "$work/messages" || return 1
	done
	status 3 ring/b ring/a ring/r ring/x && [ "$(machine r .least_bound_ns)" -gt 1000000000 ]
}

# One time of the liar is two years off: this costs nobody else anything.
years_off() {
	mkdir "$work/years" && $machines make "$work/years" b=0 c=37e9 x=5e9 b-c x-b @x+63e15 || return 1
	status 0 years/b years/c years/x && in_order b c 200000 years/b years/c years/x &&
		[ "$(machine x .tied)" = true ] && [ "$(machine x .greatest_bound_ns)" -lt 200000 ] && in_order b c 200000 years/x years/b years/c
}

# A trace that claims another machine's clock, and lies about it.
claimed_clock() {
	local a=11111111-2222-4333-8444-555555555555
	mkdir "$work/claim" &&
		$machines make "$work/claim" "@a=$a" "@liar=$a" @b=21111111-2222-4333-8444-555555555555 a=0 liar=0 b=5e9 a-b liar-b:1e8 ||
		return 1
	status 3 claim/a claim/b claim/liar && [ "$(jq '.machines | length' "$work/stat")" = 2 ] &&
		[ "$(grep -c 'the segments between them contradict each other' "$work/messages")" = 1 ] &&
		status 0 claim/a claim/b
}

# A machine with two clocks of different frequencies, whose times are converted: those of either clock lie within a millisecond of
# the other machine's, on which all events begin at 08:00 (BEGIN_NS).
two_clocks() {
	mkdir "$work/clocks" && $machines make "$work/clocks" b=0 c=37e9 b-c && $machines slow "$work/clocks" c 37e9 || return 1
	# shellcheck disable=SC2046
	"$strata" view --json $(at clocks/b clocks/c) 2>"$work/messages" |
		jq -r 'select(.event == "slowtick") | (.ns | tonumber) / 1e6 | round' >"$work/slow" || return 1
	[ "$(tr '\n' ' ' <"$work/slow")" = "1767600000000 1767600001000 1767600002000 " ] || { cat "$work/slow" "$work/messages"; return 1; }
}

# A trace that claims the host of another one, and the timeline of others' merge: the other one's times stay as they are.
claimed_timeline() {
	local timeline
	mkdir "$work/honest" "$work/forged" && $machines make "$work/honest" d=0 && cp -r "$work/honest/d" "$work/forged/z" || return 1
	timeline=$(grep -rhao 'strata_timeline = "[^"]*"' "$work/merged" | head -1)
	sed -i "s/^env { /env { $timeline; /" "$work/forged/z/metadata" && grep -q strata_timeline "$work/forged/z/metadata" &&
		status 3 merged honest/d forged/z && grep -q 'd: its clock cannot be tied to that of b' "$work/messages" || return 1
	# shellcheck disable=SC2046
	[ "$("$strata" view --json $(at merged honest/d forged/z) 2>"$work/messages" | jq -r 'select(.event == "tick" and .source == "d") | .ns' | sort -u)" = 1767600000000000000 ]
}

# So do those of a trace whose machine has one in the merge: it is tied by its own segments.
raw_beside_its_merge() {
	local c=31111111-2222-4333-8444-555555555555
	mkdir "$work/raw" && $machines make "$work/raw" "@c=$c" b=0 c=37e9 b-c || return 1
	# shellcheck disable=SC2046
	"$strata" convert --format ctf -o "$work/raw-merged" $(at raw/b raw/c) && status 0 raw-merged raw/c && in_order b c 200000 raw-merged/b raw/c &&
		[ "$(jq '.machines | length' "$work/stat")" = 3 ] && [ "$(jq -r '.machines[2].tied' "$work/stat")" = true ]
}

# Eight traces that claim to have sent all segments of b and c.
crowd() {
	local name
	mkdir "$work/crowd" && $machines make "$work/crowd" b=0 c=37e9 b-c || return 1
	for name in 1 2 3 4 5 6 7 8; do $machines claim "$work/crowd" b "x$name" "${name}e9" || return 1; done
	status 3 crowd/b crowd/c crowd/x{1..8} && [ "$(machine c .tied)" = true ] && [ "$(machine c .greatest_bound_ns)" -lt 200000 ] &&
		in_order b c 200000 crowd/b crowd/c
}

check "a stranger's trace that is read first leaves the others tied to each other" stranger_first
check "so it does beside traces that were merged before" stranger_before_a_merge
check "a trace that claims a place in others' merge gets none" forged_place
check "a machine with too many segments takes no room from the others" flood
check "three machines that disagree are named, and a bound grows so that it holds" triangle
check "a liar that is read last enlarges no bounds but its own" triangle_read_last
check "a liar whom three others contradict is left out" liar_of_four
check "two traces that lie do not get an honest machine left out" two_liars
check "a way by several machines that others contradict is in doubt" ring
check "a time that is years off ends no command" years_off
check "a trace that lies about the clock that it claims is noticed" claimed_clock
check "each of a machine's clocks is converted with its own frequency" two_clocks
check "a trace that claims others' timeline moves no times but its own" claimed_timeline
check "a trace is tied to the merge of others that has a copy of it" raw_beside_its_merge
check "eight traces that claim the segments of two others do not untie them" crowd
finish
