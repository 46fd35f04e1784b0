// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_boundary.c - one writer and one reader at every boundary that a ring has: the ends of a
 * sub-buffer, the largest payload, a full buffer, a flush, and the wrap of the counters.
 */
#include "small_ring.h"

static void a_record_that_leaves_a_few_bytes_keeps_its_subbuffer_open(void **state)
{
	uint32_t left;

	(void)state;
	for (left = 4; left <= 64; left += 4) {
		leave_room(left);
		assert_false(strata_reader_ready(&fixture.reader));
		/* The next one does not fit, closes the sub-buffer and opens another. */
		assert_true(write_bytes(left + 4 < HEAD ? HEAD : left + 4));
		assert_int_equal(next_packet()->content_size / 8, SUBBUF_BYTES - left);
		audit_drain(&audit, &fixture.reader);
	}
	balance();
}

static void a_write_that_fills_the_subbuffer_exactly_closes_it(void **state)
{
	uint32_t bytes;

	(void)state;
	for (bytes = HEAD; bytes <= 64; bytes += 4) {
		leave_room(bytes);
		assert_false(strata_reader_ready(&fixture.reader));
		assert_true(write_bytes(bytes));
		assert_int_equal(strata_subbuf_offset(small_ring, fixture.ring->write_count), 0);
		assert_int_equal(next_packet()->content_size, SUBBUF_BYTES * 8);
		audit_drain(&audit, &fixture.reader);
	}
	balance();
}

static void a_record_4_bytes_too_long_goes_to_the_next_subbuffer(void **state)
{
	(void)state;
	leave_room(96);
	assert_true(write_bytes(100));
	assert_int_equal(next_packet()->content_size / 8, SUBBUF_BYTES - 96);
	assert_int_equal(fixture.ring->write_count,
			 SUBBUF_BYTES + STRATA_PACKET_HEADER_BYTES + 100);
	balance();
}

static void a_payload_is_padded_to_4_bytes(void **state)
{
	struct strata_slot slot;
	uint32_t payload;

	(void)state;
	for (payload = 0; payload <= 9; payload++) {
		strata_count_t before = fixture.ring->write_count;

		assert_true(strata_ring_reserve(fixture.ring, 1, payload, &slot));
		strata_ring_commit(fixture.ring, &slot);
		if (payload)
			assert_int_equal(fixture.ring->write_count - before,
					 STRATA_RECORD_HEADER_BYTES + (payload + 3) / 4 * 4);
	}
}

static void the_first_record_of_a_packet_gives_it_its_begin(void **state)
{
	const struct strata_packet_header *header;
	const struct strata_record_header *record;

	(void)state;
	ticks_now = 5000;
	assert_true(write_bytes(100));
	ticks_now = 6000;
	strata_ring_flush(fixture.ring);
	header = next_packet();
	record = (const struct strata_record_header *)(header + 1);
	assert_int_equal(header->magic, STRATA_CTF_MAGIC);
	assert_int_equal(header->packet_size, SUBBUF_BYTES * 8);
	assert_int_equal(header->content_size, (STRATA_PACKET_HEADER_BYTES + 100) * 8);
	assert_int_equal(header->packet_seq_num, 0);
	assert_int_equal(header->timestamp_end, 6000);
	assert_int_equal(header->cpu_id, 3);
	assert_int_equal(header->layer_word, 0);
	assert_int_equal(header->timestamp_begin, record->ticks);
	assert_in_range(record->ticks, 5000, 5010);
	balance();
}

static void the_largest_payload_is_taken_and_one_byte_more_is_counted_as_too_big(void **state)
{
	uint32_t too_big[] = { STRATA_PAYLOAD_BYTES_MAX + 1, 4096, 1u << 31, UINT32_MAX - 11,
			       UINT32_MAX };
	struct strata_slot slot;
	unsigned int i;

	(void)state;
	assert_true(write_bytes(STRATA_RECORD_HEADER_BYTES + STRATA_PAYLOAD_BYTES_MAX));
	for (i = 0; i < sizeof(too_big) / sizeof(too_big[0]); i++) {
		assert_false(strata_ring_reserve(fixture.ring, 1, too_big[i], &slot));
		assert_int_equal(strata_reader_lost(&fixture.reader, STRATA_LOST_BIG), i + 1);
	}
	assert_int_equal(fixture.ring->write_count, STRATA_PACKET_HEADER_BYTES +
							    STRATA_RECORD_HEADER_BYTES +
							    STRATA_PAYLOAD_BYTES_MAX);
}

