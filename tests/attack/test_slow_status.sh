#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# However many programs a user has had recorded, `strata status` costs another user no event.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# status: what the recorder answers to `strata status`.
status() {
	python3 -c '
import socket, sys
with socket.socket(socket.AF_UNIX) as recorder:
    recorder.connect(sys.argv[1])
    recorder.sendall(b"status\n")
    print(recorder.makefile().readline().split(" ", 1)[1])' /run/strata/recorder-*.sock
}

LD_PRELOAD=$bin/slow_status.so begin described --app all --app-buffer 16Kx8
# shellcheck disable=SC2016 # its user's shell expands it
check "a user has 300 programs recorded" as "$mallory" bash -c 'for _ in {1..300}; do "$0" 1 0 || exit 1; done' $bin/victim
victimise 40000 20
for _ in 1 2 3; do
	status >"$work/status"
	sleep 0.2
done
check "the status has some of them" test "$(jq '.sources | length' "$work/status")" -gt 10
check "and counts the others" test "$(jq '(.sources | length) + .not_shown' "$work/status")" -ge 300
check "a program is recorded meanwhile" victim_ends
end_recording
check "no event is lost" is "$(steps described)" 40300
finish
