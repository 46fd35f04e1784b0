#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The main use case on a real Xen: boots the host of demo.lab, records it, merges the recording and
# shows the timeline. Called by `make demo` and test_demo.sh: `demo.sh [--out DIR]`.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=out/demo
if [ "${1:-}" = --out ] && [ $# = 2 ]; then
	out=$2
elif [ $# != 0 ]; then
	echo "usage: demo.sh [--out DIR]" >&2
	exit 2
fi

tests/xen/kernel.sh
tests/xen/images.sh
rm -rf "$out/raw" "$out/ctf" "$out/timeline.txt" "$out/summary.json" "$out/answer.txt" "$out/timeline.html"
mkdir -p "$out"
gcc -O2 -Wall -Wextra -Werror -Iinclude tests/xen/helpers/server.c out/lib/libstrata.a -lxengnttab -lxenevtchn -o "$out/server"
echo "demo: booting a Xen host: g1 asks a service in dom0; g2 wants the same pCPU, and is paused for the second half; about two minutes"
tests/xen/lab tests/xen/demo.lab --out "$out"
echo
echo "demo: merging what was recorded into one timeline"
out/bin/strata merge "$out/raw" -o "$out" >"$out/merge.txt"
# From the application's notification to its acknowledgement of the answer, in g1's kernel, as in answer.py.
out/bin/strata timeline --request ask=probe_evtchn_ioctl,return_evtchn_write,tid -o "$out/timeline.html" "$out/raw"
echo
tests/xen/answer.py "$out" | tee "$out/answer.txt"
cat <<END

Look at it:  $out/timeline.html               # in a browser
             out/bin/strata why $out/raw      # the same for the service's own requests
             out/bin/strata report all $out/raw
             less -S $out/timeline.txt        # all events; $out/merge.txt says how they were ordered
             babeltrace2 $out/ctf
END
