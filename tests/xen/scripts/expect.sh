#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How the scripts that run in dom0 check what they see: sourced by them. Each ends with end_checks, which says how many checks
# there were, so that none can get lost on the way out.

failed=0
checks=0

passed() {
	checks=$((checks + 1))
	echo "ok: $1"
}

# missed NAME REASON FILE: shows the file.
missed() {
	checks=$((checks + 1))
	failed=1
	echo "NOT OK: $1; $2"
	sed 's/^/    /' "$3"
}

# Checks that file $2 has a line that matches pattern $3; $1 says what that means.
expect_line() {
	if grep -qE "$3" "$2"; then
		passed "$1"
	else
		missed "$1" "no line matches: $3" "$2"
	fi
}

# Checks that file $2 has no line that matches pattern $3.
expect_no_line() {
	if grep -qE "$3" "$2"; then
		missed "$1" "a line matches: $3" "$2"
	else
		passed "$1"
	fi
}

end_checks() {
	echo "checks: $checks"
	exit "$failed"
}

# Prints what Xen says of each domain's TSC: mode=2 is native, the guest reads the real counter (PVH: plus ofs); mode=1 is
# emulated, each read traps.
show_tsc_modes() {
	xl dmesg -c >/dev/null
	xl debug-keys s
	xl dmesg
}
