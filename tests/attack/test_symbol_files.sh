#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of symbols of foreign recordings do not take the memory of a command that reads them beside another trace: neither mostly holes, nor
# full of symbols, nor links of one file. That trace's addresses have their names meanwhile.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

make() { python3 tests/attack/symbol_files.py "$strata" "$@"; }
check "24 foreign recordings are made" make $work/sparse 24 sparse
check "they take 4 MiB on the disk at most" test "$(du -sk $work/sparse | cut -f1)" -le 4096
make $work/lines 10 lines
make $work/links 10 links
make $work/own 1 small
mv $work/own/0/xen $work/own/0/mine
sed -i 's/"name":"xen"/"name":"mine"/' $work/own/0/recording.json

# peak PATH...: the memory that showing them takes, in MiB.
peak() {
	python3 - "$strata" view "$@" <<-'EOF'
		import resource, subprocess, sys
		subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
	EOF
}
# named PATH...: how many events of the own trace have the name of their address.
named() { timeout 60 "$strata" view "$@" 2>$work/said | grep ' mine ' | grep -c 'schedule+0x5'; }

check "a trace is shown with its symbols" is "$(named $work/own)" 12
alone=$(peak $work/own)
check "one trace takes some MiB" test "$alone" -lt 100
for kind in sparse lines links; do
	check "$kind: so it is beside them" is "$(named $work/$kind $work/own)" 12
	check "$kind: with the others, 256 MiB more at most" test "$(peak $work/$kind $work/own)" -lt $((alone + 256))
done
"$strata" view $work/lines/0 >$work/shown 2>$work/said
check "symbols for which there is no room are named once" is "$? $(grep -c 'no memory is left for its symbols' $work/said)" "3 1"
check "their addresses are shown as numbers" is "$(grep -c 'ip=0xffffffff81000005' $work/shown)" 12
"$strata" view --filter 'ip == 1' $work/lines/0 >/dev/null 2>$work/said
check "where no address is shown, they are not read" is "$? $(grep -c 'symbols' $work/said)" "0 0"
finish
