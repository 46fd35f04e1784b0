// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ring_peek.c - a ring's records are read, and stay there for its own reader. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "consumerd/rings/ring_peek.h"

static uint32_t nr_subbufs(void)
{
	return (uint32_t)strata_nr_subbufs(test_ring_geometry);
}

/* The number in the first record of the sub-buffer that get found. */
static uint32_t first_number(const struct ring *ring)
{
	const unsigned char *subbuf = strata_reader_subbuf(&ring->reader);
	uint32_t id, number;
	uint64_t ticks;
	uint32_t header = strata_header_read(
		STRATA_HEADER_FULL, subbuf + STRATA_PACKET_HEADER_BYTES, 64, 0, &id, &ticks);

	memcpy(&number, subbuf + STRATA_PACKET_HEADER_BYTES + header + sizeof(int32_t),
	       sizeof(number));
	return number;
}

static void open_overwritten(struct test_ring *ring)
{
	test_ring_open(ring, 0);
	ring->writer->overwrite = ring->ring.reader.overwrite = true;
}

/* Sub-buffers that begin with the numbers from @from on, one record in each. */
static void write_subbufs(struct test_ring *ring, uint32_t from, uint32_t nr)
{
	while (nr--) {
		test_ring_put(ring, from++);
		strata_ring_flush(ring->writer);
	}
}

/* Reads all, which must be numbers that follow one another.  How many; @first: OUT */
static uint32_t read_all(struct ring *ring, uint32_t *first)
{
	struct strata_error error = { "" };
	uint32_t nr = 0;

	while (ring->get(ring, &error) > 0) {
		if (nr == 0)
			*first = first_number(ring);
		assert_int_equal(first_number(ring), *first + nr);
		nr++;
		assert_int_equal(ring->put(ring, &error), 0);
	}
	return nr;
}

static void what_is_peeked_at_stays_for_the_ring_s_reader(void **state)
{
	struct test_ring ring;
	struct ring *peek;
	uint32_t first;
	int again;

	(void)state;
	open_overwritten(&ring);
	write_subbufs(&ring, 0, 10);
	for (again = 0; again < 2; again++) {
		peek = ring_peek_make(&ring.ring);
		assert_non_null(peek);
		assert_int_equal(read_all(peek, &first), 10);
		assert_int_equal(first, 0);
		ring_peek_free(peek);
	}
	assert_int_equal(read_all(&ring.ring, &first), 10);
	assert_int_equal(first, 0);
	test_ring_close(&ring);
}

/* Where the writer is many turns ahead, only the sub-buffers close before it are left out. */
static void what_the_writer_may_be_writing_is_left_out(void **state)
{
	struct test_ring ring;
	uint32_t first, nr, total = 5 * nr_subbufs() + 7;
	struct ring *peek;

	(void)state;
	open_overwritten(&ring);
	write_subbufs(&ring, 0, total);
	peek = ring_peek_make(&ring.ring);
	assert_non_null(peek);
	nr = read_all(peek, &first);
	assert_int_equal(first + nr, total);
	assert_true(nr >= nr_subbufs() - 3 && nr < nr_subbufs());
	ring_peek_free(peek);
	test_ring_close(&ring);
}

/* The writer goes on while the ring is peeked at: overwritten sub-buffers are passed over, and none
 * mixes two turns. */
static void a_writer_that_goes_on_is_not_met(void **state)
{
	struct strata_error error = { "" };
	struct test_ring ring;
	struct ring *peek;
	uint32_t written, last = 0, nr = 0;

	(void)state;
	open_overwritten(&ring);
	write_subbufs(&ring, 1, nr_subbufs());
	written = nr_subbufs();
	peek = ring_peek_make(&ring.ring);
	assert_non_null(peek);
	while (nr < 200 && peek->get(peek, &error) > 0) {
		const uint32_t number = first_number(peek);

		assert_true(number > last);
		assert_true(number <= written);
		last = number;
		write_subbufs(&ring, written + 1, 1 + nr % 5);
		written += 1 + nr % 5;
		/* The copy is the peeking reader's own. */
		assert_int_equal(first_number(peek), number);
		assert_int_equal(peek->put(peek, &error), 0);
		nr++;
	}
	assert_int_equal(nr, 200);
	ring_peek_free(peek);
	test_ring_close(&ring);
}

/* Commit seqs of no ring: reading ends, without anything that was not there. */
static void words_of_no_ring_end_it(void **state)
{
	struct strata_error error = { "" };
	struct test_ring ring;
	struct ring *peek;
	unsigned int round, i;

	(void)state;
	open_overwritten(&ring);
	write_subbufs(&ring, 0, 4);
	for (round = 0; round < 1000; round++) {
		srand(round);
		for (i = 0; i < nr_subbufs(); i++) {
			ring.writer_area->commit_seq[i] = (strata_count_t)rand()
							  << (rand() % 33) << (rand() % 33);
			ring.writer_area->page[i] = (uint16_t)rand();
		}
		peek = ring_peek_make(&ring.ring);
		assert_non_null(peek);
		for (i = 0; i <= 2 * nr_subbufs() && peek->get(peek, &error) > 0; i++)
			assert_int_equal(peek->put(peek, &error), 0);
		assert_true(i <= nr_subbufs());
		ring_peek_free(peek);
	}
	test_ring_close(&ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_peeked_at_stays_for_the_ring_s_reader),
		cmocka_unit_test(what_the_writer_may_be_writing_is_left_out),
		cmocka_unit_test(a_writer_that_goes_on_is_not_met),
		cmocka_unit_test(words_of_no_ring_end_it),
	};

	return cmocka_run_group_tests_name("ring peek", tests, NULL, NULL);
}
