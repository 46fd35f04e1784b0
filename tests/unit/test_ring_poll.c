// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_poll.c - the results of a reader's poll (Algorithm 5), in rings of either kind, also
 * where the writer's words are lies; and the forced switch that a reader waits for.
 */
#define STRATA_WRITERS_SHARE_CPU 1

#include <stdlib.h>

#include "ring_fixture.h"

#include <strata/ring_single.h>
#include <strata/ring_switch.h>

static const struct strata_ring_geometry four = { 12, 2 };
static const struct strata_ring_geometry two = { 12, 1 };

static struct ring_fixture fixture;

static void open_ring(struct strata_ring_geometry geo)
{
	ring_fixture_open(&fixture, geo, wraps_after(geo, 1));
}

static void close_ring(void)
{
	ring_fixture_close(&fixture);
}

/* Writes a record.  False: it is lost. */
static bool write_one(void)
{
	struct strata_slot slot;

	if (!strata_ring_reserve(fixture.ring, 1, 60, &slot))
		return false;
	memset(slot.payload, 7, 60);
	strata_ring_commit(fixture.ring, &slot);
	return true;
}

/* Fills sub-buffers until @nr more are complete. */
static void complete(unsigned int nr)
{
	while (nr--) {
		assert_true(write_one());
		strata_ring_flush(fixture.ring);
	}
}

static void read_one(void)
{
	assert_true(strata_reader_get(&fixture.reader));
	strata_reader_put(&fixture.reader);
}

static enum strata_poll poll_ring(bool gone)
{
	return strata_reader_poll(&fixture.reader, gone);
}

static void an_empty_ring_has_nothing(void **state)
{
	(void)state;
	open_ring(four);
	assert_int_equal(poll_ring(false), STRATA_POLL_NOTHING);
	assert_true(write_one());
	assert_int_equal(poll_ring(false), STRATA_POLL_NOTHING);
	close_ring();
}

static void three_of_four_have_priority(void **state)
{
	unsigned int turn, i;

	(void)state;
	open_ring(four);
	/* Through the wrap of the counters. */
	for (turn = 0; turn < 10; turn++) {
		complete(1);
		assert_int_equal(poll_ring(false), STRATA_POLL_DATA);
		complete(1);
		assert_int_equal(poll_ring(false), STRATA_POLL_DATA);
		complete(1);
		assert_int_equal(poll_ring(false), STRATA_POLL_PRIORITY);
		complete(1);
		assert_int_equal(poll_ring(false), STRATA_POLL_PRIORITY);
		assert_false(write_one());
		for (i = 0; i < 4; i++) {
			assert_int_equal(poll_ring(false),
					 i < 2 ? STRATA_POLL_PRIORITY : STRATA_POLL_DATA);
			read_one();
		}
		assert_int_equal(poll_ring(false), STRATA_POLL_NOTHING);
	}
	close_ring();
}

static void of_two_the_first_has_priority(void **state)
{
	(void)state;
	open_ring(two);
	complete(1);
	assert_int_equal(poll_ring(false), STRATA_POLL_PRIORITY);
	read_one();
	assert_int_equal(poll_ring(false), STRATA_POLL_NOTHING);
	close_ring();
}

static void a_hang_up_comes_when_all_is_read(void **state)
{
	unsigned char copy[4096];

	(void)state;
	open_ring(four);
	assert_int_equal(poll_ring(true), STRATA_POLL_HANGUP);
	complete(2);
	assert_true(write_one());
	assert_int_equal(poll_ring(true), STRATA_POLL_DATA);
	read_one();
	assert_int_equal(poll_ring(true), STRATA_POLL_DATA);
	read_one();
	assert_int_equal(poll_ring(true), STRATA_POLL_HANGUP);
	/* A record that the writer never completed. */
	assert_true(strata_reader_copy_prefix(&fixture.reader, fixture.reader.read_count, copy) >
		    STRATA_PACKET_HEADER_BYTES);
	close_ring();
}

static void an_overwritten_reader_has_priority(void **state)
{
	(void)state;
	open_ring(four);
	fixture.ring->overwrite = true;
	fixture.reader.overwrite = true;
	complete(1);
	assert_int_equal(poll_ring(false), STRATA_POLL_DATA);
	complete(5);
	assert_int_equal(poll_ring(false), STRATA_POLL_PRIORITY);
	read_one();
	assert_int_equal(poll_ring(true), STRATA_POLL_PRIORITY);
	read_one();
	assert_int_equal(poll_ring(true), STRATA_POLL_DATA);
	read_one();
	read_one();
	assert_int_equal(poll_ring(true), STRATA_POLL_HANGUP);
	close_ring();
}

