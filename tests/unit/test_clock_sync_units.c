// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clock_sync_units.c - rounding, where the clocks of machines are computed: a bound that is
 * rounded to the wrong side is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock_sync/hulls/units.h"

static void quotients_are_rounded_to_the_side_that_is_asked_for(void **state)
{
	int dividend;

	(void)state;
	for (dividend = -9; dividend <= 9; dividend++) {
		const strata_wide floor = strata_floor_div(dividend, 3);
		const strata_wide ceil = strata_ceil_div(dividend, 3);
		const strata_wide near = strata_round_div(dividend, 3);

		assert_true(floor * 3 <= dividend && dividend < (floor + 1) * 3);
		assert_true(ceil * 3 >= dividend && dividend > (ceil - 1) * 3);
		assert_true(near * 3 - dividend >= -1 && near * 3 - dividend <= 1);
	}
	assert_true(strata_ceil_shift(0, 4) == 0);
	assert_true(strata_ceil_shift(1, 4) == 1);
	assert_true(strata_ceil_shift(16, 4) == 1);
	assert_true(strata_ceil_shift(17, 4) == 2);
	assert_true(strata_ceil_shift(-1, 4) == 0);
	assert_true(strata_ceil_shift(-16, 4) == -1);
	assert_true(strata_ceil_shift(-17, 4) == -1);
}

/* At and beyond the ends of 64 bits, of either number. */
static void long_quotients_are_rounded_down_as_well(void **state)
{
	static const int64_t ends[] = { INT64_MIN, INT64_MAX };
	static const strata_wide divisors[] = { 1, 3, INT64_MAX, (strata_wide)INT64_MAX + 1,
						(strata_wide)1 << 70 };
	size_t end, i;
	int by;

	(void)state;
	for (end = 0; end < 2; end++) {
		for (by = -4; by <= 4; by++) {
			for (i = 0; i < sizeof(divisors) / sizeof(divisors[0]); i++) {
				const strata_wide dividend = (strata_wide)ends[end] + by;
				const strata_wide floor = strata_floor_div(dividend, divisors[i]);

				assert_true(floor * divisors[i] <= dividend);
				assert_true(dividend - floor * divisors[i] < divisors[i]);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotients_are_rounded_to_the_side_that_is_asked_for),
		cmocka_unit_test(long_quotients_are_rounded_down_as_well),
	};

	return cmocka_run_group_tests_name("clock_sync_units", tests, NULL, NULL);
}
