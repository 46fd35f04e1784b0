#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Checks that the lab built the host that smoke.lab describes. Runs in dom0, started by its init.

failures=0

# Checks that file $2 has a line that matches pattern $3; $1 says what that means.
expect() {
	if grep -qE "$3" "$2"; then
		echo "ok: $1"
	else
		echo "NOT OK: $1; no line matches: $3"
		sed 's/^/    /' "$2"
		failures=$((failures + 1))
	fi
}

xl list >list
expect "g1 is listed" list '^g1 +1 +128 +1 '
expect "g2 is listed" list '^g2 +2 +128 +1 '

xl vcpu-list >vcpus
expect "dom0 is pinned to CPU 0" vcpus '^Domain-0 +0 +0 +0 .* 0 / all'
expect "g1 is pinned to CPU 1" vcpus '^g1 +1 +0 .* 1 / all'
expect "g2 is pinned to CPU 1" vcpus '^g2 +2 +0 .* 1 / all'
expect "g2's workload runs" vcpus '^g2 +2 +0 +1 +r'

# Debug key s prints each domain's TSC mode; mode 2 is native: the guest reads the real counter.
xl dmesg -c >/dev/null
xl debug-keys s
xl dmesg >tsc
expect "g1's TSC is native" tsc 'dom1: mode=2'
expect "g2's TSC is native" tsc 'dom2: mode=2'

exit $((failures > 0))
