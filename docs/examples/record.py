#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""record.py DIRECTORY COMMAND... - records what a command's applications do while it runs, and shows
their events: what record.c does, in Python."""
import os
import subprocess
import sys

import strata


def record(directory, command):
    """Records while the command runs; the events are in the directory then."""
    with strata.Control(timeout=600) as control:
        session = control.create(f"record-{os.getpid()}", output=directory)
        try:
            session.set_channel("app", nr_subbufs=32)
            session.enable_event("app", "all", target=os.path.basename(command[0]))
            session.start()
            subprocess.run(command, check=True)
            reply = session.stop()
            print(*reply.notes, reply.message, sep="\n", file=sys.stderr)
        finally:
            session.destroy()


def main():
    if len(sys.argv) < 3:
        sys.exit("Usage: record.py DIRECTORY COMMAND...")
    try:
        record(sys.argv[1], sys.argv[2:])
        for event in strata.read_events(sys.argv[1]):
            print(event["time"], event["event"], event["fields"])
    except (strata.StrataError, strata.ReadError) as error:
        sys.exit(f"record.py: {error}")


main()
