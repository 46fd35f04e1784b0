#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests the lab itself: the host that it boots matches the description, and if a guest cannot be started, the lab reports
# which and why. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/lab

# Boots the host of failing.lab; the lab has to end with status 125 and a sentence about g1.
failing_guest_is_named() {
	local status=0

	"$here/lab" "$here/failing.lab" --out "$OUT/failing" >"$OUT/failing.log" 2>&1 || status=$?
	tail -n 1 "$OUT/failing.log"
	[ "$status" = 125 ] && tail -n 1 "$OUT/failing.log" | grep -q 'guest g1 failed: insmod strata.ko nr_subbufs=3: '
}

# The limit is reached long before Xen is up; nothing of QEMU may be left then.
limit_is_kept() {
	local status=0

	"$here/lab" "$here/smoke.lab" --out "$OUT/limit" --limit 2 >"$OUT/limit.log" 2>&1 || status=$?
	tail -n 1 "$OUT/limit.log"
	[ "$status" = 124 ] && ! pgrep -f "qemu-system.*path=$top/$OUT/limit"
}

# The host of again.lab, whose script fails after a triple fault, boots twice; the second boot finds what was given, and nothing
# else.
second_boot_finds_an_empty_directory() {
	local status=0 seen

	mkdir -p "$OUT/again/given"
	: >"$OUT/again/given/file"
	"$here/lab" "$here/again.lab" --out "$OUT/again" >"$OUT/again.log" 2>&1 || status=$?
	seen=$(grep -c 'the host is booted once more' "$OUT/again.log")
	grep -E 'ok:|NOT OK|once more' "$OUT/again.log"
	[ "$status,$seen" = 1,1 ] && [ -e "$OUT/again/first-console.log" ] &&
		[ "$(grep -c 'LAB > ok: nothing of another boot is there' "$OUT/again/progress.log")" = 1 ] &&
		[ "$(grep -c 'LAB > ok: what was given is there' "$OUT/again/progress.log")" = 1 ]
}

# One that has left the lab to the next test would boot beside its host.
no_host_after_leaving() {
	local status=0

	TEST_LEFT_LAB=$OUT/left "$here/lab" "$here/smoke.lab" --out "$OUT/late" >"$OUT/late.log" 2>&1 || status=$?
	cat "$OUT/late.log"
	[ "$status" = 125 ] && grep -q 'this test has left the lab' "$OUT/late.log" && [ ! -e "$OUT/late" ]
}

rm -rf "$OUT"
mkdir -p "$OUT/smoke"
touch "$OUT/left"
check "a test that has left the lab boots no host" no_host_after_leaving
check "a guest whose module does not load is named" failing_guest_is_named
check "a host that boots again finds its directory as it was" second_boot_finds_an_empty_directory
check "the limit is kept, and QEMU is gone" limit_is_kept
boot "$here/smoke.lab" "$OUT/smoke"
finish
