#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A trace that another processor wrote, in its own byte order, reads as the one that this
# machine wrote.  Called by tests/run.sh; `make arch` builds what it runs.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

here=tests/arch
programs=out/tests/arch
out=out/tests/traces
arches=$(cd "$programs" && printf '%s\n' */ | tr -d /)

# text NAME: the trace as text; behind it what babeltrace2 has to say, whatever the trace's path.
text() {
	local status=0
	babeltrace2 "$out/$1" 2>"$out/$1.err" || status=$?
	sed "s,$out/$1/,," "$out/$1.err"
	return "$status"
}

# writes NAME COMMAND...: its trace is written, and babeltrace2 finds as many events as there are.
writes() {
	local name=$1 events
	shift
	events=$("$@" "$out/$name") || return 1
	text "$name" >"$out/$name.txt" || return 1
	[ "$events" -gt 1000 ] || return 1
	[ "$(grep -cE '^\[.* arch(-compact|-large)? (fixed|variable): ' "$out/$name.txt")" = "$events" ]
}

# order_is_true NAME: the metadata names the order in which the first bytes of a packet stand.
order_is_true() {
	local magic
	magic=$(od -An -tx1 -N4 "$out/$1/arch/cpu_0" | tr -d ' ')
	case $magic in
	c11ffcc1) grep -q 'byte_order = le;' "$out/$1/arch/metadata" ;;
	c1fc1fc1) grep -q 'byte_order = be;' "$out/$1/arch/metadata" ;;
	*) return 1 ;;
	esac
}

# events NAME TRACE: as text, but for what is said of packets (they hold more of smaller events), and for the source's name.
events() {
	babeltrace2 "$out/$1/$2" 2>/dev/null | sed "s/{ lost = [^}]*}, //; s/) $2 /) arch /"
}

# reads_as_full NAME FORM: its events with such headers are those with full ones.
reads_as_full() {
	events "$1" arch >"$out/$1-full.txt"
	events "$1" "arch-$2" >"$out/$1-$2.txt"
	[ -s "$out/$1-full.txt" ] && cmp "$out/$1-full.txt" "$out/$1-$2.txt"
}

is_smaller() {
	[ "$(stat -c %s "$out/$1/arch-compact/cpu_0")" -lt "$(stat -c %s "$out/$1/arch/cpu_0")" ]
}

is_big_endian() {
	grep -q 'byte_order = be;' "$out/$1/arch/metadata"
}

# A control: the same packets under the other byte order are no trace.
is_refused_reversed() {
	cp -r "$out/$1" "$out/$1-reversed"
	sed -i 's/byte_order = be;/byte_order = le;/' "$out/$1-reversed"/*/metadata
	! text "$1-reversed" | cmp -s - "$out/host.txt"
}

rm -rf "$out"
mkdir -p "$out"
check "this machine writes a trace" writes host "$programs/write_trace"
check "its metadata names the byte order of its packets" order_is_true host
check "babeltrace2 speaks of the losses in it" grep -q 'discarded' "$out/host.txt"
check "with compact headers it reads as with full ones" reads_as_full host compact
check "with large headers it reads as with full ones" reads_as_full host large
check "with compact headers it is smaller" is_smaller host
for arch in $arches; do
	check "$arch writes a trace" writes "$arch" "$here/on" "$arch" "$programs/$arch/write_trace"
	check "$arch: its metadata names the byte order of its packets" order_is_true "$arch"
	check "$arch: its trace reads as this machine's" cmp "$out/host.txt" "$out/$arch.txt"
	check "$arch: with compact headers it reads as with full ones" reads_as_full "$arch" compact
	check "$arch: with large headers it reads as with full ones" reads_as_full "$arch" large
done
check "one of the processors is big-endian" is_big_endian s390x
check "a big-endian trace said to be little-endian does not read the same" is_refused_reversed s390x
finish
