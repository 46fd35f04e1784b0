#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Names of numbers (hypercalls, reasons of VM exits, domains) agree in columns, JSON, Chrome's and Perfetto's arguments, and
# filters; babeltrace2's format does not have them.
# shellcheck disable=SC2016 # $ in expressions is no variable of the shell
# shellcheck source=tests/unit/made_traces.sh
. "$(dirname "$0")/made_traces.sh"

check "a recording of the hypervisor's is made" "$strata" import tests/unit/data/host.xentrace -o "$work/raw" --tsc-khz 2445427
"$strata" view --json "$work/raw" 2>/dev/null | jq -c 'select(.event)' >"$work/all"

# All numbers with names, as "EVENT FIELD NUMBER NAME"; of arrays the first element.
named='.event as $e | .fields as $f | $f | keys[] | select(endswith("_name")) | . as $n | ($n | rtrimstr("_name")) as $k |
	$f[$k] as $v | "\($e) \($k) \(if $v | type == "array" then $v[0] else $v end) \($f[$n])"'
jq -r "$named" "$work/all" | sort >"$work/named"

# said NR PATTERN: so many lines of those fit at least.
said() { [ "$(grep -cE -- "$2" "$work/named")" -ge "$1" ]; }
check "hypercalls have names" said 100 '^pv_hypercall op 23 iret$'
check "their operations follow the hypercall" said 40 '^pv_hypercall args 8 set_singleshot_timer$'
check "another one's differ" said 10 '^pv_hypercall arg 1 block$'
check "reasons of VM exits are the processor's" said 20 '^vm_exit reason 120 hlt$'
check "domains have names" said 10 '^sched_switch next_domain 32767 idle$'

# What columns show as NUMBER(NAME), hexadecimal or not, in the same form.
in_columns() {
	"$strata" view "$work/raw" 2>/dev/null | perl -ne '
		next unless /^\S+ +\S+ +[~<]? *\S+ +\S+ +xen(?: +\S+){3} +(\S+)/;
		my $event = $1;
		while (/ (\w+)=\[?(0x[0-9a-f]+|-?\d+)\((\w+)\)/g) {
			my ($field, $number, $name) = ($1, $2, $3);
			$number = hex $number if $number =~ /^0x/;
			print "$event $field $number $name\n";
		}' | sort | cmp - "$work/named"
}
check "columns say the same" in_columns
types() { jq -r '.event as $e | .fields | to_entries[] | "\($e).\(.key) \(.value | type)"' "$work/all" | sort -u | cut -d ' ' -f 1 | uniq -d; }
check "no field's type in JSON depends on its value" test -z "$(types)"
chrome() { "$strata" convert --format chrome --events "$work/raw" 2>/dev/null | jq -e '[.. | objects | select(.op_name? == "iret" and .op == 23)] | length > 100' >"$work/nothing"; }
check "Chrome's arguments have them" chrome
perfetto() { "$strata" convert --format perfetto --events "$work/raw" 2>/dev/null | LC_ALL=C grep -caE 'op_name.{1,8}iret' | awk '$1 == 0 { exit 1 }'; }
check "Perfetto's, too" perfetto
check "babeltrace2's form stays as it is" test "$("$strata" convert --format babeltrace "$work/raw" 2>/dev/null | grep -c iret)" = 0

# leaves NR EXPRESSION...: each leaves as many events as JSON has.
leaves() {
	local nr=$1 expression
	shift
	[ "$nr" -gt 0 ] || return 1
	for expression; do
		[ "$("$strata" convert --format count --filter "$expression" "$work/raw" 2>/dev/null | cut -d ' ' -f 1)" = "$nr" ] && continue
		echo "$expression: not $nr"
		return 1
	done
}
having() { jq -c "select($1)" "$work/all" | wc -l; }
check "a filter takes number and name" leaves "$(having '.fields.op == 23')" 'op == 23' 'op == "iret"' 'op == "ire?"'
check "and the negation of both" leaves "$(having '.fields.op? | . != null and . != 23')" 'op != 23' 'op != "iret"' '!(op == "iret")'
check "a name of an operation" leaves "$(having '.fields.args_name? == "set_singleshot_timer"')" 'args[0] == "set_singleshot_timer"' \
	'args[0] == 8 && op == "vcpu_op"'
check "a reason" leaves "$(having '.fields.reason? == 120')" 'reason == "hlt"' 'reason == 0x78'
check "a domain's name" leaves "$(having '.fields.next_domain? == 32767')" 'next_domain == "idle"' 'next_domain == 0x7fff'

about() {
	leaves "$(having "[.domain, (.fields | .of_domain, .to_domain, .from_domain, .prev_domain, .next_domain, .granter)] | index($1)")" \
		"\$about == $1" "\$about == \"$2\"" "!(\$about != \"$2\")"
}
check "events about a domain are its own, and those that name it" about 32767 idle
check "of dom0 likewise" about 0 dom0
check "--about is the same" test "$("$strata" convert --format count --about idle "$work/raw")" = \
	"$("$strata" convert --format count --filter '$about == 32767' "$work/raw")"
check "there are more of them than of the domain" test "$("$strata" convert --format count --about idle "$work/raw" | cut -d ' ' -f 1)" -gt \
	"$("$strata" convert --format count --domain idle "$work/raw" | cut -d ' ' -f 1)"

# says PATTERN OPTION...: fails, and says something like that.
says() {
	local pattern=$1 status=0 output
	shift
	output=$("$strata" convert --format count "$@" "$work/raw" 2>&1) || status=$?
	[ "$status" = 1 ] && grep -qE -- "$pattern" <<<"$output" && return
	printf 'status %s:\n%s\n' "$status" "$output"
	return 1
}
check "a name that no value has is told" says 'column 7: no event in these traces has the op "irett"; the nearest is "iret"' --filter 'op == "irett"'
check "likewise a domain's in a field" says 'has the next_domain "idel"; the nearest is "idle"' --filter 'next_domain == "idel"'
check "and one of --about" says '--about: no event in these traces has the domain "idel"; the nearest is "idle"' --about idel
finish
