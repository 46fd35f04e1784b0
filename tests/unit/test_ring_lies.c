// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_lies.c - areas of a ring that hold anything: a reader area that lies to the writer, and
 * a writer area that lies to the reader.
 */
#include "small_ring.h"

static void any_read_count_of_a_hostile_reader_leaves_the_writer_in_its_areas(void **state)
{
	strata_count_t fixed[] = { 0,
				   1,
				   4095,
				   4096,
				   1u << 14,
				   ~(strata_count_t)0,
				   (strata_count_t)1 << (STRATA_COUNT_BITS - 1),
				   ~(strata_count_t)4095 };
	uint64_t random = 88172645463325252u;
	struct strata_slot slot;
	unsigned int i;

	(void)state;
	for (i = 0; i < 50000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		fixture.reader_area->read_count =
			i % 3 == 0   ? fixed[random % 8]
			: i % 3 == 1 ? (strata_count_t)random
				     : fixture.ring->write_count +
					       (strata_count_t)(random % 65536) - 32768;
		/* Guard pages end the test at the first byte beside an area. */
		if (strata_ring_reserve(fixture.ring, 1, random >> 32 & 2047, &slot)) {
			assert_in_range(slot.payload, fixture.data,
					fixture.data + strata_data_bytes(small_ring));
			memset(slot.payload, 0xa5, random >> 32 & 2047);
			strata_ring_commit(fixture.ring, &slot);
		}
	}
	/* With an honest reader it works again, as if nothing had been. */
	fixture.reader_area->read_count = fixture.ring->write_count;
	assert_true(strata_ring_reserve(fixture.ring, 1, 8, &slot));
}

static void a_reader_refuses_what_it_does_not_know(void **state)
{
	struct strata_ring_writer_area *area = fixture.writer_area;
	struct strata_ring_geometry other = { 13, 2 };
	struct strata_ring_reader reader;

	(void)state;
#define INIT(geo) strata_reader_init(&reader, geo, area, NULL, fixture.data)
	assert_int_equal(INIT(small_ring), STRATA_READER_OK);
	assert_int_equal(INIT(other), STRATA_READER_OTHER_GEOMETRY);
	other = (struct strata_ring_geometry){ 12, 3 };
	assert_int_equal(INIT(other), STRATA_READER_OTHER_GEOMETRY);
	area->count_bits ^= 96;
	assert_int_equal(INIT(small_ring), STRATA_READER_OTHER_WIDTH);
	area->version++;
	assert_int_equal(INIT(small_ring), STRATA_READER_OTHER_VERSION);
	area->magic = 0;
	assert_int_equal(INIT(small_ring), STRATA_READER_BAD_MAGIC);
#undef INIT
}

static void a_reader_finds_nothing_ready_in_a_commit_seq_that_is_made_up(void **state)
{
	strata_count_t made_up[] = { 1, 4095, 4097, 8192, 16384, ~(strata_count_t)0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++) {
		fixture.writer_area->commit_seq[0] = made_up[i];
		assert_false(strata_reader_ready(&fixture.reader));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SMALL_RING_TEST(any_read_count_of_a_hostile_reader_leaves_the_writer_in_its_areas),
		SMALL_RING_TEST(a_reader_refuses_what_it_does_not_know),
		SMALL_RING_TEST(a_reader_finds_nothing_ready_in_a_commit_seq_that_is_made_up),
	};

	return cmocka_run_group_tests_name("ring_lies", tests, NULL, NULL);
}
