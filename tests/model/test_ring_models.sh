#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Spin searches every state of the models of the ring.  Speaks TAP; run by
# tests/run.sh.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
# shellcheck source=tests/model/spin.sh
. "$(dirname "$0")/spin.sh"

check "discard: holds" holds discard
twins discard <<-END
	K42 only_committed_bytes_read
	NO_FULL_CHECK unread_byte_stays
	ADVANCE_IN_TWO_STEPS unread_byte_stays
	COMMIT_IN_TWO_STEPS finished_subbuf_delivered
	PUBLISH_ONCE finished_subbuf_delivered
	NO_PREFIX committed_prefix_told
	NOTES_NO_TURN finished_subbuf_delivered
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

check "threads: holds" holds threads
check "threads: without a LOCK prefix, where no thread migrates, holds" \
	searched_without_error threads -DCOMMIT_IN_TWO_STEPS -DSTAY
twins threads <<-END
	COMMIT_IN_TWO_STEPS finished_subbuf_delivered
	ADVANCE_IN_TWO_STEPS unread_byte_stays
	NO_SECOND_LOOK lost_only_without_room
END

check "single: holds" holds single
twins single <<-END
	NO_ABORT only_committed_bytes_read
	NO_CPU_CHECK unread_byte_stays
	NO_MEMBARRIER no_probe_after_stop
	NO_FULL_CHECK unread_byte_stays
	PUBLISH_FIRST only_committed_bytes_read
	CLOSE_WITHOUT_LOOK unread_byte_stays
END

check "sleep: holds" holds sleep
twins sleep <<-END
	NO_WRITER_BARRIER read_before_it_sleeps
	NO_READER_BARRIER read_before_it_sleeps
	NO_SECOND_LOOK read_before_it_sleeps
END

check "wake: holds" holds wake
twins wake <<-END
	TAKE_FIRST asked_is_sent
	CALL_FIRST asked_is_sent
END

check "start_stop: holds" holds start_stop
twins start_stop <<-END
	GATE_BEFORE_COUNT no_probe_after_stop
	GENERATION_FIRST flushed_by_stop
	STARTED_READ_FIRST flushed_by_stop
	NO_LOOK_AT_PROBES no_probe_after_stop
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
