#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2154 # of tests/tap.sh
#
# Modules with trace points were loaded, unloaded and loaded again in a guest while a recorder that selects their events ran. Checks
# that each of their events is recorded as the guest's own tracer shows it. Sourced by check_scripts of
# tests/tap.sh.

# The commands that the guest's own tracer saw, of both times, and those that were recorded: host, id, LUN and the command's bytes.
traced() {
	tr -d '\r' <"$OUT/guest-g1.log" | sed -nE 's/.*traced-[12]: .*host_no=([0-9]+) .*id=([0-9]+) lun=([0-9]+) .*raw=([0-9a-f ]+)\).*/\1 \2 \3 \4/p'
}

recorded() {
	babeltrace2 "$OUT/modules/g1" | grep ' scsi_dispatch_cmd_start: ' |
		sed -nE 's/.*host_no = ([0-9]+), .*[ {]id = ([0-9]+), lun = ([0-9]+),.* cmnd = \[ (.*) \].*/\1 \2 \3 \4/p' |
		sed -E 's/\[[0-9]+\] = ([0-9]+),?/\1/g' |
		awk '{ printf "%s %s %s", $1, $2, $3; for (i = 4; i <= NF; i++) printf " %02x", $i; print "" }'
}

commands_are_the_tracers() {
	traced | sort >"$OUT/traced"
	recorded | sort >"$OUT/recorded"
	wc -l "$OUT/traced" "$OUT/recorded"
	diff "$OUT/traced" "$OUT/recorded" && [ "$(wc -l <"$OUT/traced")" -ge 4 ]
}

# events PATTERN: how many of g1's events match.
events() {
	babeltrace2 "$OUT/modules/g1" | grep -cE "$1"
}

has_events() {
	local found
	found=$(events "$1")
	echo "$found of $2"
	[ "$found" = "$2" ]
}

# What the guest's own tracer saw of the file system, and what was recorded: inode, position and length of writes; results of fsync.
ext4_traced() {
	tr -d '\r' <"$OUT/guest-g1.log" | sed -nE 's/.*ext4-traced: ext4_da_write_begin: .*ino ([0-9]+) pos ([0-9]+) len ([0-9]+).*/wrote \1 \2 \3 sda/p
		s/.*ext4-traced: ext4_sync_file_exit: .*ino ([0-9]+) ret (-?[0-9]+).*/synced \2/p'
}

ext4_recorded() {
	babeltrace2 "$OUT/ext4/g1" | sed -nE 's/.* wrote: .*ino = ([0-9]+), pos = ([0-9]+), len = ([0-9]+), disk = "([^"]*)".*/wrote \1 \2 \3 \4/p
		s/.* synced: .*inode = [0-9A-Fx]+, ret = (-?[0-9]+).*/synced \1/p'
}

ext4_is_the_tracers() {
	ext4_traced >"$OUT/ext4.traced"
	ext4_recorded >"$OUT/ext4.recorded"
	wc -l "$OUT/ext4.traced" "$OUT/ext4.recorded"
	diff "$OUT/ext4.traced" "$OUT/ext4.recorded" && [ "$(wc -l <"$OUT/ext4.traced")" -ge 12 ]
}

# Each file was opened once, and then written to under the same inode.
opened_what_was_written() {
	babeltrace2 "$OUT/ext4/g1" | sed -nE 's/.* opened: .*inode_i_ino = ([0-9]+).*/\1/p' | sort >"$OUT/ext4.opened"
	ext4_recorded | awk '$1 == "wrote" && !seen[$2]++ { print $2 }' | sort | diff "$OUT/ext4.opened" - && [ "$(wc -l <"$OUT/ext4.opened")" = 3 ]
}

check "the module was loaded twice" has_events ' module_load: .*scsi_mod' 2
check "and freed twice" has_events ' module_free: .*scsi_mod' 2
check "each command to the disk is recorded as the guest's own tracer shows it" commands_are_the_tracers
for phase in 1 2 3; do
	check "recording goes on, phase $phase" has_events "0x52415441, \\[2\\] = 0x${phase}[, ]" 100
done
check "a trace point of a module from elsewhere is not taken for ours" has_events ' nbd_header_sent: ' 0
check "and the guest says so" grep -q 'strata: module impostor is not of this kernel: its trace point nbd_header_sent is not recorded' \
	"$OUT/guest-g1.log"
check "merges, no violation" merged_cleanly "$OUT/modules" "$OUT/modules-merged"
check "the merge has the module's events" grep -q ' scsi_dispatch_cmd_start .*host_no=' "$OUT/modules-merged/timeline.txt"
check "babeltrace2 opens it without a warning" opens "$OUT/modules/g1"
check "a file system's trace points by name are recorded as the guest's own tracer shows them" ext4_is_the_tracers
check "and so is a function of it" opened_what_was_written
check "a trace point of the kernel itself has names, too" bash -c \
	"babeltrace2 '$OUT/ext4/g1' | grep -qE ' ended: .*name = \"dd\", p_pid = [0-9]+'"
check "babeltrace2 opens that without a warning" opens "$OUT/ext4/g1"
for kernel in dom0-dmesg guest-g1.log; do
	check "no complaint in $kernel" bash -c "! grep -E 'BUG|WARNING|Oops|refcount' '$OUT/$kernel'"
done
check "Xen did not complain" bash -c "! grep -E 'Xen BUG|Assertion|WARN' '$OUT/xl-dmesg'"
