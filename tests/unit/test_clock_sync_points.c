// SPDX-License-Identifier: GPL-2.0-or-later
/* test_clock_sync_points.c - constraints in order, and by how much they are loosened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "clock_sync/hulls/points.h"
#include "clock_sync/hulls/units.h"

static void of_equal_instants_the_stricter_comes_first(void **state)
{
	static const struct strata_point given[] = { { 5, 10, 1 }, { 3, 7, 2 }, { 5, -20, 3 },
						     { 5, 30, 4 }, { 1, 0, 5 }, { 5, 10, 0 } };
	static const uint64_t orders[STRATA_SIDES][6] = {
		[STRATA_ABOVE] = { 5, 2, 3, 0, 1, 4 }, [STRATA_BELOW] = { 5, 2, 4, 0, 1, 3 }
	};
	int side;

	(void)state;
	for (side = 0; side < STRATA_SIDES; side++) {
		struct strata_points points = { 0 };
		unsigned int i;

		for (i = 0; i < 6; i++)
			assert_true(strata_points_add(&points, &given[i]));
		strata_points_sort(&points, (enum strata_side)side);
		for (i = 0; i < 6; i++)
			assert_int_equal(points.at[i].cookie, orders[side][i]);
		strata_points_clear(&points);
	}
}

/* A curve whose slope is bounded is never farther from its tangent than twice the bound allows;
 * nearby, less far, as its slope cannot change at once.  Both agree where one gives way. */
static void a_lift_grows_with_the_distance_up_to_what_drift_allows(void **state)
{
	const struct strata_model model = strata_model_make(50000, 1000000);
	int64_t distance, before = 0, lift, i;

	(void)state;
	assert_in_range(model.far, STRATA_GRAIN_SECOND, 1000 * STRATA_GRAIN_SECOND);
	for (i = 1; i < 400; i++) {
		distance = model.far / 100 * i;
		lift = strata_least_lift(&model, distance);
		assert_true(lift >= before);
		assert_int_equal(lift, strata_least_lift(&model, -distance));
		assert_true(lift <= 2 * strata_drift_over(&model, distance) + 2);
		if (distance > model.far)
			assert_int_equal(lift, 2 * strata_drift_over(&model, distance));
		before = lift;
	}
	/* 50 ppm of a second, in 1/16 ns. */
	assert_int_equal(strata_drift_over(&model, STRATA_GRAIN_SECOND), 50000 * 16);
	assert_int_equal(strata_drift_over(&model, -STRATA_GRAIN_SECOND), 50000 * 16);
	assert_int_equal(strata_drift_over(&model, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_equal_instants_the_stricter_comes_first),
		cmocka_unit_test(a_lift_grows_with_the_distance_up_to_what_drift_allows),
	};

	return cmocka_run_group_tests_name("clock_sync_points", tests, NULL, NULL);
}
