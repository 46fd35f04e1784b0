# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by drain.sh, and by a test.

# stream_bytes DIR: the bytes of all streams of the recording in DIR; 0 before the first is written.  The shell adds them up: mawk
# prints sums of 2^31 and more as 2.8e+09.
stream_bytes() {
	local size sum=0
	while read -r size; do
		sum=$((sum + size))
	done < <(find "$1" -mindepth 2 -maxdepth 2 -name 'cpu_*' -printf '%s\n' 2>/dev/null)
	echo "$sum"
}
