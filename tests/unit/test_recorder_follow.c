// SPDX-License-Identifier: GPL-2.0-or-later
/* test_recorder_follow.c - a recorder takes the records of writers that sleep in an open
 * sub-buffer, each once; and publishes its progress for followers. */
#include "followed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "consumerd/packets/packet_reader.h"
#include "consumerd/recorder_state.h"
#include "../packet_records.h"

#include "saved.h"

/* The recording has the numbers from 0 up to before @nr, each once and in order, without gaps
 * between packets. */
static void has_numbers(const struct followed *followed, uint32_t nr)
{
	struct strata_recording recording = { 0 };
	struct strata_packet_reader reader;
	struct strata_record record;
	struct strata_error error;
	uint32_t number, next = 0;
	uint64_t last = 0;

	assert_int_equal(loaded_recording(&recording, followed->dir, &error), 0);
	assert_int_equal(strata_packet_reader_open(&reader, followed->dir, &recording.sources[0],
						   &recording.sources[0].streams[0], NULL, NULL,
						   &error),
			 0);
	while (strata_packet_reader_next(&reader)) {
		size_t offset = STRATA_PACKET_HEADER_BYTES;

		while (strata_packet_next(reader.source, reader.bytes, &reader.packet, &offset,
					  &record)) {
			memcpy(&number, record.payload, sizeof(number));
			assert_int_equal(number, next++);
			assert_true(record.ticks >= last);
			last = record.ticks;
		}
	}
	assert_int_equal(next, nr);
	assert_int_equal(reader.bad_packets, 0);
	assert_int_equal(reader.missing_packets, 0);
	strata_packet_reader_close(&reader);
	strata_recording_clear(&recording);
}

static void what_a_sleeping_writer_has_written_is_taken_once(void **state)
{
	enum strata_header_form form;

	(void)state;
	for (form = STRATA_HEADER_FULL; form < STRATA_NR_HEADER_FORMS; form++) {
		struct recorder_totals totals;
		struct followed followed;
		unsigned int round;
		uint32_t number = 0;

		followed_begin(&followed, form);
		for (round = 0; round < 20; round++) {
			followed_put(&followed, &number, 1 + round % 3);
			followed_drain_until(&followed, number);
			/* Its rest, a sub-buffer and more, or only its end. */
			followed_put(&followed, &number, round % 5 == 4 ? 300 : round % 2);
			if (round % 3 == 0)
				strata_ring_flush(followed.ring.writer);
			followed_drain(&followed);
		}
		followed_put(&followed, &number, 2);
		assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
		assert_int_equal(totals.events, number);
		assert_int_equal(totals.lost, 0);
		assert_int_equal(totals.bad_packets, 0);
		has_numbers(&followed, number);
		followed_end(&followed);
	}
}

static void losses_are_counted_once(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0, kept = 0;
	struct strata_slot slot;
	int i;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_put(&followed, &number, 3);
	followed_drain_until(&followed, number);
	/* More than the ring holds, without draining. */
	for (i = 0; i < 20000; i++) {
		if (!strata_ring_reserve(followed.ring.writer, 0, 8, &slot))
			continue;
		memset(slot.payload, 0, 8);
		strata_ring_commit(followed.ring.writer, &slot);
		kept++;
	}
	assert_true(kept < 20000);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, number + kept);
	assert_int_equal(totals.lost, 20000 - kept);
	followed_end(&followed);
}

/* The rest of a partly taken sub-buffer carries the losses up to its end. */
static void losses_before_the_rest_of_a_subbuffer_are_in_its_packet(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_put(&followed, &number, 3);
	followed_drain_until(&followed, number);
	strata_ring_count_lost(followed.ring.writer, STRATA_LOST_BIG);
	followed_put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, number);
	assert_int_equal(recorder_totals(followed.recorder).lost, 1);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.lost, 1);
	followed_end(&followed);
}

static void a_guest_that_changes_what_was_taken_harms_itself_alone(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_put(&followed, &number, 10);
	followed_drain_until(&followed, number);
	followed_put(&followed, &number, 10);
	/* The bytes that were taken as records are not records any more. */
	memset(followed.ring.data + STRATA_PACKET_HEADER_BYTES, 0xff, 64);
	strata_ring_flush(followed.ring.writer);
	followed_drain(&followed);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 10);
	assert_int_equal(totals.bad_packets, 1);
	followed_end(&followed);
}

/* No slot ends there: a copy that believed it would end behind the sub-buffer in the end. */
static void what_ends_between_words_is_not_taken(void **state)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;
	unsigned int i;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	followed_put(&followed, &number, 3);
	followed.ring.writer_area->commit_seq[0] -= 2;
	for (i = 0; i < 20; i++) {
		followed_drain(&followed);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(recorder_totals(followed.recorder).events, 0);
	followed.ring.writer_area->commit_seq[0] += 2;
	followed_drain_until(&followed, number);
	followed_put(&followed, &number, 1);
	followed.ring.writer_area->commit_seq[0] -= 1;
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	assert_int_equal(totals.events, 3);
	assert_int_equal(totals.bad_packets, 1);
	followed_end(&followed);
}

/* As if sources came and went faster than tables are saved. */
static void delay_tables(struct followed *followed)
{
	followed->recorder->save.again_ticks = UINT64_MAX;
}

/* A stream is published with the next tables, and not before. */
static void waits_for_tables(struct followed *followed, unsigned int slot)
{
	assert_int_equal(followed->table->slots[slot].bytes, 0);
	followed->recorder->save.again_ticks = 0;
	followed_drain(followed);
	assert_true(followed->table->slots[slot].bytes > 0);
}

