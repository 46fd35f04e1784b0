// SPDX-License-Identifier: GPL-2.0-or-later
/* test_ring_signals.c - see signal_torture.h; here on the platform as it is. */
#define STRATA_WRITERS_SHARE_CPU 1

#include "signal_torture.h"

static void torture_a_ring(bool overwrite)
{
	unsigned int level, attempts = 100;

	/* Whether signals nest depends on the machine; on a busy one the test tries again. */
	torture_ring_by_signals(1500, overwrite);
	while (--attempts &&
	       (!torture.nested[3] || torture.audit.packets < 17 || torture.audit.records < 1000)) {
		assert_books_balance(&torture.audit);
		torture_end();
		torture_ring_by_signals(1500, overwrite);
	}
	for (level = 0; level < TORTURE_DEPTH_MAX; level++)
		print_message("# depth %u: %lu records\n", level, torture.nested[level]);
	print_message("# %llu records in %llu packets; lost: %lu full, %lu nested\n",
		      (unsigned long long)torture.audit.records,
		      (unsigned long long)torture.audit.packets,
		      torture.fixture.ring->lost[STRATA_LOST_FULL],
		      torture.fixture.ring->lost[STRATA_LOST_NESTED]);
	assert_books_balance(&torture.audit);
	/* It was a torture: deep nesting, more than one turn of the counters' wrap, losses. */
	assert_in_range(torture.nested[3], 1, UINT32_MAX);
	assert_in_range(torture.audit.packets, 17, UINT32_MAX);
	assert_in_range(torture.audit.records, 1000, UINT32_MAX);
	torture_end();
}

static void writers_nested_by_signals_lose_nothing_uncounted(void **state)
{
	(void)state;
	torture_a_ring(false);
}

static void writers_nested_by_signals_that_overwrite_lose_whole_packets_only(void **state)
{
	(void)state;
	torture_a_ring(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_nested_by_signals_lose_nothing_uncounted),
		cmocka_unit_test(writers_nested_by_signals_that_overwrite_lose_whole_packets_only),
	};

	return cmocka_run_group_tests_name("ring_signals", tests, NULL, NULL);
}
