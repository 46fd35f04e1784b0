#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `make bench-papers`: measures what the papers measure that Strata implements, and prints their tables (docs/papers.md). Everything
# is below out/bench/papers. Nothing here passes or fails by a figure. `run.sh TURNS` has other turns of the kernel than the file turns.
set -eu
cd "$(dirname "$0")/../../.."

here=tests/bench/papers
out=out/bench/papers
# Each of the clients executes so many lines of dbench's load file, and sleeps then.
LINES_OF_LOAD=3000
# Of each number of threads.
TURNS=3

# What dom0 runs: the programs with their libraries, and a compiler with files of the project, preprocessed.
make_programs() {
	local tree=$out/kernel/programs program

	mkdir -p $tree/bin $tree/lib $tree/sources
	for program in calls counted; do
		gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -static $here/$program.c -o $tree/bin/$program
	done
	for program in dbench tbench tbench_srv as "$(gcc -print-prog-name=cc1)"; do
		program=$(command -v "$program")
		cp -L "$program" $tree/bin/
		ldd "$program" | grep -o '/[^ ]*' | xargs cp -L -t $tree/lib
	done
	for program in error escape histogram put_text; do
		gcc -E -P -std=gnu11 -D_GNU_SOURCE -O2 -Iinclude -Imerge merge/base/$program.c -o $tree/sources/$program.i
	done
	cat >$tree/bin/compile <<-'END'
		#!/bin/sh -e
		# Compiles each source, as make does.
		for source in /tmp/programs/sources/*.i; do
			cc1 -quiet -O2 -fpreprocessed "$source" -o /tmp/compiled.s
			as /tmp/compiled.s -o /tmp/compiled.o
		done
	END
	chmod +x $tree/bin/compile
	{
		head -n $LINES_OF_LOAD /usr/share/dbench/client.txt
		echo "Sleep 8000000 NT_STATUS_OK"
	} >$out/kernel/load.txt
}

# What is timed on this machine: primitives, and threads of applications in turns with LTTng-UST.
time_here() {
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -falign-functions=64 -falign-loops=64 -Iinclude \
		tests/bench/primitives.c -o $out/primitives -lpthread
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror $here/false_sharing.c -o $out/false_sharing -lpthread
	echo "bench: what tracers are made of, and threads that trace" >&2
	{
		$out/primitives
		$out/false_sharing
		tests/bench/app.sh $out $TURNS 1 2 8
	} >$out/timed
}

# What is counted in dom0 of an emulated host, by the turns in file $1.
count_in_dom0() {
	local dir=$out/kernel

	mkdir -p $dir/lttng
	tests/lttng/build.sh
	cp -r out/lttng/{bin,lib,share} $dir/lttng/
	make --no-print-directory -C guest-kmod >$out/build.log
	cp out/kmod/strata.ko $dir/
	tests/bench/kernel/build.sh $dir locked irqs_off
	make_programs
	cp "$1" $dir/turns
	echo "bench: a host that counts instructions boots" >&2
	tests/xen/lab $here/papers.lab --out $dir --limit 900 </dev/null >$dir/lab.log 2>&1 || {
		tail -n 20 $dir/lab.log >&2
		return 1
	}
}

rm -rf $out
mkdir -p $out
time_here
count_in_dom0 "${1-$here/turns}"
{
	$here/timed_table.py $out/timed
	echo
	$here/kernel_table.py $out/kernel
} | tee $out/table
