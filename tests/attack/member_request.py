# SPDX-License-Identifier: GPL-2.0-or-later
"""member_request.py - requests to root's stratad, as its members send them; imported by attacks of members."""
import json
import socket
import time


def ask(request):
    """The reply to a request, which is sent again while stratad serves as many as it may."""
    while True:
        with socket.socket(socket.AF_UNIX) as one:
            one.connect("/run/strata/members.sock")
            try:
                one.sendall(json.dumps(request).encode() + b"\n")
                with one.makefile() as lines:
                    reply = json.loads(lines.readline())
            except (BrokenPipeError, ConnectionResetError):
                continue
        if "serves as many requests" not in reply.get("message", ""):
            return reply
        time.sleep(0.002)
