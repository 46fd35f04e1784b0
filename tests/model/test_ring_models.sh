#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Spin searches every state of the models in this directory.  A model holds if the
# search came to its end without an error and went through each of its statements;
# its negative twin has one line weakened by a -D flag, and must violate the
# property that the line is there for.  Speaks TAP; run by tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"

models=$top/tests/model
work=$top/out/tests/model
rm -rf "$work"
mkdir -p "$work"

# search NAME MODEL OPTIMISATION WIDTH FLAGS...: makes the verifier and runs it, with a hash table of
# 2^WIDTH places that need not grow; what it says is in $work/NAME/log.  Contexts are held back by
# "provided", which rules out partial order reduction.
search() {
	local name=$1 model=$2 optimisation=$3 width=$4
	shift 4
	mkdir -p "$work/$name"
	cd "$work/$name" || return 1
	spin -a "$@" "$models/$model.pml" >spin.log 2>&1 &&
		gcc "$optimisation" -w -DSAFETY -DNOREDUCE -DMEMLIM=2500 -o pan pan.c &&
		./pan -m400000 "-w$width" >log 2>&1
	cat spin.log log
	cd "$top" || return 1
}

# holds MODEL FLAGS...: no error, all of it searched, each statement gone through.
holds() {
	local model=$1 log=$work/$1/log
	shift
	search "$model" "$model" -O2 25 "$@" || return 1
	grep -q 'errors: 0$' "$log" || return 1
	grep -qE 'max search depth too small|out of memory|Search not completed' "$log" && return 1
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

check "discard: holds" holds discard
twins discard <<-END
	K42 only_committed_bytes_read
	NO_FULL_CHECK unread_byte_stays
	ADVANCE_IN_TWO_STEPS unread_byte_stays
	COMMIT_IN_TWO_STEPS finished_subbuf_delivered
	PUBLISH_ONCE finished_subbuf_delivered
	NO_PREFIX committed_prefix_told
	NO_SECOND_LOOK lost_only_without_room
	WAIT_FOR_THE_READER steps_are_bounded
END

check "overwrite: holds" holds overwrite
twins overwrite <<-END
	NO_NESTED_CHECK committed_prefix_told
	COUNT_FOR_SEQ only_committed_bytes_read
	NO_HOLD only_committed_bytes_read
	HOLD_IN_TWO_STEPS only_committed_bytes_read
	EXCHANGE_IN_TWO_STEPS only_committed_bytes_read
	NO_TURN only_committed_bytes_read
	STEP_TO_THE_OVERWRITTEN read_in_order_once
	RELEASE_AFTER_PUBLISH passed_over_only_overwritten
	PUBLISH_ONCE finished_subbuf_delivered
END

# What goes wrong first hides what follows from it, here that nothing is delivered.
check "reader_lies: holds" holds reader_lies
twins reader_lies <<-END
	NO_NESTED_CHECK slot_is_won_once -DUNDELIVERED_IS_FINE
	WAIT_FOR_THE_READER steps_are_bounded
END

check "packet: holds" holds packet
twins packet <<-END
	NO_NEWEST time_never_goes_back -DNESTED=2
	CLOCK_BEFORE_POSITION time_never_goes_back -DNESTED=2
	LOST_AT_DELIVERY losses_never_go_back
END

check "start_stop: holds" holds start_stop
twins start_stop <<-END
	GATE_BEFORE_COUNT no_probe_after_stop
	NO_LOOK_AT_PROBES flushed_by_stop
	ASK_ONCE flushed_by_stop
END

check "order_discard: holds" holds order_discard
twins order_discard <<-END
	PLAIN_COMMIT_SEQ only_committed_bytes_read
	PLAIN_LOAD_OF_COMMIT_SEQ only_committed_bytes_read
	PLAIN_READ_COUNT only_committed_bytes_read
	PLAIN_LOAD_OF_READ_COUNT only_committed_bytes_read
END

check "order_overwrite: holds" holds order_overwrite
twins order_overwrite <<-END
	PLAIN_COMMIT_SEQ passed_over_only_overwritten
	HOLD_WITHOUT_BARRIER only_committed_bytes_read
END

check "order_prefix: holds" holds order_prefix
twins order_prefix <<-END
	HOLD_WITHOUT_BARRIER only_committed_bytes_read
	NO_READ_BARRIER only_committed_bytes_read
	NO_SECOND_LOOK only_committed_bytes_read
END

finish
