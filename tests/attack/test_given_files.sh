#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A message can carry descriptors, and closing a file can take as long as its creator likes (a lingering TCP connection). The
# recorder never waits for that, whether it receives such a message, refuses its sender or ends.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

# As before Linux 6.16, when a socket could not refuse them.
LD_PRELOAD=$bin/takes_files.so begin given --app all
attack linger 40
check "a program is recorded beside 40 lingering files" as "$victim" timeout 60 $bin/victim 100 0
# Beyond his share of connections: they are refused.
attack silent 300
attack linger 40
check "and when their senders are refused" as "$victim" timeout 60 $bin/victim 100 0
end_recording
end_attacks
check "the recording ends" is "$((status == 0 || status == 3))" 1
check "all events of both" is "$(readable_steps given)" 200
check "the recorder says what it was sent" said given 'it sends descriptors'
finish
