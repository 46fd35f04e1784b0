// SPDX-License-Identifier: GPL-2.0-or-later
/* test_vcpu_places.c - where vCPUs ran, of starts that come in the order of streams, not of time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "clocks/vcpu_places.h"

#define STARTS 204800u

static void starts_in_any_order_give_one_path(void **state)
{
	struct strata_vcpu_places places = { 0 };
	struct strata_vcpu_path path;
	size_t at = 0;

	(void)state;
	assert_true(strata_vcpu_places_add(&places, 100, 1, 0, 3, false));
	assert_true(strata_vcpu_places_add(&places, 300, 1, 0, 3, false));
	assert_true(strata_vcpu_places_add(&places, 200, 1, 0, 5, false));
	assert_true(strata_vcpu_places_add(&places, 250, 1, 1, 6, false));
	assert_true(strata_vcpu_places_add(&places, 350, 1, 0, 3, false));
	/* It was elsewhere when recording began, says a record that came late. */
	assert_true(strata_vcpu_places_add(&places, 150, 1, 0, 7, true));
	assert_true(strata_vcpu_places_settle(&places, UINT64_MAX));
	path = strata_vcpu_places_of(&places, 1, 0);
	assert_int_equal(path.nr, 3);
	assert_int_equal(strata_vcpu_path_find(&path, 99, &at), STRATA_PCPU_NOT_KNOWN);
	assert_int_equal(strata_vcpu_path_find(&path, 100, &at), 3);
	assert_int_equal(strata_vcpu_path_find(&path, 160, &at), 3);
	assert_int_equal(strata_vcpu_path_find(&path, 299, &at), 5);
	assert_int_equal(strata_vcpu_path_find(&path, UINT64_MAX, &at), 3);
	/* Back in time, too. */
	assert_int_equal(strata_vcpu_path_find(&path, 200, &at), 5);
	assert_int_equal(strata_vcpu_places_of(&places, 1, 2).nr, 0);
	assert_int_equal(strata_vcpu_places_of(&places, 1, 1).nr, 1);
	strata_vcpu_places_clear(&places);
}

/* Two CPUs' streams, side by side; one vCPU that moves seldom, and one that moves at each start. */
static void what_is_no_move_takes_no_memory(void **state)
{
	struct strata_vcpu_places places = { 0 };
	struct strata_vcpu_path path;
	size_t at = 0;
	uint64_t i;

	(void)state;
	for (i = 0; i < STARTS; i++) {
		places.known_until = i > 1000 ? i - 1000 : 0;
		assert_true(strata_vcpu_places_add(&places, i ^ 255, 2, 0,
						   (uint32_t)((i ^ 255) / 51200), false));
		if (i < 100)
			assert_true(strata_vcpu_places_add(&places, i, 2, 1, i & 1, false));
	}
	assert_true(places.capacity < 10000);
	assert_true(strata_vcpu_places_settle(&places, UINT64_MAX));
	path = strata_vcpu_places_of(&places, 2, 0);
	assert_int_equal(path.nr, 4);
	for (i = 0; i < STARTS; i++)
		assert_int_equal(strata_vcpu_path_find(&path, i, &at), i / 51200);
	assert_int_equal(strata_vcpu_places_of(&places, 2, 1).nr, 100);
	strata_vcpu_places_clear(&places);
}

static void too_many_moves_are_forgotten(void **state)
{
	struct strata_vcpu_places places = { 0 };
	uint64_t i;

	(void)state;
	for (i = 0; i <= STRATA_VCPU_MOVES_MAX; i++)
		assert_true(strata_vcpu_places_add(&places, i, 1, 0, i & 1, false));
	assert_true(places.full);
	assert_true(strata_vcpu_places_settle(&places, UINT64_MAX));
	assert_int_equal(strata_vcpu_places_of(&places, 1, 0).nr, 0);
	strata_vcpu_places_clear(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_in_any_order_give_one_path),
		cmocka_unit_test(what_is_no_move_takes_no_memory),
		cmocka_unit_test(too_many_moves_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
