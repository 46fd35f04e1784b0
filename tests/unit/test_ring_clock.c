// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_clock.c - the times of a ring's records: a clock that steps back, that shows the same
 * time again, or that goes on by so little that a short header has the time.
 */
#include "small_ring.h"

static void a_clock_that_steps_back_opens_a_new_packet(void **state)
{
	(void)state;
	audit.clock_steps_back = true;
	ticks_now = 9000;
	assert_true(write_bytes(100));
	ticks_now = 8000;
	assert_true(write_bytes(100));
	assert_int_equal(next_packet()->timestamp_end, next_packet()->timestamp_begin);
	assert_in_range(next_packet()->timestamp_end, 9000, 9010);
	assert_int_equal(audit_drain(&audit, &fixture.reader), 1);
	assert_true(write_bytes(100)); /* time goes on from where it is: the same packet */
	assert_false(strata_reader_ready(&fixture.reader));
	strata_ring_flush(fixture.ring);
	assert_in_range(next_packet()->timestamp_begin, 8000, 8010);
	assert_in_range(next_packet()->timestamp_end, 8000, 8010);
	balance();
}

static void a_clock_that_steps_back_costs_one_packet_and_no_more(void **state)
{
	unsigned int i;

	(void)state;
	audit.clock_steps_back = true;
	ticks_now = 1000000000;
	for (i = 0; i < 400; i++) {
		assert_true(write_bytes(100));
		audit_drain(&audit, &fixture.reader);
	}
	ticks_now = 1000;
	audit.packets = 0;
	for (i = 0; i < 400; i++) {
		assert_true(write_bytes(100));
		audit_drain(&audit, &fixture.reader);
	}
	/* The one that was open, and 39 records in each other. */
	assert_in_range(audit.packets, 10, 1 + 400 / 39);
	balance();
}

static void a_clock_that_steps_about_never_runs_back_in_a_packet(void **state)
{
	uint32_t random = 1, i;

	(void)state;
	audit.clock_steps_back = true;
	/* Through 2^63, where a signed comparison of the ticks themselves would turn. */
	ticks_now = ((uint64_t)1 << 63) - 500000;
	for (i = 0; i < 20000; i++) {
		random = random * 1103515245u + 12345u;
		if (random >> 28 == 0)
			ticks_now -= random >> 8 & 0xff;
		else if (random >> 28 == 1)
			ticks_now += random >> 8 & 0xfff;
		audited_write(&audit, fixture.ring, 0, random >> 16 & 31);
		audit_drain(&audit, &fixture.reader);
	}
	balance();
	assert_int_equal(audit.records, 20000);
}

static void a_clock_that_shows_the_same_time_again_is_no_step(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		ticks_now = 7000;
		assert_true(write_bytes(100));
	}
	assert_false(strata_reader_ready(&fixture.reader));
	balance();
}

/* The purpose of short headers: all but a packet's first are short, whatever the time is. */
static void records_soon_after_one_another_have_short_headers(void **state)
{
	enum strata_header_form form;
	unsigned int i;

	(void)state;
	for (form = STRATA_HEADER_COMPACT; form < STRATA_NR_HEADER_FORMS; form++) {
		fixture.form = form;
		ring_fixture_reset(&fixture, small_ring, 0);
		audit_reset(&audit, fixture.ring);
		ticks_now = 1ull << 50;
		for (i = 0; i < 100; i++) {
			assert_true(write_bytes(200));
			audit_drain(&audit, &fixture.reader);
		}
		balance();
		assert_int_equal(audit.records, 100);
		assert_int_equal(audit.short_headers, audit.records - audit.packets);
	}
	fixture.form = STRATA_HEADER_FULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SMALL_RING_TEST(a_clock_that_steps_back_opens_a_new_packet),
		SMALL_RING_TEST(a_clock_that_steps_back_costs_one_packet_and_no_more),
		SMALL_RING_TEST(a_clock_that_steps_about_never_runs_back_in_a_packet),
		SMALL_RING_TEST(a_clock_that_shows_the_same_time_again_is_no_step),
		SMALL_RING_TEST(records_soon_after_one_another_have_short_headers),
	};

	return cmocka_run_group_tests_name("ring_clock", tests, NULL, NULL);
}
