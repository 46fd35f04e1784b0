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

static char dir[] = "/tmp/strata-follow-XXXXXX";
static struct strata_dir opened;

static int open_publisher(void **state)
{
	struct strata_error error;

	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	assert_int_equal(strata_dir_open(&opened, dir, &error), 0);
	*state = live_publisher_open(&opened, &error);
	assert_non_null(*state);
	return 0;
}

static int close_publisher(void **state)
{
	live_publisher_close(*state);
	strata_dir_close(&opened);
	test_remove_dir(dir);
	return 0;
}

/* Followers have time to see that the slot's previous stream has ended. */
static void a_slot_that_is_free_again_is_used_last(void **state)
{
	struct live_publisher *live = *state;
	uint32_t i;

	for (i = 0; i < 2 * STRATA_LIVE_SLOTS; i++) {
		assert_int_equal(live_publisher_add(live, i, 0, 1), i % STRATA_LIVE_SLOTS);
		live_publisher_end(live, i % STRATA_LIVE_SLOTS, 100);
	}
}

static void a_slot_is_used_again_when_all_others_were(void **state)
{
	struct live_publisher *live = *state;
	uint32_t i;

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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_slot_that_is_free_again_is_used_last,
						open_publisher, close_publisher),
		cmocka_unit_test_setup_teardown(a_slot_is_used_again_when_all_others_were,
						open_publisher, close_publisher),
	};

	return cmocka_run_group_tests_name("live_publisher", tests, NULL, NULL);
}
