#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The README's tutorial, word by word: its program and its commands, run ten times. Each time every event of the program is
# recorded. Only the directories of the installation and the recording differ.
# shellcheck source=tests/tap.sh
. tests/tap.sh
strata=out/bin/strata
work=$(mktemp -d)
# shellcheck source=tests/unit/recorder.sh
. tests/unit/recorder.sh
trap 'rm -rf "$work"' EXIT

# The indented block of the README that begins with a line of that kind, without its indentation.
block() { awk -v first="$1" '/^    / { if (on || index($0, first) == 5) { on = 1; print substr($0, 5) } next } on { if ($0 != "") exit; print "" }' README.md; }

block '/* server.c */' | sed '/^make tools install/,$d' >"$work/server.c"
block 'make tools install' | sed '/^ *#  *time/,$d; s/ *# as any user.*$//; s|/tmp/|'"$work"'/|g' >"$work/all"
sed '/^make tools install/d; /^strata/d' "$work/all" >"$work/build"
sed -n '/^strata/p' "$work/all" >"$work/commands"

check "the README has a program" grep -q 'STRATA_TRACE(server, request_begin' "$work/server.c"
check "and commands that record it" grep -q '^strata record .* -- ./server$' "$work/commands"

export PREFIX=$work/prefix
install_here() { make -s tools install PREFIX="$PREFIX" >"$work/install.log" 2>&1 || { cat "$work/install.log"; return 1; }; }
check "it can be installed" install_here
export PATH=$PREFIX/bin:$PATH LD_LIBRARY_PATH=$PREFIX/lib LIBRARY_PATH=$PREFIX/lib CPATH=$PREFIX/include
build() { (cd "$work" && bash -e build); }
check "the program can be built as it says" build

# as_told: the commands, as they stand; another test's recorder may be in the way for a while.
as_told() {
	local end=$((SECONDS + limit_s))
	while :; do
		rm -rf "$work/served"
		(cd "$work" && bash -e commands) >"$work/out" 2>&1 && break
		if ! grep -q 'as many as there can be' "$work/out" || [ "$SECONDS" -ge "$end" ]; then
			sed 's/^/# /' "$work/out"
			return 1
		fi
		sleep 0.2
	done
	[ "$(grep -c ' request_\(begin\|end\) ' "$work/out")" = 200 ] || {
		echo "# $(grep -c ' request_\(begin\|end\) ' "$work/out") of 200 events"
		return 1
	}
}
for i in 1 2 3 4 5 6 7 8 9 10; do
	check "time $i: the timeline shows every event of the program" as_told
done
finish
