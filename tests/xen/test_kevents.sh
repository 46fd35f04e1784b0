#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every trace point of a real kernel, by name; probes on symbols, filters, flush; and all of these
# at once. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/kevents
CALLS=2000

events_of_dom0() {
	awk '$1 ~ /^[a-z0-9_]+\/[a-zA-Z0-9_]+$/' "$OUT/listed"
}

many_events() {
	local nr
	nr=$(events_of_dom0 | wc -l)
	echo "$nr events"
	[ "$nr" -ge 400 ]
}

# The fields of each event that strata lists, and of the same events in the kernel's own format files: GROUP/NAME FIELD SIZE
# SIGN, with "var" for what has no fixed size, and no sign for text.
listed_fields() {
	events_of_dom0 | awk '{
		for (i = 2; i <= NF; i++) {
			split($i, part, ":")
			type = part[2]
			count = 1
			if (type ~ /\[[0-9]+\]$/) {
				count = substr(type, index(type, "[") + 1) + 0
			}
			bits = substr(type, 2) + 0
			if (type ~ /^string|\[\]$/)
				print $1, part[1], "var"
			else if (type ~ /^text/)
				print $1, part[1], count
			else
				print $1, part[1], bits / 8 * count, substr(type, 1, 1) == "s" ? "s" : "u"
		}
	}' | sort
}

kernels_fields() {
	awk -F '[:;]' 'NR == FNR { listed[$0] = 1; next }
	{
		split($1, path, "/")
		event = path[6] "/" path[7]
		if (!(event in listed))
			next
		name = $3
		sub(/\[[^]]*\]$/, "", name)
		sub(/.* /, "", name)
		if (name ~ /^common_/)
			next
		size = signed = ""
		for (i = 4; i <= NF; i++) {
			if ($i ~ /size$/) size = $(i + 1)
			if ($i ~ /signed$/) signed = $(i + 1)
		}
		if ($3 ~ /__data_loc|__rel_loc/)
			print event, name, "var"
		else if ($3 ~ /^char .*\[/)
			print event, name, size
		else
			print event, name, size, signed == 1 ? "s" : "u"
	}' <(events_of_dom0 | awk '{ print $1 }') "$OUT/formats" | sort
}

fields_are_the_kernels() {
	# The groups are those of modules that dom0 does not load: their events have no format there.
	listed_fields | grep -vE '^(xen/xen_evtchn_upcall |(jbd2|kyber|libata|mdio|mmc|nbd|scsi|vsock)/)' >"$OUT/fields.listed"
	kernels_fields >"$OUT/fields.kernel"
	wc -l "$OUT/fields.listed" "$OUT/fields.kernel"
	diff "$OUT/fields.listed" "$OUT/fields.kernel" && [ "$(wc -l <"$OUT/fields.kernel")" -gt 1000 ]
}

few_are_as_known() {
	local line
	for line in \
		'sched/sched_switch prev_comm:text[16] prev_pid:s32 prev_prio:s32 prev_state:s64 next_comm:text[16] next_pid:s32 next_prio:s32' \
		'raw_syscalls/sys_enter id:s64 args:x64[6]' \
		'irq/irq_handler_entry irq:s32 name:string' \
		'exceptions/page_fault_user address:x64 ip:x64 error_code:x64' \
		'xen/xen_evtchn_upcall port:u32 irq:s32'; do
		events_of_dom0 | sed 's/^ *//' | grep -Fx "$line" >/dev/null || {
			echo "not listed: $line"
			events_of_dom0 | grep -F "${line%% *} "
			return 1
		}
	done
}

# Lines of the timeline that show event $1 of the one thread that the filter let pass.
hits() {
	grep -cE " $1 +\[ tid=$(cat "$OUT/thread") \]" "$OUT/probed-merged/timeline.txt"
}

every_call_was_hit() {
	local event nr
	for event in probe___x64_sys_getpriority return___x64_sys_getpriority; do
		nr=$(hits "$event")
		echo "$event: $nr of $CALLS"
		[ "$nr" = "$CALLS" ] || return 1
	done
	[ "$(jq .lost "$OUT/probed-merged/summary.json")" = 0 ]
}

filter_holds() {
	local all passed
	all=$(grep -c ' kernel ' "$OUT/probed-merged/timeline.txt")
	passed=$(grep -cE ' kernel .*\[ tid='"$(cat "$OUT/thread")"' \]' "$OUT/probed-merged/timeline.txt")
	echo "$passed of $all events are of thread $(cat "$OUT/thread")"
	[ "$all" = "$passed" ] && [ "$all" -ge $((3 * CALLS)) ]
}

# Of three processes, the filter let pass none of the calls of the first, and all of the other two.
filter_changed() {
	local phase nr
	for phase in 1 2 3; do
		nr=$(grep -cE " sys_enter +\[ tid=.* args=\[0x5354,0x52415441,0x$phase," "$OUT/filtered-merged/timeline.txt")
		echo "phase $phase: $nr of 100"
		[ "$nr" = $((phase == 1 ? 0 : 100)) ] || return 1
	done
	! grep ' sys_enter ' "$OUT/filtered-merged/timeline.txt" |
		grep -vE "\[ tid=($(cat "$OUT/process-2")|$(cat "$OUT/process-3")) \]"
}

