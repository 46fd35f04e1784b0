// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_user_clock.c - strata_clock() in user space is a clock of 64 bits on every
 * processor (`make arch` runs this on each): it shows more than 32 bits hold,
 * goes on as CLOCK_MONOTONIC does, and never steps back in a thread.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include <strata/platform/platform.h>

#define READINGS 100000u

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* 2^32 ns are 4.3 s since the machine's start; a TSC gets there sooner. */
static void it_counts_beyond_32_bits(void **state)
{
	(void)state;
	while (monotonic_ns() <= UINT32_MAX)
		nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
	assert_true(strata_clock() > UINT32_MAX);
}

static void it_never_steps_back(void **state)
{
	uint64_t last = strata_clock(), now;
	unsigned int i;

	(void)state;
	for (i = 0; i < READINGS; i++) {
		now = strata_clock();
		assert_true(now >= last);
		last = now;
	}
}

/* Not a count of calls, nor a clock that stands. */
static void it_goes_on_while_nobody_reads_it(void **state)
{
	uint64_t ticks = strata_clock(), ns = monotonic_ns();

	(void)state;
	nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	ns = monotonic_ns() - ns;
	ticks = strata_clock() - ticks;
	/* These ticks enclose these nanoseconds; no TSC is slower than 100 MHz. */
	assert_true(ticks >= ns / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_counts_beyond_32_bits),
		cmocka_unit_test(it_never_steps_back),
		cmocka_unit_test(it_goes_on_while_nobody_reads_it),
	};

	return cmocka_run_group_tests_name("user_clock", tests, NULL, NULL);
}
