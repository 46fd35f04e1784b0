#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The test runner, on a tree with a few tests of its own: one that hangs is reported as failed and killed with all processes
# that it started, one that leaves a process behind does not delay the others, and tests that must not run at once do not.
# Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/tests/{unit,xen,attack}
cp tests/run.sh tests/own_processes.sh tests/tap.sh "$work/tests"

# a_test NAME...: their checks come from standard input.
a_test() {
	{
		echo '#!/bin/bash'
		echo '. tests/tap.sh'
		cat
	} | tee "${@/#/$work/tests/}" >/dev/null
	chmod +x "${@/#/$work/tests/}"
}
a_test unit/test_hangs.sh <<-'END'
	check "passes" true
	timeout 3000 bash -c 'echo $$ >"$0"; sleep 3000; true' "$top/hanging"
	finish
END
a_test unit/test_leaves.sh <<-'END'
	leave() { sleep 3000 & echo $! >"$top/left"; }
	check "leaves a process that has its output" leave
	finish
END
a_test unit/test_fails.sh <<-'END'
	check "fails" test a = b
	finish
END
# Called as one that starts a recorder, which would find the programs of other tests.
a_test unit/test_command.sh <<-'END'
	check "sees its own processes alone" test $$ = 1
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
check "each is counted, one that hangs as failed" said "4 passed, 2 failed"
check "what hangs is named" said "          test_hangs.sh: status 137, 1 of 0 planned tests reported"
check "and how it hung is shown" grep -q 'sleep 3000' "$work/said"
check "what it had started has ended, too" is_gone "$work/hanging"
check "what a test left behind has ended" is_gone "$work/left"
check "a failure is shown" said "not ok 1 - fails"
# at_the_end PATTERN: what stands from "What failed:" on matches it.
at_the_end() { sed -n '/^What failed:$/,$p' "$work/said" | grep -q -- "$1"; }
check "and once more at the end" at_the_end '^  not ok 1 - fails'
check "and what hung as well" at_the_end '^  test_hangs.sh: status 137'

# Beside a script of the same name, a program runs all the same.
rm "$work"/tests/unit/test_{hangs,command}.sh
mv "$work/tests/unit/test_leaves.sh" "$work/tests/unit/test_program.sh"
timeout 300 "$work/tests/run.sh" unit >"$work/said" 2>&1
check "a program and a script of one name both run" said "2 passed, 1 failed"

# Each waits for another one, which it gets only if they run at once.
rm "$work"/tests/unit/test_*.sh
a_test unit/test_{here,there}.sh <<-'END'
	touch "met-$(basename "$0")"
	met() { until [ -e met-test_here.sh ] && [ -e met-test_there.sh ]; do sleep 0.02; done; }
	check "meets the other one" met
	finish
END
# Two recorders are not: while one has the directory, the other one cannot make it.
a_test unit/test_{command,tutorial}.sh <<-'END'
	alone() { mkdir recorder && sleep 0.5 && rmdir recorder; }
	check "is alone" alone
	finish
END
TEST_LIMIT_S=60 TEST_JOBS=4 timeout 300 "$work/tests/run.sh" unit >"$work/said" 2>&1
check "tests run side by side, but recorders do not" said "5 passed, 0 failed"
# Nor are labs, of which the second has begun when the unit test ends; and that gives way to them.
rm "$work"/tests/unit/test_*.sh
a_test xen/test_{first,second}.sh <<-'END'
	alone() { mkdir lab && touch "$(basename "$0")" && sleep 0.5 && rmdir lab; }
	check "is alone" alone
	check "gives way to nobody" test "$(nice)" = "$(cat nice)"
	finish
END
a_test unit/test_beside.sh <<-'END'
	check "begins when the attacks are over" test "$(cat attacks)" = 2
	there() { until [ -e test_first.sh ] && [ -e test_second.sh ]; do sleep 0.02; done; }
	check "is beside both" there
	check "gives way" test "$(nice)" -gt "$(cat nice)"
	finish
END
# Beside an attack nothing runs at all.
a_test attack/world.sh <<<'exec "$@"'
a_test attack/test_{alone,lonely}.sh <<-'END'
	alone() { mkdir lab && sleep 0.5 && rmdir lab; }
	check "is alone" alone
	echo $(($(cat attacks) + 1)) >attacks
	finish
END
echo 0 >"$work/attacks"
nice >"$work/nice"
TEST_LIMIT_S=60 TEST_JOBS=3 timeout 300 "$work/tests/run.sh" attack xen unit >"$work/said" 2>&1
check "labs run one by one, what runs beside them gives way, and attacks are alone" said "10 passed, 0 failed"
check "tests of all kinds have names of their own" said "  TEST    xen_test_second"
finish
