# SPDX-License-Identifier: GPL-2.0-or-later
"""lingering.py REFUSED: opens as many connections to root's stratad as a member may, and REFUSED more.  In each of those it sends a TCP
connection whose last close waits for ten minutes (SO_LINGER); when it gets a line, in the first ones, too.  stratad must not read
meanwhile, or the last close is ours."""
import array
import socket
import struct
import sys

ADDRESS = "/run/strata/members.sock"
MEMBER_CONNECTIONS = 4


def lingering(kept):
    """A connection that cannot send all that it has, because nobody reads."""
    listener = socket.create_server(("127.0.0.1", 0))
    one = socket.create_connection(listener.getsockname())
    kept += [listener, listener.accept()]
    one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 600))
    one.setblocking(False)
    try:
        while True:
            one.send(bytes(65536))
    except BlockingIOError:
        return one


def connect():
    one = socket.socket(socket.AF_UNIX)
    one.connect(ADDRESS)
    return one


def send(one, file, text, kept):
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()]))]
    try:
        one.sendmsg([text], rights)
    except OSError:
        kept.append(file)  # it was refused before that; our own close would wait
        return
    file.close()


kept = []
files = [lingering(kept) for _ in range(int(sys.argv[1]))]
served = [connect() for _ in range(MEMBER_CONNECTIONS)]
for file in files:
    kept.append(connect())
    send(kept[-1], file, b"{", kept)
print("refused", flush=True)
sys.stdin.readline()
for one in 4 * served:
    send(one, lingering(kept), b" ", kept)
print("sent", flush=True)
sys.stdin.readline()
