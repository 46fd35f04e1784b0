#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libstrata exports only the symbols of strata/tracepoint.h and strata/printf.h. A program whose functions have the
# same names as libstrata's internal ones can still be linked and traced. A program and a libstrata of different
# versions do not start together. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/public" <<-'END'
	strata_app_context_word
	strata_app_ready
	strata_app_register
	strata_app_register_printf
	strata_app_rings
	strata_app_unregister
	strata_app_write_long
	strata_app_write_short
END
# Versions and the names of versions are left out.
shared() { nm -D --defined-only out/lib/libstrata.so | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
static() { nm --defined-only --extern-only out/lib/libstrata.a | awk 'NF == 3 { print $3 }' | sort; }
check "libstrata.so exports what is public, and nothing else" diff "$work/public" <(shared)
check "and so does libstrata.a" diff "$work/public" <(static)
declared() { cat include/strata/{tracepoint,printf}.h | tr -c 'a-z_' '\n' | grep -x "$1"; }
all_are_declared() {
	local name
	while read -r name; do
		declared "$name" || { echo "$name is not declared"; return 1; }
	done <"$work/public"
}
check "the headers declare each" all_are_declared

# Functions that the parts of libstrata share have these names.
nm --defined-only --extern-only out/lib/*.o | awk 'NF == 3 { print $3 }' | grep -v '^strata_app_' | sort -u >"$work/private"
check "libstrata has functions of its own" grep -q registry_lock "$work/private"
{
	echo '#include <stdlib.h>'
	echo '#include <strata/tracepoint.h>'
	echo 'STRATA_EVENT(symbols, begin, strata_u32(number));'
	while read -r name; do
		echo "void $name(void); void $name(void) { abort(); }"
	done <"$work/private"
	echo 'int main(void) { STRATA_TRACE(symbols, begin, 1); return 0; }'
} >"$work/program.c"
runs_with() {
	gcc -O2 -Wall -Wextra -Werror -Iinclude "$work/program.c" -o "$work/program" "$@" -lpthread && "$work/program"
}
check "a program has functions of these names, and libstrata.so calls its own" runs_with -Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib"
check "and so does libstrata.a" runs_with out/lib/libstrata.a

# A library of the version before, and a program that was linked with it.
mkdir "$work/before" "$work/alone" "$work/renamed" "$work/older"
cat >"$work/older.c" <<-'END'
	#include <strata/tracepoint.h>
	uint64_t strata_app_context_get(void);
	uint64_t strata_app_context_get(void) { return 0; }
	void strata_app_register(struct strata_tracepoint *tracepoint) { (void)tracepoint; }
	void strata_app_unregister(struct strata_tracepoint *tracepoint) { (void)tracepoint; }
	void strata_app_ready(void) {}
END
echo 'STRATA_1 { global: strata_app_*; local: *; };' >"$work/older.map"
gcc -O2 -Wall -Wextra -Werror -Iinclude -fPIC -shared -Wl,-soname,libstrata.so.1 "-Wl,--version-script,$work/older.map" \
	"$work/older.c" -o "$work/before/libstrata.so.1"
echo '#include <stdint.h>
uint64_t strata_app_context_get(void);
int main(void) { return (int)strata_app_context_get(); }' >"$work/older_program.c"
gcc -O2 -Wall -Wextra -Werror "$work/older_program.c" -o "$work/older_program" "$work/before/libstrata.so.1"
# refused DIRECTORY PROGRAM PATTERN: the program does not start with the library in there, and the reason is said.
refused() {
	local said status=0
	said=$(LD_LIBRARY_PATH=$1 "$2" 2>&1) || status=$?
	{ grep -q "$3" <<<"$said" && [ "$status" != 0 ]; } || { echo "status $status: $said"; return 1; }
}
check "a program of the version before runs with its library" env "LD_LIBRARY_PATH=$work/before" "$work/older_program"
soname=$(readelf -d out/lib/libstrata.so | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
ln -s "$PWD/out/lib/libstrata.so" "$work/alone/$soname"
check "beside a new one only, it is refused" refused "$work/alone" "$work/older_program" 'libstrata.so.1: cannot open'
ln -s "$PWD/out/lib/libstrata.so" "$work/renamed/libstrata.so.1"
check "also with a new one under the old name" refused "$work/renamed" "$work/older_program" "version .STRATA_1' not found"
cp "$work/before/libstrata.so.1" "$work/older/$soname"
check "a program is linked with the library's number" runs_with -Lout/lib -lstrata "-Wl,-rpath,$PWD/out/lib"
gcc -O2 -Iinclude "$work/program.c" -o "$work/program" -Lout/lib -lstrata -lpthread
check "it is refused beside a library of the version before" refused "$work/older" "$work/program" \
	"version .STRATA_${soname##*.}' not found"
finish
