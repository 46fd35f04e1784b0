#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""recordings.py DIR strata|lttng - prints how many events a recording's writers discarded: their own counts, which a flight recorder
keeps, too.  For app.sh; kernel_table.py uses the classes."""
import os
import re
import struct
import subprocess
import sys

PACKET_MAGIC = 0xC1FC1FC1
# Of a host where each instruction takes a nanosecond.
TSC_KHZ = "1000000"
# Where content_size lies in a packet, before packet_size and packet_seq_num, and where events_discarded does, behind them: in Strata's
# streams (docs/formats.md), and in LTTng's.
CONTENT_SIZE_AT = {"strata": 40, "lttng": 48}
# What LTTng calls Strata's events.
KINDS = ((r"syscall_entry_.*", "sys_enter"), (r"syscall_exit_.*", "sys_exit"), (r"irq_(softirq_.*)", r"\1"),
         (r"timer_(hrtimer_.*)", r"\1"), (r"power_(cpu_.*)", r"\1"))
LINE = re.compile(r"\[[^\]]*\] \(\S+\) \S+ (\w+): (.*)")


def kind_of(name):
    for pattern, kind in KINDS:
        if re.fullmatch(pattern, name):
            return re.sub(pattern, kind, name)
    return name


class Packets:
    """What the headers of a recording's packets say.

    lost     events that were discarded
    written  bytes that the writers filled, overwritten ones included
    whole    nothing was overwritten"""

    def __init__(self, directory, tracer):
        self.lost, self.written, self.whole = 0, 0, True
        for where, _, names in os.walk(directory):
            for name in names:
                with open(os.path.join(where, name), "rb") as file:
                    self._read(file.read(), tracer)

    def _read(self, stream, tracer):
        """The number of a ring's last packet says how many came before."""
        at, largest = 0, 0
        if len(stream) < 4 or struct.unpack_from("<I", stream)[0] != PACKET_MAGIC:
            return
        while at < len(stream):
            content, size, number, lost = struct.unpack_from("<QQQQ", stream, at + CONTENT_SIZE_AT[tracer])
            self.whole = self.whole and (at > 0 or number == 0)
            largest = max(largest, size // 8)
            at += size // 8
        self.written += number * largest + content // 8
        self.lost += lost


class Recording:
    """A recording of a program, which papers.sh started and nothing else runs.

    packets  what its packets say
    kinds    how many events of each kind lie between the program's execution and its exit; all, if no program is named"""

    def __init__(self, directory, tracer, program):
        if tracer == "xentrace":
            imported = os.path.join(directory, "imported")
            subprocess.run(["out/bin/strata", "import", os.path.join(directory, "xentrace"), "--force", "--tsc-khz", TSC_KHZ,
                            "-o", imported], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            directory, tracer = imported, "strata"
        self.packets, self.kinds = Packets(directory, tracer), {}
        self._count_events(directory, program)

    def events(self):
        return sum(self.kinds.values())

    def _count_events(self, directory, program):
        inside = not program
        with subprocess.Popen(["out/bin/strata", "convert", "--format", "babeltrace", directory], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as convert:
            for line in convert.stdout:
                event = LINE.match(line)
                if not event:
                    continue  # of discarded ones, which the packets count
                name, fields = event.groups()
                if name == "sched_process_exec" and f'bin/{program}"' in fields:
                    inside = True
                if inside:
                    kind = kind_of(name)
                    self.kinds[kind] = self.kinds.get(kind, 0) + 1
                if name == "sched_process_exit" and f'comm = "{program}"' in fields:
                    inside = False
        if convert.returncode not in (0, 3):
            raise ChildProcessError(f"strata convert: {directory}: status {convert.returncode}")


if __name__ == "__main__":
    print(Packets(sys.argv[1], sys.argv[2]).lost)
