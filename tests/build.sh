#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# build.sh TARGET: `make TARGET` as a test of one result, so that tests/run.sh can build beside labs. What make says goes to stderr.
# Speaks TAP.
cd "$(dirname "$0")/.." || exit 1
status=0
# The flags of a make that called the runner name a job server that is not passed on.
MAKEFLAGS='' make --no-print-directory "-j$(nproc)" "$1" >&2 || status=$?
[ "$status" = 0 ] && echo "ok 1 - make $1" || echo "not ok 1 - make $1: status $status"
echo 1..1
exit "$status"
