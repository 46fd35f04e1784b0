#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the scripts that run in dom0 check what they see: sourced by them. At its end a script exits with $failed.
# shellcheck disable=SC2034 # who sources it uses failed

failed=0

# Checks that file $2 has a line that matches pattern $3; $1 says what that means. Shows the file when it has none.
expect_line() {
	if grep -qE "$3" "$2"; then
		echo "ok: $1"
	else
		echo "NOT OK: $1; no line matches: $3"
		sed 's/^/    /' "$2"
		failed=1
	fi
}

# Checks that file $2 has no line that matches pattern $3.
expect_no_line() {
	if grep -qE "$3" "$2"; then
		echo "NOT OK: $1; these lines match: $3"
		grep -E "$3" "$2" | sed 's/^/    /'
		failed=1
	else
		echo "ok: $1"
	fi
}

# Prints what Xen says of each domain's TSC: mode=2 is native, the guest reads the real counter (PVH: plus ofs); mode=1 is
# emulated, each read traps.
show_tsc_modes() {
	xl dmesg -c >/dev/null
	xl debug-keys s
	xl dmesg
}
