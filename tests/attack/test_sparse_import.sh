#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A file of xentrace that takes 4 KiB on the disk and claims a terabyte is imported as fast as another one: its hole is not searched.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

# word VALUE...: as the file has it.
word() { python3 -c "import struct, sys; [sys.stdout.buffer.write(struct.pack(\"<I\", int(value, 0))) for value in sys.argv[1:]]" "$@"; }
# A window of CPU 0 with ten records of a scheduler's event, at ticks 1000, 2000, ...
{
	word 0x2001f003 0 120
	for i in {1..10}; do word 0x8002f001 $((i * 1000)) 0; done
} >$work/file
import() { timeout 20 "$strata" import "$1" -o "$2" --tsc-khz 2400000 >$work/said 2>&1; }
check "a file of xentrace is imported" import $work/file $work/whole
truncate -s 1T $work/file
check "it takes 4 KiB on the disk" is "$(du -k $work/file | cut -f1)" 4
import $work/file $work/sparse
check "with a hole of a terabyte, too, which is named" is $? 3
check "all its events are there" is "$("$strata" view $work/sparse 2>/dev/null | grep -c .)" "$("$strata" view $work/whole 2>/dev/null | grep -c .)"
finish
