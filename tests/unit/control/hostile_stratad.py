#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hostile_stratad.py CLIENT - listens in place of stratad, and gives CLIENT (client.c) replies that are cut off, too long, too
deep or of wrong types, and then thousands that differ from a good one in a few bytes.

Prints a line for each case: "ok CASE", or "not ok CASE: why"."""
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time

from hostile_reply import but, line, mutate

SOCKET = "/run/strata/stratad.sock"
MUTATIONS = 2000

MODEL = {
    "strata_session": 2,
    "name": "web",
    "output": "/srv/web",
    "channels": [{"name": "channel0", "app": {"rules": [{"target": "nginx", "text": "request*"}]}}],
}
STATUS = {
    "recording": "/srv/web/recording-1",
    "recorder": 3,
    "seconds": 7,
    "events": 2**63 + 5,
    "bytes": 4096,
    "lost": 0,
    "snapshots": 0,
    "disk_was_full": False,
    "sources": [{"name": "app-nginx", "layer": "app", "events": 12, "lost": 0, "ended": True}],
    "waiting": [{"target": "apache", "why": "no such program is connected yet"}],
    "not_shown": 0,
}
CHANNEL = {"name": "channel0", "records": True, "process": 77, "recording": "/srv/web/recording-1", "status": STATUS}
SESSION = {"model": MODEL, "recording": "/srv/web/recording-1", "channels": [CHANNEL]}
GOOD = {"status": 0, "current": "web", "message": "fine", "notes": ["one", "two"], "sessions": [SESSION]}


def with_session(**changes):
    return but(GOOD, sessions=[but(SESSION, **changes)])


def with_model(**changes):
    return with_session(model=but(MODEL, **changes))


def with_channel(**changes):
    return with_session(channels=[but(CHANNEL, **changes)])


def with_figures(**changes):
    return with_channel(status=but(STATUS, **changes))


def with_rules(rules):
    return with_model(channels=[{"name": "channel0", "app": {"rules": rules}}])


# The case, what the client gets, and what it must print.
CASES = [
    ("a good reply", line(GOOD), r"0 1 fine"),
    ("a session alone", line(but(GOOD, sessions=[{"model": MODEL, "channels": [{}]}], message=..., notes=..., current=...)), r"0 1 $"),
    ("no session", line(but(GOOD, sessions=[])), r"0 0 fine"),
    ("nothing", b"", r"-1 0 stratad: the connection was closed; `strata status` shows"),
    ("half a message", line(GOOD)[:100], r"-1 0 stratad: the connection was closed"),
    ("a message without its newline", line(GOOD)[:-1], r"-1 0 stratad: the connection was closed"),
    ("an empty line", b"\n", r"-1 0 stratad: not a JSON object"),
    ("garbage", b"\x01\x02\xff\n", r"-1 0 stratad: not a JSON object"),
    ("invalid UTF-8", b'{"status": 0, "message": "\xff\xfe"}\n', r"-1 0 stratad: not a JSON object"),
    ("two objects on a line", b"{}{}\n", r"-1 0 stratad: "),
    ("an array", b"[0]\n", r"-1 0 stratad: not a JSON object"),
    ("a deep reply", b'{"status":' + b"[" * 100000 + b"]" * 100000 + b"}\n", r"-1 0 stratad: not a JSON object: nesting too deep"),
    ("a deep session", b'{"status":0,"sessions":' + b"[" * 40 + b"]" * 40 + b"}\n", r"-1 0 stratad: not a JSON object: nesting"),
    ("no status", line(but(GOOD, status=...)), r'-1 0 stratad: "status" is not a whole number'),
    ("a status of another type", line(but(GOOD, status="0")), r'-1 0 stratad: "status" is not a whole number'),
    ("a negative status", line(but(GOOD, status=-1)), r'-1 0 stratad: "status" is not a whole number'),
    ("a large status", line(but(GOOD, status=256)), r'-1 0 stratad: "status" is over 255'),
    ("an unknown status", line(but(GOOD, status=9)), r"1 0 fine"),
    ("a refusal", line({"status": 1, "message": "no \u001b[31m\u0007\u202e such session"}), r"1 0 no \?\[31m\?\?+ such session"),
    ("a message of another type", line(but(GOOD, message=[1])), r'-1 0 stratad: "message" is not a string'),
    ("notes of another type", line(but(GOOD, notes="x")), r'-1 0 stratad: "notes" is not an array'),
    ("a note of another type", line(but(GOOD, notes=["x", 1])), r"-1 0 stratad: note 1 is not a string"),
    ("many notes", line(but(GOOD, notes=["x"] * 100000)), r"0 1 fine"),
    ("a zero byte in a message", line(but(GOOD, message="a\0b")), r"0 1 a$"),
    ("no sessions", line(but(GOOD, sessions=...)), r'-1 0 stratad: "sessions" is missing'),
    ("sessions of another type", line(but(GOOD, sessions={})), r'-1 0 stratad: "sessions" is not an array'),
    ("a session of another type", line(but(GOOD, sessions=[SESSION, 7])), r'-1 0 stratad: "sessions" has an entry'),
    ("null for a session", line(but(GOOD, sessions=[None])), r'-1 0 stratad: "sessions" has an entry'),
    ("no model", line(with_session(model=...)), r'-1 0 stratad: session 0: "model" is missing'),
    ("a model of another type", line(with_session(model=[])), r"-1 0 stratad: session 0: a session is not an object"),
    ("another version", line(with_model(strata_session=3)), r"-1 0 stratad: session 0: .*version 3"),
    ("an unknown member", line(with_model(colour=1)), r'-1 0 stratad: session 0: unknown member "colour"'),
    ("a model without a name", line(with_model(name=...)), r'-1 0 stratad: session 0: "name" is not a string'),
    ("a long name", line(with_model(name="x" * 100000)), r"-1 0 stratad: session 0: "),
    ("a model without a directory", line(with_model(output=...)), r'-1 0 stratad: session 0: "output" is missing'),
    ("channels of another type", line(with_model(channels=3)), r'-1 0 stratad: session 0: .*"channels"'),
    ("a long rule", line(with_rules([{"target": "a", "text": "x" * 2000}])), r"-1 0 stratad: session 0: "),
    ("too many rules", line(with_rules([{"target": "a", "text": str(i)} for i in range(300)])), r"-1 0 .*over 256"),
    ("more channels than the model has", line(with_session(channels=[CHANNEL] * 2)), r'-1 0 stratad: session 0: the model has 1 channels'),
    ("too many channels", line(with_model(channels=[{"name": str(i)} for i in range(9)])), r"-1 0 stratad: session 0: .*over 8"),
    ("a channel of another type", line(with_session(channels=[7])), r'-1 0 stratad: session 0: "channels" has an entry'),
    ("records of another type", line(with_channel(records=1)), r'-1 0 stratad: session 0: channel 0: "records" is neither'),
    ("a process of another type", line(with_channel(process="x")), r'-1 0 stratad: session 0: channel 0: "process"'),
    ("a large process", line(with_channel(process=2**40)), r'-1 0 stratad: session 0: channel 0: "process" is over'),
    ("an unknown end", line(with_channel(records=False, ended="melted")), r'-1 0 stratad: session 0: channel 0: "ended"'),
    ("a consumer that was killed", line(with_channel(records=False, ended="killed", status=...)), r"0 1 fine"),
    ("figures of another type", line(with_channel(status=[])), r'-1 0 stratad: session 0: channel 0: "status" is not an object'),
    ("negative figures", line(with_figures(events=-5)), r'-1 0 stratad: session 0: channel 0: "events"'),
    ("broken figures", line(with_figures(events=1.5)), r'-1 0 stratad: session 0: channel 0: "events"'),
    ("sources of another type", line(with_figures(sources={"a": 1})), r'-1 0 stratad: session 0: channel 0: "sources"'),
    ("a source of another type", line(with_figures(sources=["x"])), r'-1 0 stratad: session 0: channel 0: "sources" has an entry'),
    ("a source with a wrong name", line(with_figures(sources=[{"name": 5}])), r'-1 0 stratad: session 0: channel 0: source 0: "name"'),
    ("an empty source", line(with_figures(sources=[{}])), r"0 1 fine"),
    ("waits of another type", line(with_figures(waiting=[[]])), r'-1 0 stratad: session 0: channel 0: "waiting" has an entry'),
    ("a wait with a wrong reason", line(with_figures(waiting=[{"why": None}])), r'-1 0 stratad: session 0: channel 0: wait 0: "why"'),
    ("a reply in single bytes", "slowly", r"0 1 fine"),
    ("a reply that does not end", "endless", r"-1 0 stratad: a message of over 268435456 bytes"),
    ("a good reply after all", line(GOOD), r"0 1 fine"),
]

# The client waits shortly for these.
LATE = [
    ("no reply", "mute", r"-1 0 stratad: Connection timed out"),
    ("half a reply, then none", "half", r"-1 0 stratad: Connection timed out"),
    ("a reply in time", line(GOOD), r"0 1 fine"),
]


def serve(connection, reply, ended):
    try:
        while b"\n" not in connection.recv(65536):
            pass
        if reply == "slowly":
            for byte in line(GOOD):
                connection.send(bytes([byte]))
        elif reply == "endless":
            while True:
                connection.sendall(b"x" * (1 << 20))
        elif reply in ("mute", "half"):
            connection.sendall(b"" if reply == "mute" else line(GOOD)[:50])
            ended.wait(60)
        else:
            connection.sendall(reply)
    except OSError:
        pass
    connection.close()


def serve_all(listener, replies, ended):
    for reply in replies:
        # A client that has no whole reply when the connection is closed asks once more.
        for _ in range(2 if isinstance(reply, bytes) and b"\n" not in reply else 1):
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, reply, ended), daemon=True).start()


def ask(client, listener, replies, limit_ms):
    """What the client prints to each reply, and how it ended."""
    ended = threading.Event()
    threading.Thread(target=serve_all, args=(listener, replies, ended), daemon=True).start()
    done = subprocess.run([client, "status", str(len(replies)), str(limit_ms)], capture_output=True, text=True, timeout=500)
    ended.set()
    return done.stdout.splitlines(), done


def check(client, listener, cases, limit_ms):
    said, done = ask(client, listener, [reply for _, reply, _ in cases], limit_ms)
    for number, (name, _, pattern) in enumerate(cases):
        answer = said[number] if number < len(said) else f"the client ended with {done.returncode}: {done.stderr[:600]!r}"
        print(f"ok {name}" if re.match(pattern, answer) else f"not ok {name}: {answer}")


def main():
    seed = int(os.environ.get("HOSTILE_SEED", time.time()))
    random.seed(seed)
    os.makedirs(os.path.dirname(SOCKET), mode=0o711, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(SOCKET)
        listener.listen(64)
        check(sys.argv[1], listener, CASES, 60000)
        check(sys.argv[1], listener, LATE, 300)
        said, done = ask(sys.argv[1], listener, [mutate(line(GOOD)) for _ in range(MUTATIONS)], 5000)
        name = f"{MUTATIONS} replies with random changes (HOSTILE_SEED={seed})"
        taken = sum(answer.startswith("0 ") for answer in said)
        well = done.returncode == 0 and len(said) == MUTATIONS and 0 < taken < MUTATIONS
        print(f"ok {name}" if well else f"not ok {name}: {len(said)} answers, {taken} taken; {done.stderr[:600]!r}")
    os.unlink(SOCKET)


main()
