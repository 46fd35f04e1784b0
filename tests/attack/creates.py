# SPDX-License-Identifier: GPL-2.0-or-later
"""creates.py MODEL ROUNDS: as a member of the group tracing who has three sessions, creates four more at once; prints the largest number of
sessions that he had.  MODEL: a session of root's stratad, as JSON"""
import concurrent.futures
import contextlib
import json
import socket
import sys
import time

PAUSE_S = 0.015  # a connection counts for 10 ms after its reply


def begin(request):
    one = socket.socket(socket.AF_UNIX)
    one.connect("/run/strata/members.sock")
    with contextlib.suppress(BrokenPipeError):  # finish() sees that, too
        one.sendall(json.dumps(request).encode())
    return one


def finish(one):
    """The reply; None: the connection was refused, because earlier ones still count."""
    try:
        one.sendall(b"\n")
        with one.makefile() as lines:
            reply = json.loads(lines.readline())
    except (BrokenPipeError, ConnectionResetError):
        return None
    return None if "try again" in reply.get("message", "") else reply


def ask(request):
    while True:
        time.sleep(PAUSE_S)
        reply = finish(begin(request))
        if reply:
            return reply


def create(name):
    return {"verb": "create", "session": dict(model, name=name)}


with open(sys.argv[1], encoding="utf-8") as file:
    model = json.load(file)
model["rotation"] = {"bytes": 0, "ms": 0, "keep": 0}
del model["output"]
most = 0
for _ in range(int(sys.argv[2])):
    for session in ask({"verb": "status"})["sessions"]:
        ask({"verb": "destroy", "name": session["model"]["name"]})
    for i in range(3):
        ask(create(f"early{i}"))
    time.sleep(PAUSE_S)
    together = [begin(create(f"late{i}")) for i in range(4)]
    time.sleep(PAUSE_S)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(finish, together))
    time.sleep(PAUSE_S)
    most = max(most, len(ask({"verb": "status"})["sessions"]))
print(most)
