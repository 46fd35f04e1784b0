#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The check of the tree's layers, on small trees that are correct, or wrong in one place. Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
layers=$PWD/tests/lint/layers.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# tree: a new one, where all is right.
tree() {
	rm -rf "$work/tree"
	mkdir -p "$work"/tree/{merge/base,merge/high,dom0-tools/tool,dom0-tools/library,tests/lint}
	cd "$work/tree" || exit 1
	printf '%s\n' '# lowest first' 'dom0-tools/library alone' merge/base 'merge/high # and why' dom0-tools/tool >tests/lint/layers.txt
	echo '#include <stdio.h>' >merge/base/base.h
	printf '#include "base/base.h"\n#include "high/high.h"\n' >merge/high/high.c
	echo '#include "base/base.h"' >merge/high/high.h
	echo '#include "high/high.h"' >dom0-tools/tool/tool.c
	echo '#include "library/library.h"' >dom0-tools/library/library.c
	echo '#include <strata/app.h>' >dom0-tools/library/library.h
}

# refused WORDS: the tree is, and that is why.
refused() {
	local said
	said=$("$layers" "$work/tree" 2>&1) && return 1
	echo "$said"
	grep -qF "$1" <<<"$said"
}

check "this tree keeps to its layers" "$layers" .
tree
check "a tree that is right passes" "$layers" "$work/tree"
echo '#include "high/high.h"' >>merge/base/base.h
check "an arrow that points up is refused, with its line" refused "merge/base/base.h:2: merge/base lies below merge/high"
tree
echo '	#  include "tool/tool.h"' >>merge/high/high.c
touch dom0-tools/tool/tool.h
check "merge/ knows nothing of dom0-tools/" refused "merge/high/high.c:3: merge/high may know nothing of dom0-tools/"
tree
echo '#include "high.h"' >merge/high/high.c
check "an include says the room" refused 'no room has "high.h"'
tree
mkdir merge/new
touch merge/new/new.c
check "a room that nobody placed is refused" refused "merge/new is not in tests/lint/layers.txt"
tree
touch merge/loose.c
check "a file that lies in no room is refused" refused "merge/loose.c: merge is not in"
tree
echo '#include "base/base.h"' >>dom0-tools/library/library.c
check "what stands alone includes nobody" refused "dom0-tools/library stands on public headers alone"
tree
rm merge/high/* dom0-tools/tool/*
check "a room that is empty is refused" refused "merge/high holds no C file"
tree
echo "merge/base twice" >>tests/lint/layers.txt
check "a line that says nothing known is refused" refused "only 'alone' may stand"
finish
