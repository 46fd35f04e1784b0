# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the scripts that read traces: goes to the top of the tree, brings in tap.sh, and compiles the maker of
# traces as $work/make_ctf.  $work is removed at the end; $strata is the command.
# shellcheck source=tests/unit/with_strata.sh
. "$(dirname "${BASH_SOURCE[0]}")/with_strata.sh"

check "a maker of traces is built" gcc -O2 -Wall -Wextra -Werror tests/bench/make_ctf.c -o "$work/make_ctf"
