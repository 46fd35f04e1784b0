#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Spin searches every state of the model of the trace clock, for each kind of
# counter and CPU.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/model/spin.sh
. "$(dirname "$0")/spin.sh"

# What holds for one kind does not go through the statements of the others.
for kind in "" -DOTHER_CPU "-DWHOLE_WORDS -DMANY_UPDATES" "-DSTEP=1 -DBACK=1" -DLOW=4 -DLOW=16; do
	# shellcheck disable=SC2086 # several flags
	check "trace_clock $kind: holds" searched_without_error trace_clock $kind
done
for twin in ONE_SLOT PUBLISH_FIRST COUNTER_FIRST MANY_UPDATES GAP=6 STEP=1; do
	check "trace_clock: $twin violates time_is_exact" refuted trace_clock "$twin" time_is_exact
done
check "trace_clock: an update too late for steps back violates time_is_exact" \
	refuted trace_clock STEP=1 time_is_exact -DBACK=1 -DGAP=4
finish
