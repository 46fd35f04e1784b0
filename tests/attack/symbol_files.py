# SPDX-License-Identifier: GPL-2.0-or-later
"""symbol_files.py STRATA DIR NR KIND: makes NR recordings of a kernel in domain 0 in that directory, whose events have an address of a
function, schedule. Each has a file of symbols, by KIND:

    sparse  schedule, and then a hole: 64 MiB, of which the disk has 4 KiB
    lines   as many symbols as 64 MiB can have
    links   the same, but all are links of one file
    small   schedule alone
"""
import os
import pathlib
import struct
import subprocess
import sys

WINDOW, EVENT, TIMED = 0x2001F003, 0x0002F001, 0x80000000  # of a file of xentrace
ADDRESS = 0xFFFFFFFF81000005
SYMBOLS_BYTES = 64 << 20  # as many as are read

strata, directory, nr, kind = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
directory.mkdir()


def replace(path, *pairs):
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def write_symbols(path):
    first = directory / "0" / path.name
    if kind == "links" and path != first:
        os.link(first, path)
        return
    with open(path, "wb") as symbols:
        symbols.write(b"ffffffff81000000 T schedule\n")
        if kind == "sparse":
            symbols.truncate(SYMBOLS_BYTES)
        while kind in ("lines", "links") and symbols.tell() < SYMBOLS_BYTES - (1 << 20):
            symbols.write(b"f t a\n" * 65536)


for i in range(nr):
    raw = directory / str(i)
    records = b"".join(struct.pack("<IQQ", EVENT | TIMED | 2 << 28, 1000000 + 100 * i + j, ADDRESS) for j in range(12))
    (directory / "file").write_bytes(struct.pack("<III", WINDOW, 0, len(records)) + records)
    options = ["--tsc-khz", "2400000", "--anchor", "1700000000"]
    subprocess.run([strata, "import", directory / "file", "-o", raw, *options], check=True, stdout=subprocess.DEVNULL)
    replace(raw / "recording.json", ('"layer":"xen","domain":32754', '"layer":"kernel","domain":0'))
    replace(
        raw / "xen" / "metadata",
        ('layer = "xen"', 'layer = "kernel"'),
        ("domain_id = 32754", "domain_id = 0"),
        (" _domain;", " _of;"),
        (" _vcpu;", " _on;"),
        ("size = 32; align = 32; signed = false; base = 16; } _words[2];", "size = 64; align = 32; signed = false; base = 16; } _ip;"),
    )
    write_symbols(raw / "dom0.kallsyms")
(directory / "file").unlink()
