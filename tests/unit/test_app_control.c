// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_app_control.c - the negative control of test_app_ring.c: the same torture
 * where the kernel aborts no section must find an error.
 */
#define STRATA_RSEQ_NO_ABORT

#include "single_torture.h"

static bool found_any(void)
{
	return strata_read_once(&torture.errors) > 0;
}

static void without_aborts_the_torture_finds_errors(void **state)
{
	(void)state;
	torture_rings(1500, found_any, false);
	print_message("# %lu errors, the first: %s; %lld records more or less than written\n",
		      torture.errors, torture.first_error,
		      (long long)(torture.nr_found + torture_lost() - torture_written(0) -
				  torture_written(TORTURE_THREADS)));
	assert_in_range(torture.errors, 1, ULONG_MAX);
	torture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_aborts_the_torture_finds_errors),
	};

	return cmocka_run_group_tests_name("app_control", tests, NULL, NULL);
}
