#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Installs the Debian packages that building, testing and the demo need, those
# that are missing and no others.  Called by `make deps`; asks nothing and leaves
# the machine's apt configuration as it is.
set -eu

PACKAGES="
	build-essential pkg-config git
	libxen-dev libjson-c-dev
	libcmocka-dev clang-format shellcheck babeltrace2 libbabeltrace2-dev spin
	flex bison python3 patch xz-utils
	linux-headers-amd64
	qemu-system-x86 busybox-static cpio kmod jq iproute2
	gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf gcc-riscv64-linux-gnu gcc-s390x-linux-gnu
	gcc-i686-linux-gnu qemu-user dpkg-dev
	libc6-dev-arm64-cross libc6-dev-armhf-cross libc6-dev-riscv64-cross libc6-dev-s390x-cross
	libc6-dev-i386-cross
"

# LTTng, which is measured beside Strata and whose traces are merged: `tests/deps.sh lttng`, or `bench`.
case ${1:-} in
lttng | bench) PACKAGES="$PACKAGES lttng-tools liblttng-ust-dev libbabeltrace2-dev" ;;
esac
# What parsers of files are searched with: `tests/deps.sh fuzz`.
[ "${1:-}" != fuzz ] || PACKAGES="$PACKAGES clang libclang-rt-14-dev"

say() { printf 'deps: %s\n' "$*"; }

missing=""
for package in $PACKAGES; do
	state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
	[ "${state%% }" = ii ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
	say "all packages are there"
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	say "these packages are missing:$missing"
	say "install them (apt-get install$missing), or run make as root"
	exit 1
fi
say "installing$missing"
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
say "done: $total packages"
