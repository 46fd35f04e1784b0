#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A user's sources and streams, as many as his share of a recording allows, do not block `strata recover`: its time grows linearly,
# eight times as many take about eight times as long.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

# make_recording DIR SOURCES: each with 64 streams, of which nothing is written.
make_recording() {
	local number name streams files
	streams=$(for number in {0..63}; do printf '{"cpu":%s,"packets":0,"events":0,"lost":0,"bad_packets":0},' "$number"; done)
	mkdir "$1"
	for ((number = 0; number < $2; number++)); do
		name=app-many-$number
		mkdir "$1/$name"
		files=("$1/$name"/cpu_{0..63})
		: | tee "${files[@]}"
		printf '{"name":"%s","layer":"app","domain":0,"domain_name":"many","uuid":"00000000-0000-0000-0000-%012d",' "$name" "$number"
		printf '"pid":%s,"uid":%s,"since_ticks":1,"came_ticks":1,"streams":[%s],"events":[]},\n' "$((number + 2))" "$mallory" "${streams%,}"
	done >"$work/sources"
	{
		echo '{"format":"strata recording","version":1,"tsc_khz":1000000,"anchor_ticks":1,"anchor_realtime_ns":1,"sources":['
		sed '$ s/,$//' "$work/sources"
		echo ']}'
	} >"$1/recording.json"
}

# recover_ms SOURCES: CPU time in user mode, which the file system has no part in.
recover_ms() {
	local TIMEFORMAT=%U
	make_recording "$work/many" "$1"
	{ time "$strata" recover "$work/many" -o "$work/out" >"$work/recovered" 2>"$work/said"; } 2>"$work/time" || [ $? = 3 ] || return 1
	[ "$(grep -c '^Source:' "$work/recovered")" = "$1" ] || return 1
	rm -rf "$work/many" "$work/out"
	tr -d . <"$work/time" | sed 's/^0*//'
}

few=$(recover_ms 64)
many=$(recover_ms 512)
grows_with_them() {
	echo "# $few ms, then $many ms"
	[ -n "$few" ] && [ -n "$many" ] && [ "$many" -lt $((24 * (few + 1))) ]
}
check "recover takes eight times as long for eight times as many streams" grows_with_them
finish
