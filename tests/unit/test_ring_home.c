// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_home.c - a ring's home besides writing: it reads for its reader, and it ends the ring.
 */
#include "small_ring.h"

#include <strata/ring_end.h>

/* The reader's steps in a home that takes them for it: in either mode, each packet once. */
static void a_home_reads_for_its_reader(void **state)
{
	unsigned int mode, round, i;

	(void)state;
	for (mode = 0; mode < 2; mode++) {
		unsigned int spare;
		int page;

		ring_fixture_reset(&fixture, small_ring, 0);
		fixture.ring->overwrite = mode;
		audit_reset(&audit, fixture.ring);
		spare = fixture.reader.spare;
		for (round = 0; round < 10; round++) {
			/* More than the ring holds, where that is overwritten. */
			for (i = 0; i < (mode ? 6 : 3); i++) {
				assert_true(write_bytes(100));
				strata_ring_flush(fixture.ring);
			}
			for (i = 0; (page = strata_ring_get(fixture.ring, &spare)) >= 0; i++) {
				audit_packet(&audit, fixture.data + ((size_t)page
								     << small_ring.subbuf_bits));
				strata_ring_put(fixture.ring);
			}
			assert_int_equal(i, mode ? 4 : 3);
			assert_int_equal(fixture.reader_area->read_count,
					 fixture.ring->write_count);
		}
		assert_int_equal(audit.errors, 0);
		assert_int_equal(audit.packets, mode ? 40 : 30);
	}
}

/* However far back the slot lies that is not committed: the ring is settled when it is. */
static void a_ring_that_was_ended_is_settled_when_all_is_committed(void **state)
{
	struct strata_slot slot;
	unsigned int behind, i;

	(void)state;
	for (behind = 0; behind < strata_nr_subbufs(small_ring); behind++) {
		ring_fixture_reset(&fixture, small_ring, 0);
		audit_reset(&audit, fixture.ring);
		for (i = 0; i < 2; i++)
			assert_true(write_bytes(100));
		assert_true(audited_reserve(&audit, fixture.ring, 1, 8, &slot));
		for (i = 0; i < behind; i++) {
			strata_ring_flush(fixture.ring);
			assert_true(write_bytes(100));
		}
		strata_ring_end(fixture.ring);
		assert_false(strata_ring_settled(fixture.ring));
		assert_false(write_bytes(100));
		strata_ring_commit(fixture.ring, &slot);
		assert_true(strata_ring_settled(fixture.ring));
		assert_int_equal(fixture.ring->lost[STRATA_LOST_FULL], 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SMALL_RING_TEST(a_home_reads_for_its_reader),
		SMALL_RING_TEST(a_ring_that_was_ended_is_settled_when_all_is_committed),
	};

	return cmocka_run_group_tests_name("ring_home", tests, NULL, NULL);
}
