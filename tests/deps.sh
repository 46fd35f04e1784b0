#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the missing Debian packages that targets of the Makefile need, and no others:
# `tests/deps.sh TARGET...`. With --list it prints them instead. Asks nothing, and leaves the
# machine's apt configuration as it is. It fails if a package is missing at its end.
set -eu

# What a C program of this project is built with, and the Makefile itself.
compiler="make gcc libc6-dev binutils pkg-config"
libraries="libxen-dev libjson-c-dev zlib1g-dev libmd-dev libmicrohttpd-dev libsqlite3-dev libedit-dev"
# What bundles and checks the page of `strata timeline`.
page="nodejs npm"

# packages_of TARGET: what that target needs.
packages_of() {
	case $1 in
	tools) echo "$compiler $libraries $page" ;;
	kmod) echo "make gcc libc6-dev binutils linux-headers-amd64" ;;
	# Debian's source, patched, and built.
	xen) echo "make gcc libc6-dev binutils flex bison python3 patch dpkg-dev xz-utils" ;;
	# A Xen host in QEMU.
	lab) echo "make gcc libc6-dev linux-headers-amd64 qemu-system-x86 busybox-static cpio kmod procps
			xz-utils" ;;
	all) packages_of tools xen kmod ;;
	demo) packages_of all lab ;;
	lint) echo "git clang-format shellcheck python3 $page" ;;
	unit)
		packages_of tools
		echo "g++ clang libcmocka-dev jq babeltrace2 libbabeltrace2-dev python3 python3-setuptools bsdutils iproute2
			procps systemd"
		;;
	quick) packages_of unit lint ;;
	attack) packages_of unit ;;
	fuzz) packages_of tools ;;
	mutants)
		packages_of unit fuzz checkers
		echo git
		;;
	fuzz-parsers) echo "$compiler $libraries clang libclang-rt-14-dev" ;;
	model) echo "make gcc libc6-dev spin" ;;
	checkers) echo "make gcc libc6-dev libcmocka-dev" ;;
	# The page of `strata timeline` in a browser, in the type that its pictures have.
	browser)
		packages_of tools
		echo "chromium fonts-inter"
		;;
	arch)
		packages_of tools
		echo "gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu gcc-s390x-linux-gnu
			gcc-i686-linux-gnu libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross
			libc6-dev-s390x-cross libc6-dev-i386-cross qemu-user dpkg-dev python3 babeltrace2"
		;;
	torture)
		packages_of checkers
		echo "gcc-i686-linux-gnu libc6-dev-i386-cross dpkg-dev python3"
		;;
	# LTTng, which is measured beside Strata, and whose traces are merged.
	lttng) echo "lttng-tools liblttng-ust-dev" ;;
	soak) packages_of demo torture unit lttng ;;
	bench)
		packages_of demo lttng
		echo "babeltrace2 libbabeltrace2-dev jq valgrind python3 python3-lttnganalyses linux-perf apache2-bin"
		;;
	bench-papers)
		packages_of demo lttng
		echo "dbench python3"
		;;
	check) packages_of demo quick attack fuzz model checkers arch torture browser ;;
	*)
		echo "deps: there is no target $1" >&2
		return 2
		;;
	esac
	shift
	[ $# = 0 ] || packages_of "$@"
}

say() { printf 'deps: %s\n' "$*"; }

list=""
if [ "${1:-}" = --list ]; then
	list=yes
	shift
fi
[ $# != 0 ] || {
	echo "usage: tests/deps.sh [--list] TARGET..." >&2
	exit 2
}
PACKAGES=$(packages_of "$@") || exit
# shellcheck disable=SC2086 # a list of words
PACKAGES=$(printf '%s\n' $PACKAGES | sort -u)
if [ -n "$list" ]; then
	printf '%s\n' "$PACKAGES"
	exit 0
fi

# Prints those of the packages that are not installed, nor provided by one that is: other builds of nodejs contain npm.
find_missing() {
	# shellcheck disable=SC2086 # a list of words
	{
		printf 'wanted %s\n' $PACKAGES
		dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Provides}\n' 2>/dev/null
	} | awk '$1 == "wanted" { wanted[$2] }
		$1 == "ii" { gsub(/,|\([^)]*\)/, ""); for (i = 2; i <= NF; i++) delete wanted[$i] }
		END { for (p in wanted) print p }' |
		sort | tr '\n' ' '
}

missing=$(find_missing)
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	say "these packages are missing: $missing"
	say "install them (apt-get install --no-install-recommends $missing), or run make as root"
	exit 1
fi
say "installing for $*: $missing"
export DEBIAN_FRONTEND=noninteractive
cd "$(dirname "$0")/.."
mkdir -p out/cache
log=out/cache/deps.log

# Runs apt-get with its chatter in the log; the log's end is shown when it fails.
quietly() {
	"$@" >>"$log" 2>&1 || {
		tail -n 15 "$log"
		say "'$*' failed; the whole output is in $log. Mend apt, and run make again"
		return 1
	}
}

: >"$log"
say "reading the lists of packages"
quietly apt-get update
# shellcheck disable=SC2086 # a list of words
total=$(apt-get -s install --no-install-recommends $missing 2>>"$log" | grep -c '^Inst' || true)
# shellcheck disable=SC2086
quietly apt-get install -y --no-install-recommends $missing &
apt=$!
seconds=0
while kill -0 "$apt" 2>/dev/null; do
	sleep 1
	seconds=$((seconds + 1))
	[ $((seconds % 10)) != 0 ] || say "  $total packages: $(grep -c '^Unpacking' "$log") unpacked, $(grep -c '^Setting up' "$log") set up, $seconds s"
done
wait "$apt"
missing=$(find_missing)
[ -z "$missing" ] || {
	say "apt-get ended well, but these packages are still missing: $missing; its output is in $log"
	exit 1
}
say "done: $total packages"