/* In discard mode a writer cannot be a turn ahead of its reader, and never falls behind. */
static void words_of_other_turns_are_an_error(void **state)
{
	strata_count_t *word;
	strata_count_t right;

	(void)state;
	open_ring(four);
	complete(4);
	word = &fixture.writer_area
			->commit_seq[strata_subbuf_index(four, fixture.reader.read_count)];
	right = *word;
	*word = right + 1;
	assert_int_equal(poll_ring(false), STRATA_POLL_ERROR);
	assert_int_equal(poll_ring(true), STRATA_POLL_ERROR);
	*word = right + strata_subbuf_bytes(four);
	assert_int_equal(poll_ring(false), STRATA_POLL_ERROR);
	*word = right - 2 * strata_subbuf_bytes(four);
	assert_int_equal(poll_ring(false), STRATA_POLL_ERROR);
	*word = right ^ (strata_count_t)1 << 40;
	assert_int_equal(poll_ring(false), STRATA_POLL_ERROR);
	*word = right;
	assert_int_equal(poll_ring(false), STRATA_POLL_PRIORITY);
	close_ring();
}

static uint64_t next_random(uint64_t random)
{
	random ^= random << 13, random ^= random >> 7;
	return random ^ random << 17;
}

static void whatever_words_say_poll_and_get_agree(void **state)
{
	unsigned long seen[STRATA_POLL_ERROR + 1] = { 0 };
	uint64_t random = 88172645463325252u;
	unsigned int i, j;

	(void)state;
	open_ring(four);
	for (i = 0; i < 1000000; i++) {
		enum strata_poll found;

		for (j = 0; j < 4; j++) {
			random = next_random(random);
			fixture.writer_area->commit_seq[j] =
				random >> 62
					? strata_commit_at_turn(four, fixture.reader.read_count) +
						  (random >> 20) % 4 * 2048
					: (strata_count_t)random;
		}
		found = poll_ring(i % 2);
		assert_in_range(found, 0, STRATA_POLL_ERROR);
		seen[found]++;
		assert_int_equal(found == STRATA_POLL_DATA || found == STRATA_POLL_PRIORITY,
				 strata_reader_ready(&fixture.reader));
		fixture.reader.read_count += (random & 3) << 12;
	}
	for (i = 0; i <= STRATA_POLL_ERROR; i++)
		assert_in_range(seen[i], 1000, 1000000);
	close_ring();
}

/* A single-store ring of which only the words are read. */
static struct strata_single_area area;
static struct strata_single_reader_area reader_area;

static struct strata_single_reader open_single(struct strata_ring_geometry geo)
{
	static unsigned char data[4 << 12];
	struct strata_single_reader reader;

	memset(&area, 0, sizeof(area));
	strata_single_init(&area, geo, 0, false);
	assert_true(strata_single_reader_init(&reader, geo, &area, &reader_area, data));
	return reader;
}

static void a_single_store_ring_has_the_same_states(void **state)
{
	struct strata_single_reader reader = open_single(four);

	(void)state;
	assert_int_equal(strata_single_poll(&reader, true, false), STRATA_POLL_NOTHING);
	assert_int_equal(strata_single_poll(&reader, true, true), STRATA_POLL_HANGUP);
	area.position += 20;
	assert_int_equal(strata_single_poll(&reader, false, false), STRATA_POLL_NOTHING);
	assert_int_equal(strata_single_poll(&reader, true, false), STRATA_POLL_DATA);
	assert_int_equal(strata_single_poll(&reader, false, true), STRATA_POLL_DATA);
	area.position += 2 << 12;
	assert_int_equal(strata_single_poll(&reader, false, false), STRATA_POLL_DATA);
	area.position += 1 << 12;
	assert_int_equal(strata_single_poll(&reader, false, false), STRATA_POLL_PRIORITY);
	reader.position = area.position;
	assert_int_equal(strata_single_poll(&reader, false, true), STRATA_POLL_HANGUP);
	/* Further than a ring is long, and back. */
	area.position += 4 << 12;
	assert_int_equal(strata_single_poll(&reader, false, false), STRATA_POLL_ERROR);
	area.position = reader.position - 4;
	assert_int_equal(strata_single_poll(&reader, false, false), STRATA_POLL_ERROR);
	area.position = 0;
	assert_int_equal(strata_single_poll(&reader, true, true), STRATA_POLL_ERROR);
}