# lines_of PATTERN: how many lines of the recording with arguments match.
lines_of() {
	grep -cE "$1" "$OUT/arguments-merged/timeline.txt"
}

# The calls of phase 4 with what they were called with, and what they returned.
arguments_are_right() {
	local values='flags=0x[0-9a-f]*.* none=0.* bad="\(fault\)"'
	[ "$(lines_of ' call .*which=21332.* who=0x52415441.* phase=4\b')" = 100 ] &&
		[ "$(lines_of ' called .*ret=.* arg1=-22.* low=-22\b')" = 100 ] &&
		[ "$(lines_of " open .*dfd=-100.* file=\"/tmp/short\".* $values")" -ge 1 ] &&
		[ "$(lines_of " open .*dfd=-100.* file=\"/tmp/a-name-that-is-lon\".* $values")" -ge 1 ]
}

# One read of the file is known by the number of its inode, and by the length that was asked for.
names_are_right() {
	local inode
	inode=$(cat "$OUT/inode")
	for wanted in " reads .*file_f_inode_i_ino=$inode\b.* count=12345\b.* name=\"read-by-name\".* pos=0x" \
		' all .*file=0x.* buf=0x.* count=12345\b.* pos=0x' " opened .*inode=$inode\b"; do
		grep -E "$wanted" "$OUT/named-merged/timeline.txt" || return
	done
}

# headers_are RECORDING FORM: the forms of the kernels' headers, by their stream classes.
headers_are() {
	jq -r '.sources[] | select(.layer == "kernel") | .name' "$OUT/$1/recording.json" | while read -r name; do
		sed -n '/^stream {/,/^}/s/^\tid = \(.*\);/\1/p' "$OUT/$1/$name/metadata"
	done | sed 's/0/full/;s/1/compact/;s/2/large/' | sort -u | tee /dev/stderr | grep -qx "$2"
}

many_kinds() {
	local nr
	nr=$(columns "$OUT/all-merged/timeline.txt" 'layer == "kernel" && vcpu ~ /^g1\// { print event }' | sort -u | tee "$OUT/kinds" | wc -l)
	echo "$nr kinds of events"
	[ "$nr" -ge 60 ] && grep -qx page_fault_user "$OUT/kinds" && grep -qx mm_page_alloc "$OUT/kinds" &&
		grep -q ' xen_evtchn_upcall .*port=' "$OUT/all-merged/timeline.txt"
}

rm -rf "$OUT"
mkdir -p "$OUT"
for helper in calls marked; do
	check "$helper builds" gcc -static -O2 -Wall -Wextra -Werror -pthread "tests/xen/workloads/$helper.c" -o "$OUT/$helper"
done
boot "$here/kevents.lab" "$OUT"
check "dom0 offers 400 events or more" many_events
check "every field is the kernel's own, by name, size and sign" fields_are_the_kernels
check "a few events are as they are known" few_are_as_known
check "the probes were recorded with compact headers" headers_are probed compact
check "the probes merge" out/bin/strata merge "$OUT/probed" -o "$OUT/probed-merged"
check "each call was hit, and each return" every_call_was_hit
check "the filter lets one thread pass and no other" filter_holds
check "the filter that was changed merges" out/bin/strata merge "$OUT/filtered" -o "$OUT/filtered-merged"
check "and let pass whom it was to, and no other" filter_changed
check "the probes with arguments merge" out/bin/strata merge "$OUT/arguments" -o "$OUT/arguments-merged"
check "and have what each call was given" arguments_are_right
check "the probes with names merge" out/bin/strata merge "$OUT/named" -o "$OUT/named-merged"
check "and have the inode and the length of a read" names_are_right
check "all of it at once was recorded with large headers" headers_are all large
check "all of it at once merges, no violation" merged_cleanly "$OUT/all" "$OUT/all-merged"
check "and it holds many kinds of events" many_kinds
for trace in probed/dom0 arguments/dom0 all/g1 all/dom0 all/xen all-merged/ctf probed-merged/ctf; do
	check "babeltrace2 opens $trace without a warning" opens "$OUT/$trace"
done
check "no kernel complained" bash -c "! grep -E 'BUG|WARNING|Oops|refcount|Call Trace' '$OUT/dom0-dmesg' '$OUT/guest-g1.log'"
# As text: GROUP/NAME FIELD:TYPE[COUNT]...
listed_as_text() {
	jq -r '.domains[] | select(.domain == 0) | .events[] | "\(.group)/\(.name)" + ([.fields[] |
		" \(.name):\(.type)" + (if has("count") then "[" + (if .count == 0 then "" else "\(.count)" end) + "]" else "" end)] | join(""))' "$OUT/listed.json" |
		sort | diff - <(sed -n 's/^ *\([a-z0-9_]*\/[a-zA-Z0-9_]*.*\)/\1/p' "$OUT/listed" | sort)
}
check "JSON has the same events and fields as the text" listed_as_text
check "and the hypervisor's" jq -e '.hypervisor | .cpus >= 1 and .tsc_khz > 0 and ([.events[] | select(.name == "evtchn_send" and .class == "evtchn")] | length == 1)' "$OUT/listed.json"
check "and each domain" jq -e '[.domains[].name] | sort | . == ["dom0", "g1"]' "$OUT/listed.json"
finish
