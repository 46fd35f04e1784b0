# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Sourced by the scripts that read traces: changes to the top of the tree, sources tap.sh, and compiles the generator of
# traces as $work/make_ctf. $work is removed at the end; $strata is the command.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck disable=SC2034 # for the scripts
strata=$PWD/out/bin/strata
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check "a maker of traces is built" gcc -O2 -Wall -Wextra -Werror tests/bench/make_ctf.c -o "$work/make_ctf"
