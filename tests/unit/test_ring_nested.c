// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_nested.c - nested writers at the two places that matter most, told
 * one by one: in the reserve, where the clock is read, and between reserve and
 * commit.  test_ring_interrupted.c tries every other place.
 */
#include <stddef.h>
#include <stdint.h>

static uint64_t ticks_now;
static void (*in_the_reserve)(void);

static uint64_t clock_that_is_interrupted(void)
{
	uint64_t ticks = ticks_now++;
	void (*nested)(void) = in_the_reserve;

	/* The nested writer comes after the clock was read: the reading is old then. */
	in_the_reserve = NULL;
	if (nested)
		nested();
	return ticks;
}

#define strata_clock()           clock_that_is_interrupted()
#define STRATA_WRITERS_SHARE_CPU 1

#include "record_audit.h"

static const struct strata_ring_geometry two_small = { 12, 1 };

static struct ring_fixture fixture;
static struct record_audit audit;

static int open_ring(void **state)
{
	(void)state;
	ticks_now = 1000;
	in_the_reserve = NULL;
	ring_fixture_open(&fixture, two_small, wraps_after(two_small, 1));
	audit_open(&audit, fixture.ring, 4096);
	return 0;
}

static int close_ring(void **state)
{
	(void)state;
	audit_close(&audit);
	ring_fixture_close(&fixture);
	return 0;
}

static bool outer_writes(void)
{
	return audited_write(&audit, fixture.ring, 0, 4);
}

static bool nested_writes(void)
{
	return audited_write(&audit, fixture.ring, 1, 4);
}

static void balance(void)
{
	audit_balance(&audit, &fixture);
	assert_books_balance(&audit);
}

static void write_nested(void)
{
	assert_true(nested_writes());
}

static void fill_the_subbuffer(void)
{
	strata_count_t start = strata_subbuf_start(two_small, fixture.ring->write_count);

	while (strata_subbuf_start(two_small, fixture.ring->write_count) == start)
		assert_true(nested_writes());
}

static void fill_the_buffer(void)
{
	while (nested_writes())
		;
}

static void lap_the_ring(void)
{
	unsigned int i;

	for (i = 0; i < 600; i++) {
		assert_true(nested_writes());
		audit_drain(&audit, &fixture.reader);
	}
}

static void flush(void)
{
	strata_ring_flush(fixture.ring);
}

static void a_writer_nested_in_the_reserve_comes_before_the_outer_one(void **state)
{
	strata_count_t before;

	(void)state;
	assert_true(outer_writes());
	before = fixture.ring->write_count;
	in_the_reserve = write_nested;
	assert_true(outer_writes());
	assert_int_equal(fixture.ring->write_count - before, 2 * (12 + 12 + 16));
	balance();
	assert_int_equal(audit.packets, 1);
}

static void a_writer_nested_in_the_reserve_may_open_the_packet(void **state)
{
	(void)state;
	in_the_reserve = write_nested;
	assert_true(outer_writes());
	balance();
	assert_int_equal(audit.packets, 1);
	assert_int_equal(audit.records, 2);
}

static void a_writer_nested_in_the_reserve_may_close_the_subbuffer(void **state)
{
	(void)state;
	assert_true(outer_writes());
	in_the_reserve = fill_the_subbuffer;
	assert_true(outer_writes());
	assert_int_equal(audit_drain(&audit, &fixture.reader), 1);
	balance();
}

static void a_writer_nested_in_the_reserve_may_fill_the_buffer(void **state)
{
	(void)state;
	assert_true(outer_writes());
	in_the_reserve = fill_the_buffer;
	assert_false(outer_writes());
	assert_int_equal(fixture.ring->lost[STRATA_LOST_FULL], 2);
	assert_int_equal(fixture.ring->lost[STRATA_LOST_NESTED], 0);
	balance();
}

static void a_writer_nested_in_the_reserve_may_lap_the_ring(void **state)
{
	(void)state;
	assert_true(outer_writes());
	in_the_reserve = lap_the_ring;
	assert_true(outer_writes());
	balance();
	assert_int_equal(audit.records, 602);
}

static void a_flush_nested_in_the_reserve_moves_the_record_to_the_next_packet(void **state)
{
	(void)state;
	assert_true(outer_writes());
	in_the_reserve = flush;
	assert_true(outer_writes());
	balance();
	assert_int_equal(audit.packets, 2);
}

static void a_flush_nested_in_a_flush_closes_the_packet_once(void **state)
{
	(void)state;
	assert_true(outer_writes());
	in_the_reserve = flush;
	strata_ring_flush(fixture.ring);
	assert_int_equal(audit_drain(&audit, &fixture.reader), 1);
	balance();
	assert_int_equal(audit.packets, 1);
}

static void nothing(void)
{
}

/* As a kernel's probe whose call stacks take long: the audit finds each record that is earlier than
 * the one before. */
