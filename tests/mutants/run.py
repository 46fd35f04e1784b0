#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the tests against mutants: small bugs made on purpose, which the tests must notice.

    tests/mutants/run.py [WORD...]     all mutants, or those whose line holds one of the words
    tests/mutants/run.py --check       only whether each pattern is where it belongs
    tests/mutants/run.py --fresh       forgets what earlier runs found

The catalogue is tests/mutants/*.txt; a mutant is a line:

    FILE :: PATTERN :: REPLACEMENT :: TESTS
    FILE :: PATTERN :: REPLACEMENT :: TESTS :: survives: REASON

PATTERN occurs exactly once in FILE; \\n, \\t and \\\\ stand for what they do in C.  TESTS are asked
one after the other until one fails, which kills the mutant:

    NAME            tests/unit/test_NAME.c
    alone:NAME      the same, for a mutant of a header whose code the test has all in itself: the
                    library that it is linked with stays as it was
    check:NAME      tests/check/test_check_NAME.c
    fuzz:NAME       tests/fuzz/fuzz_NAME.c, a few mutations
    sh:NAME         tests/unit/test_NAME.sh

The work is done in a copy of the tree, out/mutants/tree, where make builds only what a mutant
changes.  What a run found is in out/mutants/log; the next run takes it from there while the
mutant, its file and its tests are the same.  A test that does not end counts as failed.

Status 0: each mutant was killed, or has a reason to survive.  1: some survived.  2: the catalogue
does not fit the tree, a mutant does not compile, or a test fails without any.
"""
import fcntl
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "mutants")
WORK = os.path.join(ROOT, "out", "mutants")
TREE = os.path.join(WORK, "tree")
LOG = os.path.join(WORK, "log")

SEEDED = ["build", "bin", "lib", "tests"]  # of out/: what is built already need not be built again
FUZZ_MUTATIONS = {"recorder": "8000", "writer": "20000"}
# A test has so many times as long as without a mutant, but at least so many seconds.
PATIENCE, PATIENCE_S = 4, 60


class Mutant:
    def __init__(self, place, line):
        parts = line.split(" :: ")
        if len(parts) not in (4, 5) or (len(parts) == 5 and not parts[4].startswith("survives: ")):
            sys.exit(f"{place}: expected FILE :: PATTERN :: REPLACEMENT :: TESTS [:: survives: REASON]")
        self.place, self.line = place, line
        self.file = parts[0]
        self.pattern, self.replacement = unescape(parts[1]), unescape(parts[2])
        self.tests = parts[3].split()
        self.reason = parts[4][len("survives: ") :] if len(parts) == 5 else None

    def shown(self):
        return f"{self.place}: {' :: '.join(self.line.split(' :: ')[:3])}"


def unescape(text):
    return re.sub(r"\\([nt\\])", lambda m: {"n": "\n", "t": "\t", "\\": "\\"}[m[1]], text)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def load_catalogue():
    mutants = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".txt"):
            continue
        for number, line in enumerate(read(os.path.join(HERE, name)).split("\n"), 1):
            if line.strip() and not line.startswith("#"):
                mutants.append(Mutant(f"{name}:{number}", line))
    return mutants


def check_catalogue(mutants):
    """Each pattern must be in its file, once.  Returns how many are not."""
    stale = 0
    for mutant in mutants:
        path = os.path.join(ROOT, mutant.file)
        found = read(path).count(mutant.pattern) if os.path.exists(path) else 0
        if found != 1 or mutant.pattern == mutant.replacement:
            print(f"stale: the pattern is {found} times in its file: {mutant.shown()}")
            stale += 1
        for test in mutant.tests:
            if not os.path.exists(os.path.join(ROOT, source_of(test))):
                print(f"stale: there is no {source_of(test)}: {mutant.shown()}")
                stale += 1
    return stale


def source_of(test):
    kind, _, name = test.rpartition(":")
    return {
        "check": f"tests/check/test_check_{name}.c",
        "fuzz": f"tests/fuzz/fuzz_{name}.c",
        "sh": f"tests/unit/test_{name}.sh",
    }.get(kind, f"tests/unit/test_{name}.c")


def command_of(test):
    """The targets of make for a test, and how it is run."""
    kind, _, name = test.rpartition(":")
    if kind == "check":
        return [f"out/tests/check/test_check_{name}"], [f"out/tests/check/test_check_{name}"]
    if kind == "fuzz":
        program = f"out/tests/fuzz/fuzz_{name}"
        return [program], [program, "--mutations", FUZZ_MUTATIONS[name]]
    if kind == "sh":
        # Of one that is ended, nothing that it started stays: recorders, of which there are eight.
        return ["tools", "test-programs"], ["tests/own_processes.sh", f"tests/unit/test_{name}.sh"]
    return [f"out/tests/test_{name}"], [f"out/tests/test_{name}"]


def copy_tree():
    """Brings the copy up to date; what did not change keeps its time, and is not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True).stdout.decode().split("\0")
    files = {name for name in listed if name and os.path.isfile(os.path.join(ROOT, name))}
    os.makedirs(TREE, exist_ok=True)
    for directory, names, found in os.walk(TREE):
        if directory == TREE and "out" in names:
            names.remove("out")
        for name in found:
            path = os.path.join(directory, name)
            if os.path.relpath(path, TREE) not in files:
                os.remove(path)
    for name in sorted(files):
        source, to = os.path.join(ROOT, name), os.path.join(TREE, name)
        if os.path.exists(to) and open(source, "rb").read() == open(to, "rb").read():
            continue
        os.makedirs(os.path.dirname(to), exist_ok=True)
        # One that was there may be a mutant that an interrupted run left, and built.
        (shutil.copy if os.path.exists(to) else shutil.copy2)(source, to)
    for name in SEEDED:
        source, to = os.path.join(ROOT, "out", name), os.path.join(TREE, "out", name)
        if os.path.isdir(source) and not os.path.exists(to):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            subprocess.run(["cp", "-a", source, to], check=True)
    if not os.path.isdir(os.path.join(TREE, ".git")):
        # The Makefile asks git for its files; the copy is nobody's working tree.
        subprocess.run(["git", "init", "-q", TREE], check=True)


def make(test, mutated):
    """Builds a test in the copy.  Returns what went wrong, or None."""
    command = ["make", "-s", f"-j{os.cpu_count()}", "WARNINGS=-w", *command_of(test)[0]]
    if mutated and test.startswith("alone:"):
        for part in ("strata", "stratad", "consumerd", "merge", "libtests"):
            command += ["-o", f"out/build/{part}.a"]
    done = subprocess.run(command, cwd=TREE, capture_output=True, text=True, errors="replace")
    return None if done.returncode == 0 else done.stdout + done.stderr


def run(test, seconds):
    """Runs a test in the copy.  Returns whether it passed, and why not."""
    with open(os.path.join(WORK, "output"), "wb") as output:
        # Programs that were linked in the original tree look for libraries there.
        environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(TREE, "out", "lib"))
        child = subprocess.Popen(command_of(test)[1], cwd=TREE, stdout=output, stderr=output,
                                 stdin=subprocess.DEVNULL, start_new_session=True, env=environment)
        try:
            status = child.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return False, f"it did not end in {seconds} s"
    # A script that speaks TAP ends with 0 whatever it found.
    failed = re.search(r"^not ok .*", read(os.path.join(WORK, "output")), re.MULTILINE)
    return status == 0 and not failed, failed.group(0) if failed else f"status {status}"


def time_without(test, took):
    """How long a test takes without a mutant, where it must pass; asked once."""
    if test not in took:
        wrong = make(test, False)
        if wrong:
            print(wrong)
            sys.exit(2)
        began = time.monotonic()
        passed, why = run(test, 1800)
        took[test] = time.monotonic() - began
        if not passed:
            print(read(os.path.join(WORK, "output"))[-4000:])
            print(f"{test} fails without a mutant: {why}")
            sys.exit(2)
    return took[test]


def try_mutant(mutant, took):
    """Returns ("killed", by what), ("survived", None) or ("broken", why)."""
    path = os.path.join(TREE, mutant.file)
    original = read(path)
    for test in mutant.tests:
        time_without(test, took)
    with open(path, "w", encoding="utf-8") as file:
        file.write(original.replace(mutant.pattern, mutant.replacement))
    try:
        for test in mutant.tests:
            wrong = make(test, True)
            if wrong:
                return "broken", wrong
            passed, why = run(test, max(PATIENCE_S, int(PATIENCE * time_without(test, took))))
            if not passed:
                return "killed", f"{test}, {why}"
        return "survived", None
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(original)


def key_of(mutant):
    """What a result depends on, as far as it is easily told."""
    digest = hashlib.sha1(" :: ".join(mutant.line.split(" :: ")[:4]).encode())
    for name in [mutant.file] + [source_of(test) for test in mutant.tests]:
        digest.update(read(os.path.join(TREE, name)).encode())
    return digest.hexdigest()[:16]


def load_log():
    known = {}
    if os.path.exists(LOG):
        for line in read(LOG).split("\n"):
            parts = line.split("\t")
            if len(parts) >= 3:
                known[parts[0]] = (parts[1], parts[2])
    return known


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("-")]
    options = [word for word in sys.argv[1:] if word.startswith("-")]
    if not set(options) <= {"--check", "--fresh"}:
        print(__doc__.strip())
        return 0 if options in (["--help"], ["-h"]) else 2
    mutants = [m for m in load_catalogue() if not words or any(word in m.line for word in words)]
    if check_catalogue(mutants):
        sys.exit(2)
    if "--check" in sys.argv:
        print(f"{len(mutants)} mutants: each pattern is once in its file")
        return 0
    os.makedirs(WORK, exist_ok=True)
    lock = open(os.path.join(WORK, "lock"), "w", encoding="utf-8")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run works in {TREE}; wait for it, or end it")
    if "--fresh" in sys.argv and os.path.exists(LOG):
        os.remove(LOG)
    known = load_log()
    # Of the tree as it is now: it may be worked on meanwhile, and the copy stays.
    copy_tree()
    keys = {mutant: key_of(mutant) for mutant in mutants}
    left = [mutant for mutant in mutants if keys[mutant] not in known]
    took, broken = {}, 0
    for number, mutant in enumerate(left, 1):
        began = time.monotonic()
        result, what = try_mutant(mutant, took)
        if result == "broken":
            print(what)
            print(f"does not compile: {mutant.shown()}", flush=True)
            broken += 1
            continue
        print(f"  {number}/{len(left)} {result} in {time.monotonic() - began:.0f} s"
              f"{' by ' + what if what else ''}: {mutant.shown()}", flush=True)
        known[keys[mutant]] = (result, what or "")
        with open(LOG, "a", encoding="utf-8") as log:
            log.write(f"{keys[mutant]}\t{result}\t{what or ''}\t{mutant.shown()}\n")
    if broken:
        print(f"{broken} mutants do not compile")
        return 2
    return sum_up(mutants, [known[keys[mutant]][0] for mutant in mutants])


def sum_up(mutants, results):
    killed = [m for m, result in zip(mutants, results) if result == "killed"]
    survived = [m for m, result in zip(mutants, results) if result != "killed"]
    for mutant in killed:
        if mutant.reason:
            print(f"killed, though it has a reason to survive: {mutant.shown()}")
    for mutant in survived:
        print(f"survived{' (' + mutant.reason + ')' if mutant.reason else ''}: {mutant.shown()}")
    unexplained = [m for m in survived if not m.reason]
    print(f"{len(killed)} killed, {len(survived) - len(unexplained)} survived with a reason, "
          f"{len(unexplained)} survived")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
