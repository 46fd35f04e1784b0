// SPDX-License-Identifier: GPL-2.0-or-later
/* test_final_events.c - how often a flight recorder saves the final events of domains that die.
 * There is no hypervisor, and the domain has no rings. */
#include "recorder_rings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "stratad/session.h"

#define DEATHS 4u

/* Whether the copy of that number was made: "DIR-died-one", "DIR-died-one-2" and so on. */
static bool is_saved(const char *dir, unsigned int number)
{
	char path[128];

	snprintf(path, sizeof(path), number > 1 ? "%s-died-one-%u" : "%s-died-one", dir, number);
	return !access(path, F_OK);
}

static void remove_copy(const char *dir, unsigned int number)
{
	char path[128];

	snprintf(path, sizeof(path), number > 1 ? "%s-died-one-%u" : "%s-died-one", dir, number);
	test_remove_dir(path);
}

/* How many copies a recorder with this limit makes when a domain dies DEATHS times. */
static unsigned int copies(unsigned int final_max)
{
	const struct record_options options = { .overwrite = true, .final_max = final_max };
	struct participant one = { .domain = 1, .guest = { .domain = 1, .name = "one" } };
	struct session session = { .options = &options, .tsc_khz = 1000000 };
	char dir[] = "/tmp/strata-final-XXXXXX";
	struct recorder_totals totals;
	struct strata_error error;
	unsigned int nr = 0, i;

	assert_non_null(mkdtemp(dir));
	session.recorder = test_open_recorder(dir);
	test_add_source(session.recorder, "one");
	session.kernels.recorder = session.recorder;
	session.kernels.tsc_khz = session.tsc_khz;
	for (i = 0; i < DEATHS; i++)
		session_keep_last_moments(&session, &one);
	for (i = 1; i <= DEATHS; i++)
		if (is_saved(dir, i)) {
			nr++;
			remove_copy(dir, i);
		}
	assert_int_equal(session.finals, nr);
	assert_int_equal(recorder_close(session.recorder, &totals, &error), 0);
	test_remove_dir(dir);
	return nr;
}

static void each_death_is_saved(void **state)
{
	(void)state;
	assert_int_equal(copies(0), DEATHS);
}

static void a_limit_ends_that(void **state)
{
	(void)state;
	assert_int_equal(copies(3), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_death_is_saved),
		cmocka_unit_test(a_limit_ends_that),
	};

	return cmocka_run_group_tests_name("final_events", tests, NULL, NULL);
}
