// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_ring_control.c - proof that the torture by signals can fail: the same
 * run, on a platform whose local add is a load and a store, must find an error.
 */
#define STRATA_WRITERS_SHARE_CPU 1

#include <strata/platform/user.h>

static unsigned long broken_add_return(unsigned long *p, unsigned long n)
{
	unsigned long value = strata_read_once(p) + n;

	/* A nested writer that comes between the two is forgotten. */
	strata_write_once(p, value);
	return value;
}

#define strata_local_add_return(p, n) broken_add_return((p), (n))

#include "signal_torture.h"

static void a_local_add_that_is_not_atomic_is_found_out(void **state)
{
	unsigned int attempts = 600;

	(void)state;
	do {
		torture_ring_by_signals(500, false);
		if (torture.audit.errors)
			break;
		torture_end();
	} while (--attempts);
	assert_int_not_equal(attempts, 0);
	print_message("# found: %s\n", torture.audit.first_error);
	torture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_local_add_that_is_not_atomic_is_found_out),
	};

	return cmocka_run_group_tests_name("ring_control", tests, NULL, NULL);
}
