#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A xenstore with two domains, 0 and g1, for lists on a machine without Xen.

fake_xenstore.py HANG: does not answer while the file HANG exists."""
import os
import socket
import struct
import sys
import threading
import time

DIRECTORY, READ, ERROR = 1, 2, 16
HEADER = struct.Struct("<IIII")
NODES = {"/local/domain/0/name": b"Domain-0", "/local/domain/7/name": b"g1"}


def answer(kind, path):
    if kind == DIRECTORY and path == "/local/domain":
        return kind, b"0\0" + b"7\0"
    if kind == READ and path in NODES:
        return kind, NODES[path]
    return ERROR, b"ENOENT\0"


def serve(client):
    with client, client.makefile("rb") as requests:
        while header := requests.read(HEADER.size):
            kind, request, transaction, length = HEADER.unpack(header)
            path = requests.read(length).rstrip(b"\0").decode()
            while os.path.exists(sys.argv[1]):
                time.sleep(0.02)
            kind, text = answer(kind, path)
            try:
                client.sendall(HEADER.pack(kind, request, transaction, len(text)) + text)
            except BrokenPipeError:
                return


os.makedirs("/run/xenstored", exist_ok=True)
with socket.socket(socket.AF_UNIX) as listener:
    listener.bind("/run/xenstored/socket")
    listener.listen(16)
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
