# SPDX-License-Identifier: GPL-2.0-or-later
"""triggers.py SESSION SECONDS: as a member of the group tracing, adds and removes triggers of his session over several connections at
once, and starts and stops it meanwhile; prints how many requests of each kind stratad granted."""
import collections
import concurrent.futures
import itertools
import json
import sys
import time

from member_request import ask

name, end = sys.argv[1], time.monotonic() + float(sys.argv[2])
granted = collections.Counter()


def do(verb, **members):
    granted[verb] += ask({"verb": verb, "name": name, **members})["status"] == 0


def change(number):
    """Adds triggers of different names, each of which would count in a process of its own."""
    for turn in itertools.count():
        if time.monotonic() > end:
            return
        one = f"t{number}-{turn % 3}"
        do("add-trigger", trigger={"name": one, "spec": "count", "xen": [{"text": "sched"}]})
        do("remove-trigger", trigger=one)


def restart():
    """A start is refused while the session has too many triggers."""
    while time.monotonic() < end:
        do("stop")
        before = granted["start"]
        while granted["start"] == before and time.monotonic() < end:
            do("start")
        time.sleep(0.1)


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for work in [pool.submit(change, number) for number in range(3)] + [pool.submit(restart)]:
        work.result()
print(json.dumps(granted))