static void a_single_store_ring_that_lies_is_an_error_or_can_be_taken(void **state)
{
	struct strata_single_reader reader = open_single(four);
	uint64_t lost[STRATA_NR_LOST], random = 88172645463325252u;
	unsigned long seen[STRATA_POLL_ERROR + 1] = { 0 };
	static unsigned char copy[4096];
	uint32_t bytes;
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000000; i++) {
		enum strata_poll found;

		random = next_random(random);
		area.position = random >> 62 ? reader.position + (random >> 30) % (6 << 12) - 4096
					     : random;
		area.position &= ~(uint64_t)3;
		if (random >> 58 == 63)
			area.position = reader.position;
		area.closed[random >> 4 & 3].content_bytes = 4096;
		found = strata_single_poll(&reader, i % 2, i % 3 == 0);
		seen[found]++;
		if (found == STRATA_POLL_NOTHING || found == STRATA_POLL_HANGUP)
			assert_int_equal(strata_single_take(&reader, i % 2, copy, &bytes, lost),
					 STRATA_SINGLE_NOTHING);
		else
			strata_single_take(&reader, true, copy, &bytes, lost);
	}
	for (i = 0; i <= STRATA_POLL_ERROR; i++)
		assert_in_range(seen[i], 1000, 1000000);
}

static void a_switch_hands_over_what_a_reader_waits_for(void **state)
{
	(void)state;
	open_ring(four);
	assert_false(strata_ring_switch(fixture.ring));
	assert_true(write_one());
	assert_false(fixture.ring->delivered);
	assert_true(strata_ring_switch(fixture.ring));
	assert_true(fixture.ring->delivered);
	assert_int_equal(poll_ring(false), STRATA_POLL_DATA);
	/* Nothing is left: no number of polls makes empty packets. */
	assert_false(strata_ring_switch(fixture.ring));
	read_one();
	assert_false(strata_ring_switch(fixture.ring));
	close_ring();
}

static void a_switch_leaves_a_reader_alone_that_has_more_to_read(void **state)
{
	(void)state;
	open_ring(four);
	complete(1);
	assert_true(write_one());
	assert_false(strata_ring_switch(fixture.ring));
	read_one();
	assert_true(strata_ring_switch(fixture.ring));
	close_ring();
}

static void a_flight_recorder_is_not_switched(void **state)
{
	(void)state;
	open_ring(four);
	fixture.ring->overwrite = true;
	assert_true(write_one());
	assert_false(strata_ring_switch(fixture.ring));
	close_ring();
}

static void a_reader_that_lies_gets_one_packet_at_the_most(void **state)
{
	uint64_t random = 88172645463325252u;
	unsigned int i;

	(void)state;
	open_ring(four);
	for (i = 0; i < 100000; i++) {
		strata_count_t before;

		random = next_random(random);
		fixture.reader_area->read_count =
			i % 3 ? random : fixture.ring->write_count - (random & 8191);
		write_one();
		before = fixture.ring->write_count;
		if (strata_ring_switch(fixture.ring))
			assert_int_equal(fixture.ring->write_count,
					 strata_subbuf_align_up(four, before));
		else
			assert_int_equal(fixture.ring->write_count, before);
		assert_false(strata_ring_switch(fixture.ring) && strata_ring_switch(fixture.ring));
	}
	close_ring();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_has_nothing),
		cmocka_unit_test(three_of_four_have_priority),
		cmocka_unit_test(of_two_the_first_has_priority),
		cmocka_unit_test(a_hang_up_comes_when_all_is_read),
		cmocka_unit_test(an_overwritten_reader_has_priority),
		cmocka_unit_test(words_of_other_turns_are_an_error),
		cmocka_unit_test(whatever_words_say_poll_and_get_agree),
		cmocka_unit_test(a_single_store_ring_has_the_same_states),
		cmocka_unit_test(a_single_store_ring_that_lies_is_an_error_or_can_be_taken),
		cmocka_unit_test(a_switch_hands_over_what_a_reader_waits_for),
		cmocka_unit_test(a_switch_leaves_a_reader_alone_that_has_more_to_read),
		cmocka_unit_test(a_flight_recorder_is_not_switched),
		cmocka_unit_test(a_reader_that_lies_gets_one_packet_at_the_most),
	};

	return cmocka_run_group_tests_name("ring_poll", tests, NULL, NULL);
}
