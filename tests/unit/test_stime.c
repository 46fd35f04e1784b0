// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_stime.c - Xen's system time and its inverse, on pieces made by hand: before the first one,
 * where time jumps, and where it steps back by more than a piece is long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stime.h"

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
	strata_stime_finish(&stime);
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
	strata_stime_finish(&stime);
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
	strata_stime_finish(&stime);
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
	correct(&stime, 2020, 100810);
	strata_stime_finish(&stime);
	assert_int_equal(strata_stime_first(&stime, 100900), 1900);
	assert_int_equal(strata_stime_last(&stime, 100900), 2110);
	assert_int_equal(strata_stime_first(&stime, 101005), 2005);
	assert_int_equal(strata_stime_last(&stime, 101005), 2215);
	strata_stime_clear(&stime);
}

static void behind_a_gap_nothing_is_sure_until_the_next_piece(void **state)
{
	struct strata_stime stime = { 0 };

	(void)state;
	correct(&stime, 1000, 100000);
	strata_stime_gap(&stime, 1500);
	strata_stime_gap(&stime, 1700);
	correct(&stime, 2000, 101000);
	strata_stime_finish(&stime);
	assert_true(strata_stime_sure(&stime, 1500));
	assert_false(strata_stime_sure(&stime, 1501));
	assert_false(strata_stime_sure(&stime, 1999));
	assert_true(strata_stime_sure(&stime, 2000));
	strata_stime_clear(&stime);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_piece_holds_before_its_begin),
		cmocka_unit_test(what_time_jumped_over_is_where_it_jumped),
		cmocka_unit_test(a_step_back_is_a_span_of_ticks),
		cmocka_unit_test(a_step_back_may_be_longer_than_a_piece),
		cmocka_unit_test(behind_a_gap_nothing_is_sure_until_the_next_piece),
	};

	return cmocka_run_group_tests_name("stime", tests, NULL, NULL);
}