static void a_clock_that_was_read_before_nested_writers_is_read_again(void **state)
{
	static void (*const meanwhile[])(void) = { nothing, write_nested, flush, fill_the_subbuffer,
						   lap_the_ring };
	uint64_t ticks;
	unsigned int i;

	(void)state;
	for (i = 0; i < 2 * sizeof(meanwhile) / sizeof(meanwhile[0]); i++) {
		ticks = ticks_now++;
		meanwhile[i / 2]();
		audit_drain(&audit, &fixture.reader);
		assert_true(audited_write_at(&audit, fixture.ring, 0, 4, ticks));
		/* And a flush before the reading. */
		if (i % 2)
			flush();
		audit_drain(&audit, &fixture.reader);
	}
	balance();
}

static void a_nested_writer_that_laps_an_open_slot_is_lost_as_nested(void **state)
{
	struct strata_slot slot;

	(void)state;
	assert_true(audited_reserve(&audit, fixture.ring, 0, 4, &slot));
	fill_the_buffer();
	/* Not even a reader that lets everything go lets it overwrite the open slot. */
	fixture.reader_area->read_count += strata_buffer_bytes(two_small);
	assert_false(nested_writes());
	fixture.reader_area->read_count -= strata_buffer_bytes(two_small);
	assert_int_equal(fixture.ring->lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(fixture.ring->lost[STRATA_LOST_FULL], 0);
	assert_false(strata_reader_ready(&fixture.reader));

	/* Once it is committed, both packets come, and the ring goes on. */
	strata_ring_commit(fixture.ring, &slot);
	assert_true(strata_reader_ready(&fixture.reader));
	assert_false(nested_writes());
	assert_int_equal(fixture.ring->lost[STRATA_LOST_FULL], 1);
	audit_drain(&audit, &fixture.reader);
	assert_true(nested_writes());
	balance();
	assert_int_equal(audit.lost[STRATA_LOST_NESTED], 2);
	assert_int_equal(audit.lost[STRATA_LOST_FULL], 1);
}

static void slots_may_be_committed_in_any_order(void **state)
{
	struct strata_slot slot[4];
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_true(audited_reserve(&audit, fixture.ring, i, 480, &slot[i]));
	strata_ring_commit(fixture.ring, &slot[3]);
	strata_ring_commit(fixture.ring, &slot[1]);
	strata_ring_commit(fixture.ring, &slot[2]);
	assert_false(strata_reader_ready(&fixture.reader));
	strata_ring_commit(fixture.ring, &slot[0]);
	assert_true(strata_reader_ready(&fixture.reader));
	balance();
	assert_int_equal(audit.records, 4);
}

static void a_second_packet_that_is_complete_first_waits_for_its_turn(void **state)
{
	struct strata_slot slot;

	(void)state;
	assert_true(audited_reserve(&audit, fixture.ring, 0, 4, &slot));
	flush();
	assert_true(nested_writes());
	flush();
	assert_false(strata_reader_ready(&fixture.reader));
	strata_ring_commit(fixture.ring, &slot);
	assert_int_equal(audit_drain(&audit, &fixture.reader), 2);
	balance();
}

static void a_delivery_is_announced_to_the_home(void **state)
{
	(void)state;
	assert_true(outer_writes());
	assert_false(fixture.ring->delivered);
	flush();
	assert_true(fixture.ring->delivered);
	fixture.ring->delivered = false;
	flush();
	assert_false(fixture.ring->delivered);
	balance();
}

static void probes_nest_up_to_the_limit_and_the_next_is_lost_as_nested(void **state)
{
	unsigned int depth, again;

	(void)state;
	for (again = 0; again < 3; again++) {
		for (depth = 1; depth <= STRATA_RING_NESTING_MAX; depth++) {
			assert_true(strata_ring_enter(fixture.ring));
			assert_int_equal(fixture.ring->nesting, depth);
		}
		assert_false(strata_ring_enter(fixture.ring));
		assert_int_equal(fixture.ring->nesting, STRATA_RING_NESTING_MAX);
		while (depth-- > 1)
			strata_ring_exit(fixture.ring);
		assert_int_equal(fixture.ring->nesting, 0);
	}
	assert_int_equal(strata_reader_lost(&fixture.reader, STRATA_LOST_NESTED), 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_writer_nested_in_the_reserve_comes_before_the_outer_one),
		TEST(a_writer_nested_in_the_reserve_may_open_the_packet),
		TEST(a_writer_nested_in_the_reserve_may_close_the_subbuffer),
		TEST(a_writer_nested_in_the_reserve_may_fill_the_buffer),
		TEST(a_writer_nested_in_the_reserve_may_lap_the_ring),
		TEST(a_flush_nested_in_the_reserve_moves_the_record_to_the_next_packet),
		TEST(a_flush_nested_in_a_flush_closes_the_packet_once),
		TEST(a_clock_that_was_read_before_nested_writers_is_read_again),
		TEST(a_nested_writer_that_laps_an_open_slot_is_lost_as_nested),
		TEST(slots_may_be_committed_in_any_order),
		TEST(a_second_packet_that_is_complete_first_waits_for_its_turn),
		TEST(a_delivery_is_announced_to_the_home),
		TEST(probes_nest_up_to_the_limit_and_the_next_is_lost_as_nested),
	};

	return cmocka_run_group_tests_name("ring_nested", tests, NULL, NULL);
}
