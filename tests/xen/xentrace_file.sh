#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes tests/unit/data/host.xentrace again: Debian's xentrace records Debian's own Xen, in QEMU, and whole windows around the
# first lost records are kept.  Not a part of `make check`; to be started by hand, `tests/xen/xentrace_file.sh`.  The whole file
# stays in out/tests/xentrace_file/all.xentrace.

set -euo pipefail
# shellcheck source=tests/xen/debs.sh
. "$(dirname "${BASH_SOURCE[0]}")/debs.sh"

OUT=$top/out/tests/xentrace_file
BEFORE=24000 # bytes that are kept before the loss, and
AFTER=24000  # after it

mkdir -p "$OUT"
"$top/tests/xen/stock_xen.sh"
"$top/tests/xen/lab" "$top/tests/xen/xentrace_file.lab" --out "$OUT" --xen "$top/out/stock/xen.gz"
python3 - "$OUT/all.xentrace" "$top/tests/unit/data/host.xentrace" "$BEFORE" "$AFTER" <<'PYTHON'
import struct, sys

whole = open(sys.argv[1], 'rb').read()
before, after = int(sys.argv[3]), int(sys.argv[4])
loss = whole.find(struct.pack('<I', 0xc001f001))  # lost_records, with a time and four words
if loss < 0:
    sys.exit('no records were lost; record again')
windows, at = [], 0
while at + 12 <= len(whole):
    windows.append(at)
    at += 12 + struct.unpack_from('<I', whole, at + 8)[0]
first = max([w for w in windows if w <= max(loss - before, 0)])
last = min([w for w in windows + [len(whole)] if w >= min(loss + after, len(whole))])
open(sys.argv[2], 'wb').write(whole[first:last])
print(f'{sys.argv[2]}: {last - first} bytes of {len(whole)}')
PYTHON
