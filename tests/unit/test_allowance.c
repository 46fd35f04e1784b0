// SPDX-License-Identifier: GPL-2.0-or-later
/* test_allowance.c - how often a domain may come and die: each domain by its UUID, and each change
 * of the answer is reported once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "consumerd/shares/allowance.h"

/* They differ in the last byte only. */
static const uint8_t one[ALLOWANCE_UUID_BYTES] = { 7, [ALLOWANCE_UUID_BYTES - 1] = 1 };
static const uint8_t other[ALLOWANCE_UUID_BYTES] = { 7, [ALLOWANCE_UUID_BYTES - 1] = 2 };

#define NOW_MS 5000000u

static void expect_come(struct allowances *all, const uint8_t *uuid, uint64_t now_ms,
			enum allowance_answer answer, bool is_news)
{
	bool news = !is_news;

	assert_int_equal(allowance_come(all, uuid, now_ms, &news), answer);
	assert_int_equal(news, is_news);
}

static void a_domain_comes_in_a_burst_and_then_at_its_rate(void **state)
{
	const uint64_t next_ms = NOW_MS + 1000000u / ALLOWANCE_PER_1000_S + 1;
	struct allowances all = { 0 };
	unsigned int i;

	(void)state;
	for (i = 0; i < ALLOWANCE_BURST; i++)
		expect_come(&all, one, NOW_MS, ALLOWANCE_GRANTED, false);
	expect_come(&all, one, NOW_MS, ALLOWANCE_LATER, true);
	expect_come(&all, one, NOW_MS, ALLOWANCE_LATER, false);
	/* Another domain has its own allowance. */
	expect_come(&all, other, NOW_MS, ALLOWANCE_GRANTED, false);
	/* After a minute, the first one may come once more. */
	expect_come(&all, one, next_ms, ALLOWANCE_GRANTED, true);
	expect_come(&all, one, next_ms, ALLOWANCE_LATER, true);
	allowances_clear(&all);
}

static void the_ends_of_a_domain_are_saved_a_few_times(void **state)
{
	struct allowances all = { 0 };
	unsigned int i;
	bool news;

	(void)state;
	for (i = 0; i < ALLOWANCE_MOMENTS; i++) {
		assert_int_equal(allowance_moments(&all, one, &news), ALLOWANCE_GRANTED);
		assert_false(news);
	}
	assert_int_equal(allowance_moments(&all, one, &news), ALLOWANCE_USED_UP);
	assert_true(news);
	assert_int_equal(allowance_moments(&all, one, &news), ALLOWANCE_USED_UP);
	assert_false(news);
	assert_int_equal(allowance_moments(&all, other, &news), ALLOWANCE_GRANTED);
	allowances_clear(&all);
	/* A new recording begins with nothing used. */
	assert_int_equal(allowance_moments(&all, one, &news), ALLOWANCE_GRANTED);
	allowances_clear(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_domain_comes_in_a_burst_and_then_at_its_rate),
		cmocka_unit_test(the_ends_of_a_domain_are_saved_a_few_times),
	};

	return cmocka_run_group_tests_name("allowance", tests, NULL, NULL);
}
