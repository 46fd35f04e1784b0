#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""timeline_attack.py ADDRESS - asks the server of `strata timeline` for what it must not give: under other names, with
other secrets, by other methods, in broken and endless requests.  None of the answers may hold anything of the traces."""
import socket
import sys
import urllib.parse

address = urllib.parse.urlsplit(sys.argv[1])
host, port, path = "127.0.0.1", address.port, address.path
good = "%s:%d" % (host, port)


def ask(request, wait=20):
    """The bytes that come back, up to the end; a server that hangs is found by the limit."""
    with socket.create_connection((host, port), timeout=wait) as connection:
        try:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        answer = b""
        while True:
            try:
                more = connection.recv(65536)
            except ConnectionError:
                break
            if not more:
                break
            answer += more
    return answer


def get(target, host_header=good, method="GET", body=b"", extra=""):
    head = "%s %s HTTP/1.1\r\n%s%sConnection: close\r\n\r\n" % (
        method, target, "Host: %s\r\n" % host_header if host_header is not None else "", extra)
    return ask(head.encode("latin-1") + body)


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else 0


def refused(answer, what):
    assert status(answer) != 200, what + ": was answered"
    assert b"strata-meta" not in answer and b"levels" not in answer, what + ": has something of the traces"
    assert len(answer) < 4096, what


assert status(get(path)) == 200 and b"strata-meta" in get(path)
assert status(get(path, host_header="localhost:%d" % port)) == 200
answer = get(path, method="HEAD")
assert status(answer) == 200 and b"strata-meta" not in answer
for header in b"Cache-Control: no-store", b"X-Content-Type-Options: nosniff", b"Referrer-Policy: no-referrer":
    assert header in answer, header

for name in "evil.example", "evil.example:%d" % port, "127.0.0.1", "127.0.0.1:1", "[::1]:%d" % port, "", good + ".evil", None:
    refused(get(path, host_header=name), "host %s" % name)
secret = path.strip("/")
for wrong in ("/", "/" + "0" * 32 + "/", path[:-2] + "/", "/" + secret[:-1] + ("0" if secret[-1] != "0" else "1") + "/", "/" + secret,
              path + "../" + secret + "/etc/passwd", path + "chunk/", path + "chunk/-1", path + "chunk/99999999999999999999999",
              path + "chunk/0x1", path + "chunk/1/", path + "nothing", "/meta", "/chunk/0", "//" + secret + "/",
              "/%2e%2e/" + secret + "/", path + "/", path.upper() if path.upper() != path else "/x"):
    refused(get(wrong), wrong)
for method in "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X" * 100:
    refused(get(path, method=method, body=b"hello", extra="Content-Length: 5\r\n"), method)
refused(get(path, extra="A: " + "a" * 100000 + "\r\n"), "a long header")
refused(get(path, extra="".join("H%d: x\r\n" % i for i in range(20000))), "many headers")
refused(get("/" + "a" * 200000), "a long address")
refused(ask(b"GET " + path.encode() + b" HTTP/9.9\r\n\r\n"), "a version that there is not")
refused(ask(b"\0\xff" * 5000), "no request at all")
refused(ask(b"GET"), "a request that ends")
get(path, method="POST", body=b"1" * (8 << 20), extra="Content-Length: %d\r\n" % (8 << 20))

# Connections that say nothing leave room for one that does, or are closed for it: no more than a limit are held.
idle = []
for _ in range(200):
    try:
        idle.append(socket.create_connection((host, port), timeout=20))
    except OSError:
        break
for connection in idle:
    connection.close()
for _ in range(100):
    answer = get(path)
    if status(answer) == 200:
        break
assert status(answer) == 200, "connections that said nothing are in the way"
print("refused all")
