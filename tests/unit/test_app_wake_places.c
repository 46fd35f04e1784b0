// SPDX-License-Identifier: GPL-2.0-or-later
/* A search for applications has a limited number of places for processes that block it: when all
 * are used, no further search begins, which could be blocked and write beyond them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../dom0-tools/consumerd/apps/app_wake.c"

/* A search that has ended. */
static void end_of_search(struct app_wake *wake)
{
	struct strata_error error;

	assert_int_equal(app_wake_begin(wake, &error), 0);
	while (!app_wake_settled(wake)) {
		const struct timespec pause = { .tv_nsec = 1000000 };

		app_wake_tend(wake);
		nanosleep(&pause, NULL);
	}
}

static void no_search_begins_without_a_place(void **state)
{
	struct app_wake wake = { .child = 0 };
	struct strata_error error;

	(void)state;
	end_of_search(&wake);
	wake.progress->nr_slow = SLOW_USERS_MAX;
	assert_int_equal(app_wake_again(&wake, &error), -1);
	assert_int_equal(wake.child, 0);
	wake.progress->nr_slow = SLOW_USERS_MAX - 1;
	assert_int_equal(app_wake_again(&wake, &error), 0);
	assert_int_not_equal(wake.child, 0);
	app_wake_end(&wake);
}

static void the_last_place_is_used_once(void **state)
{
	struct app_wake wake = { .child = 0 };
	unsigned int i;

	(void)state;
	end_of_search(&wake);
	wake.progress->nr_slow = SLOW_USERS_MAX - 1;
	for (i = 0; i < 2; i++) {
		begin_again(&wake);
		assert_int_equal(wake.progress->nr_slow, SLOW_USERS_MAX);
		if (wake.child)
			assert_int_equal(waitpid(wake.child, NULL, 0), wake.child);
	}
	/* The second one has ended in vain: there was no place to begin again. */
	assert_int_equal(wake.child, 0);
	app_wake_end(&wake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_search_begins_without_a_place),
		cmocka_unit_test(the_last_place_is_used_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
