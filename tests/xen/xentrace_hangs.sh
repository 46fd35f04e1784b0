#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Shows the purpose of Strata: a host hangs when NMI handlers call xentrace's recording function, which takes a lock, but not when
# they call Strata's, under the same flood. Not part of `make check`, because it needs an extra boot; to be started by hand,
# `tests/xen/xentrace_hangs.sh`. Prints what it sees. Speaks TAP.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

OUT=out/tests/xentrace
LIMIT=150  # seconds, for all of it
SILENCE=20 # seconds without a word, where one comes each second

lab=
trap '[ -z "$lab" ] || kill "$lab" 2>/dev/null' EXIT

build_flood() {
	# shellcheck disable=SC2046 # several arguments
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude -Imerge -Idom0-tools \
		-Ixen-patch/src/common/strata tests/xen/helpers/flood.c out/build/{consumerd,merge}.a -o "$OUT/flood" \
		$(pkg-config --libs xencall xenforeignmemory xengnttab xenevtchn xenstore xentoollog json-c)
}

# Waits until the host has been silent for SILENCE seconds in its last flood; false: it came to an end before.
wait_for_silence() {
	local size last=-1 quiet=0
	while [ "$quiet" -lt "$SILENCE" ]; do
		sleep 1
		kill -0 "$lab" 2>/dev/null || return 1
		size=$(stat -c %s "$OUT/progress.log")
		if ! grep -q 'flood: xentrace takes' "$OUT/progress.log" || [ "$size" != "$last" ]; then
			quiet=0
		else
			quiet=$((quiet + 1))
		fi
		last=$size
	done
}

alive_before_and_not_after() {
	awk '/flood: xentrace takes/ { after = 1 } / alive/ { n[after + 0]++ }
		END { print n[0] + 0 " signs of life before it, " n[1] + 0 " after"; exit !(n[0] > 3 && n[1] < 5) }' "$OUT/progress.log"
}

passes() {
	grep -F "LAB > ok: $1" "$OUT/progress.log"
}

rm -rf "$OUT"
mkdir -p "$OUT"
check "the hypervisor for tests builds" xen-patch/build.sh --test
check "its tool builds" build_flood
"$here/lab" "$here/xentrace.lab" --out "$OUT" --limit "$LIMIT" --xen out/xen/test/xen >"$OUT/lab.log" 2>&1 &
lab=$!
sleep 2
hung=0
wait_for_silence || hung=1
kill "$lab" 2>/dev/null
wait "$lab" 2>/dev/null
lab=
sed -n 's/.*LAB > \(flood: .*\|alive\)\r*$/# dom0: \1/p' "$OUT/progress.log"
grep -a '(XEN) strata: ' "$OUT/console.log" | sed 's/\r//; s/^/# /'
check "a flood of NMIs that nobody records does no harm" passes "xentrace records, and a flood of NMIs does no harm"
check "nor does it when Strata records each NMI" passes "nor does it when Strata records each of them"
check "and Strata did" passes "and it did"
result "$hung" "when xentrace takes them, the host falls silent for $SILENCE s, and for good"
check "it was alive until then" alive_before_and_not_after
check "Xen names the CPU that waits for itself" grep -aE 'strata: an NMI on CPU[0-9]+ hit .* has been in __trace_var' "$OUT/console.log"
finish
