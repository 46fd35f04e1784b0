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
# Labs are not, either, until their hosts have ended: what a test does then is beside the next one's host.  The unit test ends when
# both have begun; and it gives way to them.
rm "$work"/tests/unit/test_*.sh
a_test xen/test_{first,second}.sh <<-'END'
	touch "runs-$(basename "$0")" "$(basename "$0")"
	alone() { mkdir lab && sleep 0.5 && rmdir lab; }
	check "is alone" alone
	check "gives way to nobody" test "$(nice)" = "$(cat nice)"
	leave_lab
	there() { until [ -e test_first.sh ] && [ -e test_second.sh ]; do sleep 0.02; done; }
	check "meets the other one when it has left" there
	rm "runs-$(basename "$0")"
	finish
END
a_test unit/test_beside.sh <<-'END'
	touch "runs-$(basename "$0")"
	there() { until [ -e test_first.sh ] && [ -e test_second.sh ] && [ -e test_names.sh ]; do sleep 0.02; done; }
	check "is beside both, and an attack" there
	check "gives way" test "$(nice)" -gt "$(cat nice)"
	rm "runs-$(basename "$0")"
	finish
END
# Attacks run beside others, each with users of its own, unless they need a quiet machine.
a_test attack/world.sh <<<'exec "$@"'
a_test attack/test_{names,world}.sh <<-'END'
	touch "runs-$(basename "$0")" "$(basename "$0")"
	own() { mkdir "attacker-$ATTACKER" && sleep 0.5 && rmdir "attacker-$ATTACKER"; }
	check "no other attack has its users" own
	rm "runs-$(basename "$0")"
	finish
END
a_test attack/test_{list,search}.sh <<-'END'
	quiet() { ! ls -d attacker-* runs-* 2>/dev/null; }
	alone() { mkdir quiet && quiet && sleep 0.5 && quiet && rmdir quiet; }
	check "is alone" alone
	finish
END
# These wait most of the time.
a_test attack/test_{disk,dying}.sh <<-'END'
	touch "calm-$ATTACKER"
	quiet() { ! ls -d attacker-* runs-* quiet 2>/dev/null; }
	both() { until [ "$(find . -maxdepth 1 -name 'calm-*' | wc -l)" = 2 ]; do sleep 0.02; done; }
	beside() { quiet && both && sleep 0.5 && quiet; }
	check "is beside its like alone, with users of its own" beside
	finish
END
nice >"$work/nice"
TEST_LIMIT_S=60 TEST_JOBS=6 timeout 300 "$work/tests/run.sh" unit attack xen >"$work/said" 2>&1
check "labs boot one by one, what runs beside labs gives way, and attacks have users of their own and quiet where they need it" said "15 passed, 0 failed"
check "tests of all kinds have names of their own" said "  TEST    xen_test_second"

# One that is killed, having left the lab or not, gives it back once.
rm "$work"/tests/{xen,attack}/test_*.sh "$work"/tests/unit/test_*.sh
a_test xen/test_{a,b,c,d}.sh <<-'END'
	touch "$(basename "$0")"
	alone() { mkdir lab && sleep 0.5 && rmdir lab; }
	check "is alone" alone
	case $0 in
	*_a.sh) leave_lab && until [ -e test_b.sh ]; do sleep 0.02; done && kill -KILL $$ ;;
	*_b.sh) kill -KILL $$ ;;
	esac
	finish
END
TEST_LIMIT_S=60 TEST_JOBS=4 timeout 300 "$work/tests/run.sh" xen >"$work/said" 2>&1
check "tests that are killed do not keep the lab" said "4 passed, 2 failed"

# What stands behind --build waits for `make TARGET`, which runs beside a lab. A build that fails is one failure, and ends that.
rm "$work"/tests/xen/test_*.sh
cp tests/build.sh "$work/tests"
printf '%s:\n\t@%s\n' good 'until [ -e in-lab ]; do sleep 0.02; done; cp program out/tests/test_program; touch built' \
	bad 'echo no rule; false' >"$work/Makefile"
rm "$work/out/tests/test_program"
touch "$work/tests/unit/test_program.c"
a_test xen/test_lab.sh <<-'END'
	touch in-lab
	there() { until [ -e "$1" ]; do sleep 0.02; done; }
	check "builds beside a lab" there built
	finish
END
a_test unit/test_built.sh <<-'END'
	check "waits for the build" test -e built
	finish
END
TEST_LIMIT_S=60 TEST_JOBS=3 timeout 300 "$work/tests/run.sh" xen --build good unit >"$work/said" 2>&1
check "what waits for a build runs behind it" said "4 passed, 0 failed"
rm "$work/built"
TEST_LIMIT_S=60 timeout 300 "$work/tests/run.sh" --build bad unit >"$work/said" 2>&1
check "a build that fails makes the whole fail" test $? = 1
check "it is counted, and nothing runs behind it" said "0 passed, 1 failed"
check "what it said is shown" grep -q "^no rule" "$work/said"
"$work/tests/run.sh" nosuch >"$work/said" 2>&1
check "an unknown kind is refused" test $? = 2

# `make quick` runs what is over soon.
rm "$work"/tests/{xen,unit}/test_*.sh
a_test unit/test_{names,idle}.sh <<<'check "passes" true; finish'
"$work/tests/run.sh" brief >"$work/said" 2>&1
check "long tests are left out of the brief ones" said "2 passed, 0 failed"
"$work/tests/run.sh" unit >"$work/said" 2>&1
check "and are not left out of the unit tests" said "3 passed, 0 failed"
finish
