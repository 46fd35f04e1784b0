#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The arithmetic of the benchmarks, independent of the machine's speed. Speaks TAP; run by
# tests/run.sh.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/bench/bytes.sh
. tests/bench/bytes.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/large/app-one" "$work/large/app-two" "$work/none/app-one"
truncate -s 1500000000 "$work/large/app-one/cpu_0"
truncate -s 1500000001 "$work/large/app-two/cpu_1"
: >"$work/large/app-one/metadata"
check "bytes above 2^31 are added up to a number" test "$(stream_bytes "$work/large")" = 3000000001
check "no stream yet is no error" test "$(stream_bytes "$work/none" 2>&1)" = 0
check "nor is no recording" test "$(stream_bytes "$work/nowhere" 2>&1)" = 0
check "the benchmark reckons with that" grep -q '^recorded() { stream_bytes ' tests/bench/drain.sh
finish
