#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user who starts programs in an endless loop cannot use up the inodes of a disk: other users get as many.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=tests/attack/hostile.sh
. "$(dirname "$0")/hostile.sh"

mount -t tmpfs -o size=64m,nr_inodes=700 disk "$work"

begin full --app all
attack come 500
check "one user's programs leave a third of the files at least" test "$(df --output=iavail "$work" | tail -1)" -ge 230
check "another user's program is recorded then" as "$victim" $bin/victim 2000 20
end_recording
check "it loses no event" is "$(readable_steps full)" 2000
check "the recorder says who had no more files" said full "user $mallory has created as many files as the disk still has free"
check "and that not all is recorded" test "$status" = 3
check "stat reads the recording" "$strata" stat "$work/full"
finish
