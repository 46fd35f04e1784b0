#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# libstrata exports only the symbols of strata/tracepoint.h. A program whose functions have the same names as
# libstrata's internal ones can still be linked and traced. Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/public" <<-'END'
	strata_app_context_get
	strata_app_context_word
	strata_app_ready
	strata_app_register
	strata_app_reserve_commit
	strata_app_rings
	strata_app_unregister
END
# Versions and the names of versions are left out.
shared() { nm -D --defined-only out/lib/libstrata.so | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort; }
static() { nm --defined-only --extern-only out/lib/libstrata.a | awk 'NF == 3 { print $3 }' | sort; }
check "libstrata.so exports what is public, and nothing else" diff "$work/public" <(shared)
check "and so does libstrata.a" diff "$work/public" <(static)
declared() { tr -c 'a-z_' '\n' <include/strata/tracepoint.h | grep -x "$1"; }
all_are_declared() {
	local name
	while read -r name; do
		declared "$name" || { echo "$name is not declared"; return 1; }
	done <"$work/public"
}
check "the header declares each" all_are_declared

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
finish
