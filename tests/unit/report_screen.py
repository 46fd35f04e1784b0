#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""report_screen.py COMMAND... - runs `strata report --live` on a terminal of 12 lines and 60 columns, makes it larger and then
presses Ctrl-C, and prints what is wrong with what the terminal was told: each time all lines that fit, and nothing else.
Ends with 1 then."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

LIMIT_S = 300
FRAME = re.compile(r"\x1b\[\?7l(\x1b\[2J)?\x1b\[H(.*?)\x1b\[J\x1b\[\?7h", re.S)
wrong = []


def set_size(terminal, lines, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))


pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    # Until the size is set.
    os.read(0, 1)
    os.execvp(sys.argv[1], sys.argv[1:])
set_size(terminal, 12, 60)
os.write(terminal, b"\n")
told, step, end = "", 0, time.monotonic() + LIMIT_S
larger_at = None
while time.monotonic() < end:
    if terminal in select.select([terminal], [], [], 1)[0]:
        try:
            read = os.read(terminal, 65536)
        except OSError:
            break
        if not read:
            break
        told += read.decode(errors="replace")
    frames = list(FRAME.finditer(told))
    if step == 0 and len(frames) >= 3:
        step, larger_at = 1, len(frames)
        set_size(terminal, 50, 200)
    elif step == 1 and any(frame.group(1) for frame in frames[larger_at:]):
        step = 2
        os.write(terminal, b"\x03")
else:
    wrong.append("it did not end")
    os.kill(pid, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
frames = list(FRAME.finditer(told))
if status != 0 or step != 2:
    wrong.append("status %d after %d frames, step %d: %r" % (status, len(frames), step, told[-500:]))
for i, frame in enumerate(frames):
    lines = re.split(r"\r+\n", frame.group(2))
    most = 12 if larger_at is None or i < larger_at else 50
    if len(lines) > most:
        wrong.append("frame %d has %d lines" % (i, len(lines)))
    # The last one is where the cursor stays.
    if any(not line.endswith("\x1b[K") for line in lines if line):
        wrong.append("frame %d: a line leaves what was there: %r" % (i, lines))
    if re.search(r"[\x00-\x1f\x7f]", re.sub(r"\x1b\[K", "", "".join(lines))):
        wrong.append("frame %d has control characters: %r" % (i, lines))
if frames and not frames[0].group(1):
    wrong.append("the first frame is drawn over what was there")
if not any(" to " in frame.group(2) and "requests: " in frame.group(2) for frame in frames):
    wrong.append("no frame has a report: %r" % told[-2000:])
if not any("more lines" in frame.group(2) for frame in frames):
    wrong.append("nothing was too long for the first size")
if frames and "\x1b" in told[frames[-1].end():]:
    wrong.append("the last report is not left on the screen: %r" % told[frames[-1].end():])
print("%d frames, status %d" % (len(frames), status))
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
