#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How models are searched: sourced by test_*.sh here, after tap.sh.  A model holds if
# the search came to its end without an error and went through each of its
# statements; its negative twin has one line weakened by a -D flag, and must violate
# the property that the line is there for.
# shellcheck disable=SC2154 # top is tap.sh's

models=$top/tests/model
work=$top/out/tests/model
mkdir -p "$work"

# search NAME MODEL OPTIMISATION WIDTH FLAGS...: makes the verifier and runs it, with a hash table of
# 2^WIDTH places that need not grow; what it says is in $work/NAME/log.  Contexts are held back by
# "provided", which rules out partial order reduction.
search() {
	local name=$1 model=$2 optimisation=$3 width=$4
	shift 4
	rm -rf "${work:?}/$name"
	mkdir -p "$work/$name"
	cd "$work/$name" || return 1
	spin -a "$@" "$models/$model.pml" >spin.log 2>&1 &&
		gcc "$optimisation" -w -DSAFETY -DNOREDUCE -DMEMLIM=2500 -o pan pan.c &&
		./pan -m400000 "-w$width" >log 2>&1
	cat spin.log log
	cd "$top" || return 1
}

# searched_without_error MODEL FLAGS...: Spin searched the whole state space and found no error.
searched_without_error() {
	local model=$1 log=$work/$1/log
	shift
	search "$model" "$model" -O2 25 "$@" || return 1
	grep -q 'errors: 0$' "$log" || return 1
	! grep -qE 'max search depth too small|out of memory|Search not completed' "$log"
}

# holds MODEL FLAGS...: likewise, and each statement was gone through.
holds() {
	local log=$work/$1/log
	searched_without_error "$@" || return 1
	! sed -n '/^unreached in/,$p' "$log" | grep -E '^\s.*:[0-9]+, state' | grep -v '"-end-"'
}

# refuted MODEL TWIN PROPERTY [FLAGS]: that property is violated, before any other.
refuted() {
	local log=$work/$1-$2/log property=$3
	search "$1-$2" "$1" -O0 22 "-D$2" "${@:4}"
	grep -qE "^pan:1: assertion violated .*\|\|$property\)" "$log" &&
		grep -q 'errors: 1$' "$log"
}

# twins MODEL < lines of TWIN PROPERTY [FLAG]
twins() {
	local model=$1 twin property flag
	while read -r twin property flag; do
		check "$model: $twin violates $property" \
			refuted "$model" "$twin" "$property" ${flag:+"$flag"}
	done
}
