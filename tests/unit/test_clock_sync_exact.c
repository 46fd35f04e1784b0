// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clock_sync_exact.c - maps that are known exactly: what their bound is, and where a reading
 * has two answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock_sync/exact.h"
#include "clock_sync/units.h"

static const struct strata_clock_rate ghz = { 1000000000, 1 };

static strata_wide ns(int64_t number)
{
	return (strata_wide)number << STRATA_FINE_SHIFT;
}

static void the_bound_of_a_piece_is_that_of_its_times(void **state)
{
	const struct strata_clock_piece piece = { .numerator = 1, .denominator = 1, .bound = 10 };
	struct strata_exact_value value;
	struct strata_exact exact = { 0 };

	(void)state;
	assert_true(strata_exact_add(&exact, &piece));
	assert_true(strata_exact_prepare(&exact, &ghz, &ghz));
	value = strata_exact_forward(&exact, &ghz, &ghz, ns(5000));
	assert_true(value.known && value.time == ns(5000));
	assert_true(value.half >= ns(10) && value.half < ns(11));
	value = strata_exact_backward(&exact, &ghz, &ghz, ns(5000));
	assert_true(value.known && value.time == ns(5000));
	assert_true(value.half >= ns(10) && value.half < ns(11));
	assert_false(value.unsure);
	strata_exact_clear(&exact);
}

/* Set back by 500 at 1000: what it says then it has said before. */
static void of_two_answers_the_first_is_taken_and_holds_both(void **state)
{
	const struct strata_clock_piece first = { .numerator = 1, .denominator = 1 };
	const struct strata_clock_piece second = {
		.from_reading = 1000, .x0 = 1000, .y0 = 500, .numerator = 1, .denominator = 1
	};
	struct strata_exact_value value;
	struct strata_exact exact = { 0 };

	(void)state;
	assert_true(strata_exact_add(&exact, &second));
	assert_true(strata_exact_add(&exact, &first));
	assert_true(strata_exact_prepare(&exact, &ghz, &ghz));
	value = strata_exact_backward(&exact, &ghz, &ghz, ns(700));
	assert_true(value.known && value.time == ns(700));
	assert_true(value.unsure);
	assert_true(value.half >= ns(500));
	value = strata_exact_backward(&exact, &ghz, &ghz, ns(300));
	assert_true(value.known && value.time == ns(300));
	assert_false(value.unsure);
	value = strata_exact_backward(&exact, &ghz, &ghz, ns(1500));
	assert_true(value.known && value.time == ns(2000));
	assert_false(value.unsure);
	strata_exact_clear(&exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bound_of_a_piece_is_that_of_its_times),
		cmocka_unit_test(of_two_answers_the_first_is_taken_and_holds_both),
	};

	return cmocka_run_group_tests_name("clock_sync_exact", tests, NULL, NULL);
}
