#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test runner, on a tree with three tests: one that hangs is reported as failed and killed with all processes that
# it started, and one that leaves a process behind does not delay the others. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/unit"
cp tests/run.sh tests/tap.sh "$work/tests"

# a_test NAME: its checks come from standard input.
a_test() {
	{
		echo '#!/bin/bash'
		echo '. tests/tap.sh'
		cat
	} >"$work/tests/unit/$1.sh"
	chmod +x "$work/tests/unit/$1.sh"
}
a_test test_hangs <<-'END'
	check "passes" true
	timeout 3000 bash -c 'echo $$ >"$0"; sleep 3000; true' "$top/hanging"
	finish
END
a_test test_leaves <<-'END'
	leave() { sleep 3000 & echo $! >"$top/left"; }
	check "leaves a process that has its output" leave
	finish
END
a_test test_fails <<-'END'
	check "fails" test a = b
	finish
END
# No program stands for the tests in C.
printf '#!/bin/bash\necho ok 1 - passes\necho 1..1\n' >"$work/program"
chmod +x "$work/program"
touch "$work/tests/unit/test_program.c"
mkdir -p "$work/out/tests"
cp "$work/program" "$work/out/tests/test_program"

# Nobody may have waited for it yet.
is_gone() { [ -s "$1" ] && ! grep -qs '^State:.[^Z]' "/proc/$(cat "$1")/status"; }
said() { grep -qxF -- "$1" "$work/said" || { cat "$work/said"; return 1; }; }

TEST_LIMIT_S=20 timeout 300 "$work/tests/run.sh" unit >"$work/said" 2>&1
check "a test that fails makes the whole fail" test $? = 1
check "each is counted, one that hangs as failed" said "3 passed, 2 failed"
check "what hangs is named" said "          test_hangs: status 137, 1 of 0 planned tests reported"
check "and how it hung is shown" grep -q 'sleep 3000' "$work/said"
check "what it had started has ended, too" is_gone "$work/hanging"
check "what a test left behind has ended" is_gone "$work/left"
check "a failure is shown" said "not ok 1 - fails"
# at_the_end PATTERN: what stands from "What failed:" on matches it.
at_the_end() { sed -n '/^What failed:$/,$p' "$work/said" | grep -q -- "$1"; }
check "and once more at the end" at_the_end '^  not ok 1 - fails'
check "and what hung as well" at_the_end '^  test_hangs: status 137'
rm "$work"/tests/unit/test_hangs.sh
timeout 300 "$work/tests/run.sh" unit,lttng >"$work/said" 2>&1
check "also of those that ran side by side" at_the_end '^  not ok 1 - fails'
finish