static void a_stream_does_not_wait_for_the_tables_of_others(void **state)
{
	const struct strata_live_slot *slots;
	struct recorder_totals totals;
	static struct test_ring other;
	struct followed followed;
	uint32_t number = 0;
	const struct principal *who;
	uint64_t before, bytes, nr_slots;
	const size_t index = 1;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	slots = followed.table->slots;
	/* The first packet makes the file, which the tables have to have. */
	followed_put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, 1);
	bytes = slots[0].bytes;
	assert_true(bytes > 0);
	delay_tables(&followed);
	test_ring_open(&other, 1);
	test_add_source(followed.recorder, "other");
	assert_int_equal(recorder_add_ring(followed.recorder, index, &other.ring, RECORDER_FROM_NOW,
					   &followed.error),
			 0);
	/* As long as its principal's share has no room for its tables, there is nothing to read. */
	recorder_recording(followed.recorder)->sources[index].unlisted = true;
	before = slots[1].complete_ticks;
	followed_drain(&followed);
	assert_true(slots[1].complete_ticks > before);
	recorder_recording(followed.recorder)->sources[index].unlisted = false;
	before = slots[1].complete_ticks;
	test_ring_put(&other, 0);
	strata_ring_flush(other.writer);
	followed_put(&followed, &number, 3);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, 5);
	/* The one that the tables have, and not the other. */
	assert_true(slots[0].bytes > bytes);
	assert_int_equal(slots[1].bytes, 0);
	assert_int_equal(slots[1].complete_ticks, before);
	/* Also its end waits, and holds the slot in its principal's share. */
	who = recorder_source_of(followed.recorder, index)->drain.who;
	nr_slots = who->used[PRINCIPAL_LIVE_SLOTS];
	assert_true(nr_slots > 0);
	recorder_leave_source(followed.recorder, index, STRATA_SOURCE_EXITED);
	followed_drain(&followed);
	assert_int_equal(slots[1].complete_ticks, before);
	assert_int_equal(who->used[PRINCIPAL_LIVE_SLOTS], nr_slots);
	followed.recorder->save.again_ticks = 0;
	followed_drain(&followed);
	followed_drain(&followed);
	assert_true(slots[1].bytes > 0);
	assert_int_equal(slots[1].complete_ticks, UINT64_MAX);
	assert_int_equal(who->used[PRINCIPAL_LIVE_SLOTS], nr_slots - 1);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	test_ring_close(&other);
	followed_end(&followed);
}

static void an_event_that_no_table_has_holds_its_own_source_alone(void **state)
{
	const struct strata_event_desc event = {
		.id = 7,
		.name = "later",
		.nr_fields = 1,
		.fields = { { "number", STRATA_FIELD_UNSIGNED, 4, 1 } },
	};
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;
	uint64_t bytes;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	/* The tables have its file. */
	followed_put(&followed, &number, 1);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, 1);
	followed_drain(&followed);
	bytes = followed.table->slots[0].bytes;
	assert_true(bytes > 0);
	delay_tables(&followed);
	assert_int_equal(strata_source_add_event(&recorder_recording(followed.recorder)->sources[0],
						 &event, &followed.error),
			 0);
	followed_put(&followed, &number, 3);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, 4);
	assert_int_equal(followed.table->slots[0].bytes, bytes);
	followed.recorder->save.again_ticks = 0;
	followed_drain(&followed);
	followed_drain(&followed);
	assert_true(followed.table->slots[0].bytes > bytes);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	followed_end(&followed);
}

static void a_file_that_is_newer_than_the_tables_waits(void **state)
{
	struct recorder_totals totals;
	struct followed followed;
	uint32_t number = 0;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	delay_tables(&followed);
	followed_put(&followed, &number, 3);
	strata_ring_flush(followed.ring.writer);
	followed_drain_until(&followed, 3);
	waits_for_tables(&followed, 0);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	followed_end(&followed);
}

static void a_ring_that_no_table_has_waits(void **state)
{
	struct recorder_totals totals;
	static struct test_ring second;
	struct followed followed;
	uint64_t before;

	(void)state;
	followed_begin(&followed, STRATA_HEADER_FULL);
	delay_tables(&followed);
	test_ring_open(&second, 1);
	assert_int_equal(recorder_add_ring(followed.recorder, 0, &second.ring, RECORDER_FROM_NOW,
					   &followed.error),
			 0);
	/* Also as long as it is empty, and has no file. */
	before = followed.table->slots[1].complete_ticks;
	followed_drain(&followed);
	assert_int_equal(followed.table->slots[1].complete_ticks, before);
	test_ring_put(&second, 0);
	strata_ring_flush(second.writer);
	followed_drain_until(&followed, 1);
	waits_for_tables(&followed, 1);
	assert_int_equal(recorder_close(followed.recorder, &totals, &followed.error), 0);
	test_ring_close(&second);
	followed_end(&followed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_sleeping_writer_has_written_is_taken_once),
		cmocka_unit_test(losses_are_counted_once),
		cmocka_unit_test(losses_before_the_rest_of_a_subbuffer_are_in_its_packet),
		cmocka_unit_test(a_guest_that_changes_what_was_taken_harms_itself_alone),
		cmocka_unit_test(what_ends_between_words_is_not_taken),
		cmocka_unit_test(a_stream_does_not_wait_for_the_tables_of_others),
		cmocka_unit_test(a_file_that_is_newer_than_the_tables_waits),
		cmocka_unit_test(a_ring_that_no_table_has_waits),
		cmocka_unit_test(an_event_that_no_table_has_holds_its_own_source_alone),
	};

	return cmocka_run_group_tests_name("recorder_follow", tests, NULL, NULL);
}
