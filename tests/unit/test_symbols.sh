#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `--symbols`: resolves code addresses in events, each with the symbols of the kernel that owns the code, and no other.
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

check "traces with addresses are made" tests/unit/make_addresses.py "$work/traces"
printf 'ffffffff81000000 T one_first\nffffffff81000020 t one_second\n' >"$work/one"
printf 'ffffffff81000000 T two_first\nffffffff81000020 t two_second\n' >"$work/two"
printf '0xffffffffd0400100 T do_pause\n0xffffffffd0400200 T next\n' >"$work/map"
symbols=(--symbols "g1=$work/one" --symbols "g2=$work/two" --symbols "xen=$work/map")

names() { "$strata" view --json "$@" "$work/traces" | jq -c '[.source, .event, .stream_context.domain, .fields.ip_name // .fields.by_name // .fields.function_name]'; }
cat >"$work/wanted" <<'END'
["xen","vm_exit",1,"one_first+0x10"]
["xen","vm_exit",2,"two_first+0x10"]
["xen","vm_exit",7,null]
["xen","vm_exit",1,null]
["xen","vcpu_pause",1,"do_pause+0x23"]
["xen","pv_trap",1,"one_first+0x10"]
["g1","hrtimer_expire_entry",null,"one_first"]
["g2","hrtimer_expire_entry",null,"two_first"]
END
check "each address is named by the symbols of whose code it is" cmp "$work/wanted" <(names "${symbols[@]}")
check "without symbols none is" test -z "$(names | grep -v null)"
check "one kernel's symbols name nothing of the others" test "$(names --symbols "g2=$work/two" | grep -c two_)$(names --symbols "g2=$work/two" | grep -c one_)" = 20
check "columns have the same" grep -qF 'ip=0xffffffff81000010(two_first+0x10)' <("$strata" view "${symbols[@]}" "$work/traces")
count() { "$strata" convert --format count "${symbols[@]}" --filter "$1" "$work/traces" 2>/dev/null | cut -d ' ' -f 1; }
check "a filter takes the name of a function" test "$(count 'ip == "one_first"')" = 2
check "with its offset, too" test "$(count 'ip == "two_first+0x10"')" = 1
check "and patterns" test "$(count 'function == "*first"')" = 2

# says STATUS PATTERN OPTION...: ends with that status, and says something like that.
says() {
	local wanted=$1 pattern=$2 status=0 output
	shift 2
	output=$("$strata" view "$@" "$work/traces" 2>&1) || status=$?
	[ "$status" = "$wanted" ] && grep -qE -- "$pattern" <<<"$output" && return
	printf 'status %s:\n%s\n' "$status" "$output"
	return 1
}
check "a source that is not there is told with the nearest" says 1 '--symbols: unknown source "g3"; the nearest is g1' --symbols "g3=$work/one"
check "a file that is none, with what is wanted" says 1 'it has no symbols; give an ELF file' --symbols g1=/etc/passwd
check "a stripped file, with what else there is" says 1 'it was stripped of its symbol table; give its System.map' --symbols g1=/bin/true
check "a source named twice" says 1 'g1 is given twice' --symbols "g1=$work/one" --symbols "g1=$work/two"
check "a value without a file" says 2 'needs SOURCE=FILE' --symbols g1
finish
