// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_stime.c - Xen's system time and its inverse, on pieces made by hand: before the first one,
 * where time jumps, where it steps back by more than a piece is long, where records are missing,
 * and where two may hold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clocks/stime.h"

/* From @ticks on, system time is @ns there, and goes on by one a tick. */
static void correct(struct strata_stime *stime, uint64_t ticks, uint64_t ns)
{
	const struct strata_hv_pcpu_clock clock = {
		.local_tsc = ticks, .local_stime_ns = ns, .mul_frac = 1u << 31, .shift = 1
	};

	assert_true(strata_stime_add(stime, ticks, &clock));
}

static void the_first_piece_holds_before_its_begin(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 5000, 100000);
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 99900), 4900);
	assert_int_equal(strata_stime_last(&stime, 99900), 4900);
	assert_int_equal(strata_stime_first(&stime, 100000), 5000);
	assert_int_equal(strata_stime_first(&stime, 100010), 5010);
	strata_stime_clear(&stime);
}

static void what_time_jumped_over_is_where_it_jumped(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	correct(&stime, 2000, 105000); /* it would be 101000 */
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 103000), 2000);
	assert_int_equal(strata_stime_last(&stime, 103000), 1999);
	assert_int_equal(strata_stime_last(&stime, 105007), 2007);
	strata_stime_clear(&stime);
}

static void a_step_back_is_a_span_of_ticks(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	correct(&stime, 2000, 100700); /* it would be 101000 */
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 100800), 1800);
	assert_int_equal(strata_stime_last(&stime, 100800), 2100);
	strata_stime_clear(&stime);
}

/* The third piece begins below where the second one does. */
static void a_step_back_may_be_longer_than_a_piece(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	correct(&stime, 2000, 101000);
	correct(&stime, 2010, 100800);
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 100900), 1900);
	assert_int_equal(strata_stime_last(&stime, 100900), 2110);
	strata_stime_clear(&stime);
	correct(&stime, 1000, 100000);
	correct(&stime, 2000, 101000);
	correct(&stime, 2010, 100800);
	correct(&stime, 2020, 100810);
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 100900), 1900);
	assert_int_equal(strata_stime_last(&stime, 100900), 2110);
	assert_int_equal(strata_stime_first(&stime, 101005), 2005);
	assert_int_equal(strata_stime_last(&stime, 101005), 2215);
	strata_stime_clear(&stime);
}

/* All lines are equally steep: in between, time is from where it was to where it is again. */
static void in_a_gap_time_is_any_of_a_range(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	assert_true(strata_stime_gap(&stime, 1500, 1700));
	correct(&stime, 2000, 105000);
	assert_true(strata_stime_finish(&stime));
	assert_true(strata_stime_sure(&stime, 0, 1500));
	assert_false(strata_stime_sure(&stime, 1501, 1501));
	assert_false(strata_stime_sure(&stime, 0, 3000));
	assert_false(strata_stime_sure(&stime, 1999, 2500));
	assert_true(strata_stime_sure(&stime, 2000, 2500));
	/* A reading from before it, one from it, and one from behind it. */
	assert_int_equal(strata_stime_first(&stime, 100490), 1490);
	assert_int_equal(strata_stime_last(&stime, 100490), 1490);
	assert_int_equal(strata_stime_first(&stime, 102000), 1501);
	assert_int_equal(strata_stime_last(&stime, 102000), 1999);
	assert_int_equal(strata_stime_guess(&stime, 101500), 2500);
	assert_int_equal(strata_stime_first(&stime, 105010), 2010);
	assert_int_equal(strata_stime_last(&stime, 105010), 2010);
	strata_stime_clear(&stime);
}

/* Where lines are not equally steep, one may be half as steep as the other. */
static void a_line_that_is_missing_may_be_half_as_steep(void **state)
{
	const struct strata_hv_pcpu_clock slower = {
		.local_tsc = 3000, .local_stime_ns = 103000, .mul_frac = 3u << 29, .shift = 1
	};
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	assert_true(strata_stime_gap(&stime, 2000, 2001));
	assert_true(strata_stime_add(&stime, 3400, &slower)); /* at 103300 then */
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_last(&stime, 100495), 1495);
	assert_int_equal(strata_stime_last(&stime, 100500), 3399);
	assert_int_equal(strata_stime_first(&stime, 103600), 2001);
	assert_int_equal(strata_stime_first(&stime, 103605), 3807);
	strata_stime_clear(&stime);
}

/* Corrections within a gap may have been corrected again. */
static void what_was_recorded_within_a_gap_is_not_sure(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	assert_true(strata_stime_gap(&stime, 1500, 2500));
	correct(&stime, 2000, 101000);
	correct(&stime, 2200, 101900);
	assert_true(strata_stime_gap(&stime, 2600, 2700));
	correct(&stime, 3000, 102000);
	assert_true(strata_stime_finish(&stime));
	assert_false(strata_stime_sure(&stime, 2100, 2100));
	assert_false(strata_stime_sure(&stime, 2550, 2550));
	assert_true(strata_stime_sure(&stime, 3000, 3000));
	/* Nor is it known of the second gap that time was later there. */
	assert_int_equal(strata_stime_last(&stime, 101000), 2999);
	/* Again, as followers of a recording do. */
	correct(&stime, 4000, 103000);
	assert_true(strata_stime_finish(&stime));
	assert_false(strata_stime_sure(&stime, 2100, 2100));
	assert_true(strata_stime_sure(&stime, 3000, 5000));
	assert_int_equal(stime.nr, 4);
	strata_stime_clear(&stime);
}

