#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_list.py CLIENT DIRECTORY - runs CLIENT (client.c) with a program in place of `stratad --list` that gives replies which are
cut off or of wrong types, and then hundreds that differ from a good one in a few bytes.

Prints a line for each case: "ok CASE", or "not ok CASE: why"."""
import os
import random
import re
import subprocess
import sys
import time

from hostile_reply import but, line, mutate

MUTATIONS = 500

# Answers the Nth request with the file N.
ANSWER = """#!/bin/sh
read -r number <"$HOSTILE/next"
echo $((number + 1)) >"$HOSTILE/next"
read -r request
exec cat "$HOSTILE/$number" >&0
"""

FIELD = {"name": "number", "type": "u64"}
EVENT = {"name": "plain", "group": "test", "loglevel": "warning", "format": "%d", "fields": [FIELD, {"name": "t", "type": "text", "count": 8}]}
APP = {"pid": 7, "name": "nginx", "uid": 33, "answers": True, "nr_events": 3, "events": [EVENT]}
CHANNEL = {"channel": 0, "state": "recording", "owner": "recorder 0", "refused": 2**63}
XEN = {
    "version": "4.17",
    "abi": 7,
    "cpus": 2,
    "tsc_khz": 2000000,
    "channels": [CHANNEL],
    "classes": [{"name": "sched", "what": "scheduler"}],
    "events": [{"name": "evtchn_send", "class": "evtchn", "fields": [FIELD]}],
}
KERNEL = {"domain": 1, "name": "g1", "version": 10, "state": "ready", "rings": 2, "ring_bytes": 2**40, "nr_events": 1, "channels": [CHANNEL], "events": [EVENT]}
GOOD = {"status": 0, "message": "fine", "hypervisor": XEN, "domains": [KERNEL, {"domain": 2, "name": "g2", "why_not": "no module"}], "applications": [APP]}


def with_app(**changes):
    return line(but(GOOD, applications=[but(APP, **changes)]))


def with_event(**changes):
    return with_app(events=[but(EVENT, **changes)])


CASES = [
    ("a good list", line(GOOD), r"0 1 fine"),
    ("a list with nothing", line({"status": 0}), r"0 0 "),
    ("what was listed in spite of a failure", line(but(GOOD, status=1)), r"1 1 fine"),
    ("no list", b"", r"-1 0 cannot list: the connection was closed"),
    ("half a list", line(GOOD)[:300], r"-1 0 cannot list: the connection was closed"),
    ("no JSON", b"hello\n", r"-1 0 cannot list: not a JSON object"),
    ("a status of another type", line(but(GOOD, status="0")), r'-1 0 cannot list: "status" is not a whole number'),
    ("a hypervisor of another type", line(but(GOOD, hypervisor=[])), r'-1 0 cannot list: "hypervisor" is not an object'),
    ("a version of another type", line(but(GOOD, hypervisor=but(XEN, version=4))), r'-1 0 cannot list: hypervisor: "version" is not a string'),
    ("a class of another type", line(but(GOOD, hypervisor=but(XEN, classes=["sched"]))), r'-1 0 cannot list: hypervisor: "classes" has an entry'),
    ("domains of another type", line(but(GOOD, domains={})), r'-1 0 cannot list: "domains" is not an array'),
    ("a large domain", line(but(GOOD, domains=[but(KERNEL, domain=2**40)])), r'-1 0 cannot list: domains 0: "domain" is over'),
    ("a channel of another type", line(but(GOOD, domains=[but(KERNEL, channels=[1])])), r'-1 0 cannot list: domains 0: "channels" has an entry'),
    ("an application of another type", line(but(GOOD, applications=[APP, 7])), r'-1 0 cannot list: "applications" has an entry'),
    ("a negative pid", with_app(pid=-1), r'-1 0 cannot list: applications 0: "pid"'),
    ("an answer of another type", with_app(answers=1), r'-1 0 cannot list: applications 0: "answers" is neither'),
    ("an event with a wrong group", with_event(group=[]), r'-1 0 cannot list: applications 0: events 0: "group" is not a string'),
    ("a field of another type", with_event(fields=["x"]), r'-1 0 cannot list: applications 0: events 0: "fields" has an entry'),
    ("a field with a wrong number", with_event(fields=[but(FIELD, count=-1)]), r'-1 0 cannot list: applications 0: events 0: fields 0: "count"'),
]


def ask(client, directory, replies):
    """The lines that the client prints of its calls, and how it ended."""
    for number, reply in enumerate(replies):
        with open(f"{directory}/{number}", "wb") as out:
            out.write(reply)
    with open(f"{directory}/next", "w", encoding="ascii") as out:
        out.write("0\n")
    environment = {**os.environ, "HOSTILE": directory}
    command = [client, "apps", f"{directory}/answer", str(len(replies)), "60000"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", timeout=500)
    return [text for text in done.stdout.split("\n") if re.match(r"-?\d \d+ ", text)], done


def main():
    client, directory = sys.argv[1:]
    seed = int(os.environ.get("HOSTILE_SEED", time.time()))
    random.seed(seed)
    with open(f"{directory}/answer", "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o755)) as out:
        out.write(ANSWER)
    said, done = ask(client, directory, [reply for _, reply, _ in CASES])
    for number, (name, _, pattern) in enumerate(CASES):
        answer = said[number] if number < len(said) else f"the client ended with {done.returncode}: {done.stderr[:600]!r}"
        print(f"ok {name}" if re.match(pattern, answer) else f"not ok {name}: {answer}")
    said, done = ask(client, directory, [mutate(line(GOOD)) for _ in range(MUTATIONS)])
    taken = sum(answer.startswith("0 ") for answer in said)
    name = f"{MUTATIONS} lists with random changes (HOSTILE_SEED={seed})"
    well = done.returncode == 0 and len(said) == MUTATIONS and 0 < taken < MUTATIONS
    print(f"ok {name}" if well else f"not ok {name}: {len(said)} answers, {taken} taken; {done.stderr[:600]!r}")


main()
