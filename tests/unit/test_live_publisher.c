// SPDX-License-Identifier: GPL-2.0-or-later
/* test_live_publisher.c - slots of the live table, which streams that come and go use in turn. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/live_table.h"
#include "consumerd/live_publisher.h"

/* Followers have time to see that the slot's previous stream has ended. */
static void a_slot_that_is_free_again_is_used_last(void **state)
{
	char dir[] = "/tmp/strata-follow-XXXXXX";
	struct strata_error error;
	struct strata_dir opened;
	struct live_publisher *live;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_dir_open(&opened, dir, &error), 0);
	live = live_publisher_open(&opened, &error);
	assert_non_null(live);
	for (i = 0; i < 2 * STRATA_LIVE_SLOTS; i++) {
		assert_int_equal(live_publisher_add(live, i, 0, 1), i % STRATA_LIVE_SLOTS);
		live_publisher_end(live, i % STRATA_LIVE_SLOTS, 100);
	}
	live_publisher_close(live);
	strata_dir_close(&opened);
	test_remove_dir(dir);
}

static void a_slot_is_used_again_when_all_others_were(void **state)
{
	char dir[] = "/tmp/strata-follow-XXXXXX";
	struct strata_error error;
	struct strata_dir opened;
	struct live_publisher *live;
	uint32_t i;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_dir_open(&opened, dir, &error), 0);
	live = live_publisher_open(&opened, &error);
	assert_non_null(live);
	for (i = 0; i < STRATA_LIVE_SLOTS; i++)
		assert_int_equal(live_publisher_add(live, i, 0, 1), i);
	assert_int_equal(live_publisher_add(live, i, 0, 1), LIVE_NO_SLOT);
	live_publisher_end(live, 7, 100);
	live_publisher_end(live, 3, 100);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 3);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 7);
	live_publisher_end(live, 5, 100);
	live_publisher_end(live, 9, 100);
	/* The one that others were used since comes first. */
	assert_int_equal(live_publisher_add(live, i, 0, 1), 9);
	assert_int_equal(live_publisher_add(live, i, 0, 1), 5);
	assert_int_equal(live_publisher_add(live, i, 0, 1), LIVE_NO_SLOT);
	live_publisher_set(live, LIVE_NO_SLOT, 1, 1);
	live_publisher_close(live);
	strata_dir_close(&opened);
	test_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_that_is_free_again_is_used_last),
		cmocka_unit_test(a_slot_is_used_again_when_all_others_were),
	};

	return cmocka_run_group_tests_name("live_publisher", tests, NULL, NULL);
}
