#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each target of the Makefile installs the packages that it needs, and no others.  Speaks TAP; run by tests/run.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

listed() { tests/deps.sh --list "$@" 2>"$work/stderr"; }
cross_compilers() { listed "$@" | grep -cE -- '-(linux-gnu|linux-gnueabihf|cross)$'; }
# wants TARGET PACKAGE...: the target needs these packages.
wants() {
	local package target=$1
	shift
	for package in "$@"; do
		listed "$target" | grep -qx "$package" || { echo "$target does not list $package"; return 1; }
	done
}
# calls TARGET NAME: make TARGET has the packages of NAME installed.
calls() { make -n "$1" 2>/dev/null | grep -q "^tests/deps.sh $2\$"; }

for target in tools kmod demo bench fuzz; do
	check "$target needs no cross compiler" test "$(cross_compilers $target)" = 0
	check "make $target has its packages installed" calls $target $target
done
check "make check has its packages installed" calls check check
check "tools need a compiler and libraries, and no emulator" test "$(listed tools | tr '\n' ' ')" = \
	"binutils gcc libc6-dev libedit-dev libjson-c-dev libmd-dev libmicrohttpd-dev libsqlite3-dev libxen-dev make nodejs npm pkg-config zlib1g-dev "
check "the module needs the kernel's headers" wants kmod linux-headers-amd64
check "the demo needs an emulator" wants demo qemu-system-x86 busybox-static libxen-dev flex linux-headers-amd64
check "the bench needs what it measures" wants bench lttng-tools liblttng-ust-dev babeltrace2 libbabeltrace2-dev qemu-system-x86
check "the check needs cross compilers" test "$(cross_compilers check)" = 10
# shellcheck disable=SC2046 # a list of words
check "and what all that it runs needs" wants check $(listed demo unit lint attack fuzz model checkers arch torture browser)
check "a target that there is not is refused" test "$(listed nothing; echo $?)" = 2
check "no target, likewise" test "$(listed; echo $?)" = 2

# An empty database of packages, and a user who cannot install.
mkdir -p "$work/dpkg/updates" "$work/dpkg/info"
: >"$work/dpkg/status"
as_user() {
	chmod -R a+rX "$work"
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 65534 --regid 65534 --clear-groups env DPKG_ADMINDIR="$work/dpkg" tests/deps.sh "$@"
	else
		DPKG_ADMINDIR=$work/dpkg tests/deps.sh "$@"
	fi
}
names_missing() {
	local status=0
	as_user tools >"$work/said" 2>&1 || status=$?
	cat "$work/said"
	[ "$status" = 1 ] && grep -q 'missing: .*libxen-dev' "$work/said" && ! grep -q qemu "$work/said"
}
check "a package that is missing and cannot be installed is named, with status 1" names_missing

# One that another provides is not missing.
cat >"$work/dpkg/status" <<'END'
Package: nodejs
Status: install ok installed
Version: 20
Maintainer: none
Architecture: amd64
Description: one that contains npm
Provides: node-gyp (= 1), npm

END
provides() { names_missing && ! grep -qw -e nodejs -e npm "$work/said"; }
check "a package that an installed one provides is not missing" provides
finish
