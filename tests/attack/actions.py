# SPDX-License-Identifier: GPL-2.0-or-later
"""actions.py SESSION SECONDS OTHER...: as a member of the group tracing, rotates and clears his session over several connections at once,
and the OTHER sessions, which are not his; prints as JSON how many of both stratad granted, and the seconds that it took."""
import concurrent.futures
import json
import sys
import time

from member_request import ask

own, seconds, others = sys.argv[1], float(sys.argv[2]), sys.argv[3:]
began = time.monotonic()


def act(verb, names):
    """How many were granted, of how many requests."""
    granted = asked = 0
    while time.monotonic() < began + seconds:
        for name in names:
            granted += ask({"verb": verb, "name": name})["status"] != 1
            asked += 1
    return granted, asked


with concurrent.futures.ThreadPoolExecutor(4) as pool:
    mine = [pool.submit(act, verb, [own]) for verb in ("rotate", "rotate", "clear")]
    theirs = pool.submit(act, "rotate", others)
    result = {
        "granted": sum(one.result()[0] for one in mine),
        "asked": sum(one.result()[1] for one in mine),
        "of_others": theirs.result()[0],
    }
print(json.dumps({**result, "seconds": time.monotonic() - began}))