static void a_full_buffer_counts_losses_and_goes_on_after_a_put(void **state)
{
	uint32_t lost = 0;

	(void)state;
	while (write_bytes(1000))
		;
	for (lost = 1; lost < 10; lost++)
		assert_false(write_bytes(1000));
	/* The losses lie behind the last packet: only the live counter shows them. */
	assert_int_equal(strata_reader_lost(&fixture.reader, STRATA_LOST_FULL), 10);
	assert_int_equal(next_packet()->events_discarded, 0);
	/* A record that still fits into the open sub-buffer is taken. */
	assert_true(write_bytes(100));

	audit_packet(&audit, strata_reader_subbuf(&fixture.reader));
	strata_reader_put(&fixture.reader);
	assert_true(write_bytes(1000));
	balance();
	assert_int_equal(audit.lost[STRATA_LOST_FULL], 10);
	assert_int_equal(audit.lost[STRATA_LOST_NESTED], 0);
}

/* One of each kind before the packet ends: all three stand in its header, each in its place. */
static void losses_of_each_kind_are_in_the_header_of_the_packet_that_follows_them(void **state)
{
	const struct strata_packet_header *header;
	struct strata_slot slot;
	unsigned int i;

	(void)state;
	/* Given three records that are too large, two nested too deep, and one for a full ring ...
	 */
	assert_true(write_bytes(100));
	for (i = 0; i < 3; i++)
		assert_false(
			strata_ring_reserve(fixture.ring, 1, STRATA_PAYLOAD_BYTES_MAX + 1, &slot));
	for (i = 0; i < STRATA_RING_NESTING_MAX; i++)
		assert_true(strata_ring_enter(fixture.ring));
	assert_false(strata_ring_enter(fixture.ring));
	assert_false(strata_ring_enter(fixture.ring));
	for (i = 0; i < STRATA_RING_NESTING_MAX; i++)
		strata_ring_exit(fixture.ring);
	assert_int_equal(fixture.ring->nesting, 0);
	/* ... when the packet is closed, its header has the losses before its end ... */
	strata_ring_flush(fixture.ring);
	header = next_packet();
	assert_int_equal(header->lost[STRATA_LOST_FULL], 0);
	assert_int_equal(header->lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(header->lost[STRATA_LOST_BIG], 3);
	assert_int_equal(header->events_discarded, 5);
	/* ... and losses behind it are in the next packet's. */
	while (write_bytes(1000))
		;
	assert_int_equal(header->events_discarded, 5);
	audit_drain(&audit, &fixture.reader);
	assert_true(write_bytes(100));
	strata_ring_flush(fixture.ring);
	header = next_packet();
	assert_int_equal(header->lost[STRATA_LOST_FULL], 1);
	assert_int_equal(header->lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(header->lost[STRATA_LOST_BIG], 3);
	assert_int_equal(header->events_discarded, 6);
	for (i = 0; i < STRATA_NR_LOST; i++)
		assert_int_equal(strata_reader_lost(&fixture.reader, i), header->lost[i]);
}

static void a_flush_gives_the_reader_what_is_there_and_nothing_of_nothing(void **state)
{
	(void)state;
	strata_ring_flush(fixture.ring); /* of an empty ring */
	assert_int_equal(fixture.ring->write_count, 0);
	assert_true(write_bytes(HEAD)); /* just opened */
	strata_ring_flush(fixture.ring);
	strata_ring_flush(fixture.ring); /* a second time */
	assert_int_equal(fixture.ring->write_count, SUBBUF_BYTES);
	assert_int_equal(next_packet()->content_size, (STRATA_PACKET_HEADER_BYTES + HEAD) * 8);
	leave_room(HEAD);
	assert_true(write_bytes(HEAD)); /* exactly full: nothing left to flush */
	strata_ring_flush(fixture.ring);
	assert_int_equal(fixture.ring->write_count, 2 * SUBBUF_BYTES);
	leave_room(4); /* the least padding */
	strata_ring_flush(fixture.ring);
	assert_int_equal(audit_drain(&audit, &fixture.reader), 3);
	balance();
}

static void a_flush_of_a_full_buffer_leaves_it_full(void **state)
{
	(void)state;
	while (write_bytes(1000))
		;
	strata_ring_flush(fixture.ring);
	assert_int_equal(fixture.ring->write_count, strata_buffer_bytes(small_ring));
	strata_ring_flush(fixture.ring);
	assert_int_equal(fixture.ring->write_count, strata_buffer_bytes(small_ring));
	assert_false(write_bytes(HEAD));
	assert_int_equal(audit_drain(&audit, &fixture.reader), 4);
	assert_true(write_bytes(HEAD));
	balance();
}

static void a_record_between_reserve_and_commit_holds_its_packet_back(void **state)
{
	struct strata_slot slot;

	(void)state;
	assert_true(audited_reserve(&audit, fixture.ring, 1, 8, &slot));
	strata_ring_flush(fixture.ring);
	assert_true(write_bytes(100)); /* in the next packet */
	assert_false(strata_reader_ready(&fixture.reader));
	strata_ring_commit(fixture.ring, &slot);
	assert_true(strata_reader_ready(&fixture.reader));
	balance();
}

/* The commit count of a sub-buffer that the writer has left proves nothing: its offset may agree
 * with the writer's present one. */
static void a_gap_in_a_subbuffer_that_was_left_stays_one(void **state)
{
	static unsigned char copy[SUBBUF_BYTES];
	struct strata_slot first, second;
	strata_count_t committed;

	(void)state;
	/* Given two slots that are not committed, and a sub-buffer that is left behind them ... */
	assert_true(audited_reserve(&audit, fixture.ring, 1, 490, &first));
	assert_true(audited_reserve(&audit, fixture.ring, 2, 490, &second));
	assert_true(write_bytes(100));
	assert_int_equal(strata_subbuf_start(small_ring, fixture.ring->write_count), SUBBUF_BYTES);
	/* ... and a writer that comes as far in the next one as the commit count will be here ...
	 */
	committed = fixture.ring->subbuf[0].commit_count + second.bytes;
	while (strata_subbuf_offset(small_ring, fixture.ring->write_count) + 1100 < committed)
		assert_true(write_bytes(1000));
	assert_true(write_bytes(
		(uint32_t)(committed -
			   strata_subbuf_offset(small_ring, fixture.ring->write_count))));
	/* ... then the second one's commit brings nothing within reach of a reader. */
	strata_ring_commit(fixture.ring, &second);
	assert_int_equal(fixture.ring->subbuf[0].commit_count, committed);
	assert_in_range(strata_reader_copy_prefix(&fixture.reader, 0, copy), 0,
			STRATA_PACKET_HEADER_BYTES);
	strata_ring_commit(fixture.ring, &first);
	assert_true(strata_reader_ready(&fixture.reader));
	balance();
}

static void the_counters_wrap_in_mid_run_and_nobody_notices(void **state)
{
	static const struct strata_ring_geometry geometries[] = { { 12, 1 }, { 12, 3 }, { 13, 2 } };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct ring_fixture *wrapping = &fixture;

		audit_close(&audit);
		ring_fixture_close(&fixture);
		ring_fixture_open(&fixture, geometries[i], wraps_after(geometries[i], 2));
		audit_open(&audit, fixture.ring, 1u << 16);
		for (j = 0; j < 5000; j++) {
			audited_write(&audit, wrapping->ring, j % 3, j % 200);
			if (j % 5 == 0)
				audit_drain(&audit, &wrapping->reader);
		}
		balance();
		/* It has wrapped: so it is small. */
		assert_in_range(wrapping->ring->write_count, 1, (strata_count_t)-1 / 2);
		assert_int_equal(audit.lost[STRATA_LOST_NESTED], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SMALL_RING_TEST(a_record_that_leaves_a_few_bytes_keeps_its_subbuffer_open),
		SMALL_RING_TEST(a_write_that_fills_the_subbuffer_exactly_closes_it),
		SMALL_RING_TEST(a_record_4_bytes_too_long_goes_to_the_next_subbuffer),
		SMALL_RING_TEST(a_payload_is_padded_to_4_bytes),
		SMALL_RING_TEST(the_first_record_of_a_packet_gives_it_its_begin),
		SMALL_RING_TEST(
			the_largest_payload_is_taken_and_one_byte_more_is_counted_as_too_big),
		SMALL_RING_TEST(a_full_buffer_counts_losses_and_goes_on_after_a_put),
		SMALL_RING_TEST(
			losses_of_each_kind_are_in_the_header_of_the_packet_that_follows_them),
		SMALL_RING_TEST(a_flush_gives_the_reader_what_is_there_and_nothing_of_nothing),
		SMALL_RING_TEST(a_flush_of_a_full_buffer_leaves_it_full),
		SMALL_RING_TEST(a_record_between_reserve_and_commit_holds_its_packet_back),
		SMALL_RING_TEST(a_gap_in_a_subbuffer_that_was_left_stays_one),
		SMALL_RING_TEST(the_counters_wrap_in_mid_run_and_nobody_notices),
	};

	return cmocka_run_group_tests_name("ring_boundary", tests, NULL, NULL);
}
