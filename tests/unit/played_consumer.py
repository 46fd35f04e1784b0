#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""played_consumer.py SESSION CHANNEL OUTPUT READY_FD: plays strata-consumerd for tests of stratad on machines without Xen: has the lock of
the channel or trigger, says that it records, and ends when stratad asks it to; one named stuck does not."""
import fcntl
import os
import signal
import struct
import sys

session, channel, _, ready = sys.argv[1:]
own = f"{session}:{channel}"
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
lock = os.open(f"/run/strata/session-{own}.lock", os.O_RDWR | os.O_CREAT, 0o600)
fcntl.fcntl(lock, fcntl.F_OFD_SETLK, struct.pack("hhqqi0q", fcntl.F_WRLCK, 0, 0, 0, 0))
os.write(lock, b"process %d" % os.getpid())
os.write(int(ready), b"x")
os.close(int(ready))
while channel == "stuck":
    signal.pause()
signal.sigwait([signal.SIGINT])
with open(f"/run/strata/sessions/{own}.ended", "w", encoding="ascii") as file:
    file.write("0")
