# SPDX-License-Identifier: GPL-2.0-or-later
"""Events of recordings and traces, merged on one timeline, as `strata view --json` writes them."""
import json
import os
import shutil
import subprocess
import tempfile

# Longest line of an event.
LINE_BYTES = 64 << 20

# Options of `strata view` that select, or change what an event has.
_OPTIONS = {"event", "source", "layer", "domain", "vcpu", "cpu", "process", "filter", "from", "to", "symbols", "tcp_map", "threads", "delay", "late"}


class ReadError(Exception):
    """The traces could not be read.  The text is that of `strata view`."""


class Events:
    """Iterates over events.  It holds one event at a time: the command waits while nobody reads.

    At the end, partial tells whether something was damaged or missing, which messages name."""

    def __init__(self, paths, live=False, losses=False, command=None, **options):
        self.partial = False
        self.messages = []
        self._losses = losses
        self._process = None
        arguments = [command or shutil.which("strata"), "view", "--json"]
        if not arguments[0]:
            raise ReadError("the strata command is not in PATH; install it, or name it")
        if live:
            arguments.append("--live")
        for name, value in options.items():
            # A keyword of Python has an underscore behind it: from_="10s".
            option = name.rstrip("_")
            if option not in _OPTIONS:
                raise TypeError(f"read_events() has no argument {name}")
            arguments.append(f"--{option.replace('_', '-')}={_join(value)}")
        self._said = tempfile.TemporaryFile()
        self._process = subprocess.Popen(
            [*arguments, "--", *map(os.fspath, paths)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said
        )

    def __iter__(self):
        return self

    def __next__(self):
        while self._process:
            line = self._process.stdout.readline(LINE_BYTES + 1)
            if not line:
                self._end()
                break
            if len(line) > LINE_BYTES:
                self.close()
                raise ReadError(f"an event has over {LINE_BYTES} bytes")
            event = json.loads(line)
            if self._losses or "event" in event:
                return event
        raise StopIteration

    def close(self):
        """Ends the command.  Iteration stops."""
        process, self._process = self._process, None
        if process:
            process.kill()
            process.stdout.close()
            process.wait()
            self._said.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self.close()

    def _end(self):
        """Takes status and messages of the command, which has closed its output."""
        process, self._process = self._process, None
        process.stdout.close()
        status = process.wait()
        self._said.seek(0)
        self.messages = self._said.read().decode("utf-8", "replace").splitlines()
        self._said.close()
        self.partial = status == 3
        if status not in (0, 3):
            raise ReadError("\n".join(self.messages) or f"strata view ended with status {status}")


def _join(value):
    return str(value) if isinstance(value, (str, int)) else ",".join(map(str, value))


def read_events(*paths, **options):
    """Reads events of recordings of Strata, and of traces of any tracer, in the order of their times.

    paths: directories.  live: follows a recording that goes on.  losses: also objects without
    "event", which tell of discarded events.  command: path of the strata command.  Options of
    `strata view` select: event="request*", source=["app-nginx"], filter="id > 5", from_="10s"...

    Returns an Events, which yields dictionaries (docs/formats.md, "JSON lines").  Integers of over
    53 bits are strings in them."""
    return Events(paths, **options)