/* The last record before the gap is not extended into it. */
static void behind_a_gap_time_may_be_less_than_it_seemed(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	assert_true(strata_stime_gap(&stime, 1500, 1700));
	correct(&stime, 2000, 100600);
	assert_true(strata_stime_finish(&stime));
	assert_int_equal(strata_stime_first(&stime, 100800), 2200);
	assert_int_equal(strata_stime_last(&stime, 100800), 2200);
	strata_stime_clear(&stime);
}

static void a_vague_place_within_another_does_not_end_it(void **state)
{
	const struct strata_stime_piece vague[] = {
		{ .from_ticks = 100, .until_ticks = 500, .most_ns = 1000 },
		{ .from_ticks = 200, .until_ticks = 300, .most_ns = 1000 },
	};
	struct strata_stime stime = { 0 };

	(void)state;
	assert_true(strata_stime_add_piece(&stime, &vague[0]));
	assert_true(strata_stime_add_piece(&stime, &vague[1]));
	strata_stime_finish_parts(&stime);
	assert_false(strata_stime_sure(&stime, 400, 400));
	assert_true(strata_stime_sure(&stime, 501, 501));
	assert_int_equal(strata_stime_last(&stime, 500), 500);
	strata_stime_clear(&stime);
}

static void before_the_first_and_after_the_last_nothing_is_known_in_a_gap(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	assert_true(strata_stime_gap(&stime, 0, 900));
	correct(&stime, 1000, 100000);
	assert_true(strata_stime_gap(&stime, 2000, 2500));
	assert_true(strata_stime_finish(&stime));
	assert_false(strata_stime_sure(&stime, 999, 999));
	assert_true(strata_stime_sure(&stime, 1000, 2000));
	assert_false(strata_stime_sure(&stime, 2001, 2001));
	assert_int_equal(strata_stime_first(&stime, 99000), 0);
	assert_int_equal(strata_stime_last(&stime, 99000), 999);
	assert_int_equal(strata_stime_first(&stime, 500000), 2001);
	assert_int_equal(strata_stime_last(&stime, 500000), UINT64_MAX);
	/* It is put where it belongs if nothing is missing. */
	assert_int_equal(strata_stime_guess(&stime, 500000), 401000);
	strata_stime_clear(&stime);
}

static void a_cpu_of_which_all_is_missing_may_be_at_any_time(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	assert_true(strata_stime_gap(&stime, 10, 20));
	assert_true(strata_stime_finish(&stime));
	assert_false(strata_stime_sure(&stime, 5, 5));
	assert_int_equal(strata_stime_first(&stime, 77), 0);
	assert_int_equal(strata_stime_last(&stime, 77), UINT64_MAX);
	assert_int_equal(strata_stime_guess(&stime, 77), 0);
	strata_stime_clear(&stime);
}

/* Two CPUs' parts: which of them holds at 2000 to 2099 is not known. */
static void where_parts_overlap_either_may_hold(void **state)
{
	struct strata_stime one = { 0 }, other = { 0 }, both = { 0 };

	(void)state;
	correct(&one, 1000, 100000);
	correct(&other, 1000, 90000);
	assert_true(strata_stime_finish(&one));
	assert_true(strata_stime_finish(&other));
	assert_true(strata_stime_add_part(&both, &one, 0, 2099));
	assert_true(strata_stime_add_part(&both, &other, 2000, UINT64_MAX));
	strata_stime_finish_parts(&both);
	/* 101050 was the first one's at 2050; the other gets there at 12050. */
	assert_int_equal(strata_stime_first(&both, 101050), 2000);
	assert_int_equal(strata_stime_last(&both, 101050), 12050);
	/* 91050 is the other's at 2050. */
	assert_int_equal(strata_stime_last(&both, 91050), 2099);
	assert_int_equal(strata_stime_first(&both, 100500), 1500);
	assert_int_equal(strata_stime_last(&both, 91200), 2200);
	strata_stime_clear(&one);
	strata_stime_clear(&other);
	strata_stime_clear(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_piece_holds_before_its_begin),
		cmocka_unit_test(what_time_jumped_over_is_where_it_jumped),
		cmocka_unit_test(a_step_back_is_a_span_of_ticks),
		cmocka_unit_test(a_step_back_may_be_longer_than_a_piece),
		cmocka_unit_test(in_a_gap_time_is_any_of_a_range),
		cmocka_unit_test(a_line_that_is_missing_may_be_half_as_steep),
		cmocka_unit_test(what_was_recorded_within_a_gap_is_not_sure),
		cmocka_unit_test(behind_a_gap_time_may_be_less_than_it_seemed),
		cmocka_unit_test(a_vague_place_within_another_does_not_end_it),
		cmocka_unit_test(before_the_first_and_after_the_last_nothing_is_known_in_a_gap),
		cmocka_unit_test(a_cpu_of_which_all_is_missing_may_be_at_any_time),
		cmocka_unit_test(where_parts_overlap_either_may_hold),
	};

	return cmocka_run_group_tests_name("stime", tests, NULL, NULL);
}
