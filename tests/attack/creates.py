# SPDX-License-Identifier: GPL-2.0-or-later
"""creates.py MODEL ROUNDS: as a member of the group tracing who has three sessions, creates four more at once; prints the largest number of
sessions that he had.  MODEL: a session of root's stratad, as JSON"""
import json
import socket
import sys
import time

PAUSE_S = 0.015  # a connection counts for 10 ms after its reply


def begin(request):
    one = socket.socket(socket.AF_UNIX)
    one.connect("/run/strata/members.sock")
    one.sendall(json.dumps(request).encode())
    return one


def finish(one):
    with one.makefile() as lines:
        return json.loads(lines.readline())


def ask(request):
    time.sleep(PAUSE_S)
    one = begin(request)
    one.sendall(b"\n")
    return finish(one)


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
    for one in together:
        one.sendall(b"\n")
    for one in together:
        finish(one)
    time.sleep(PAUSE_S)
    most = max(most, len(ask({"verb": "status"})["sessions"]))
print(most)
