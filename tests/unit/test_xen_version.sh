#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The version of Xen to build: never silently an older one than the installed or available one. Speaks TAP; run by
# tests/run.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'xen-patch: %s\n' "$*"; }
die() {
	printf 'xen-patch: %s\n' "$@" >&2
	exit 1
}
# shellcheck source=xen-patch/xen_version.sh
. xen-patch/xen_version.sh

# refuses PATTERN ARGUMENTS...: the version is refused with such a message.
refuses() {
	local pattern=$1
	shift
	! (check_version "$@") >"$work/said" 2>&1 && cat "$work/said" && grep -q -- "$pattern" "$work/said"
}
# warns PATTERN ARGUMENTS...: it is taken, with such a message.
warns() {
	local pattern=$1
	shift
	(check_version "$@") >"$work/said" 2>&1 && cat "$work/said" && grep -q 'WARNING: this Xen is OLDER' "$work/said" &&
		grep -q -- "$pattern" "$work/said"
}
silent() { (check_version "$@") >"$work/said" 2>&1 && [ ! -s "$work/said" ]; }

old=4.17.5+72-g01140da4e8-1 new=4.17.7+13-g2445b30a44-0+deb12u1
check "an older version is refused" refuses "$new is installed or offered" $old $new "" ""
check "also if another one is allowed" refuses "--older" $old $new 4.17.3-1 ""
check "the one that the project allows is taken, loudly" warns 'xen-version allows that' $old $new $old ""
check "and one that the caller wants" warns '--older wants that' $old $new "" yes
check "the newest is taken without a word" silent $new $new $old ""
check "and a newer one than is offered" silent $new $old "" ""
check "versions are compared as Debian compares them" test "$(printf '%s\n' 4.17.10-1 4.17.9-1 4.17.10~rc1-1 | newest_of)" = 4.17.10-1
check "what is offered is known" test -n "$(offered_xen)"
check "the project allows one version" test "$(grep -vc '^#' xen-patch/xen-version)" = 1
check "with a reason" test "$(grep -c '^# [A-Za-z]' xen-patch/xen-version)" -ge 3
check "the build asks" grep -q '^	check_version ' xen-patch/build.sh
finish
