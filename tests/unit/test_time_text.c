// SPDX-License-Identifier: GPL-2.0-or-later
/* test_time_text.c - points in time and durations as users write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "strata/read/time_text.h"

#define FIRST 1700000000000000000ull

static uint64_t parsed(const char *text)
{
	uint64_t ns = 99;

	if (!time_parse(text, true, FIRST, &ns))
		fail_msg("\"%s\" is refused", text);
	return ns;
}

static void seconds_have_up_to_nine_places(void **state)
{
	(void)state;
	assert_int_equal(parsed("12"), 12000000000ull);
	assert_int_equal(parsed("12.5"), 12500000000ull);
	assert_int_equal(parsed("12.05"), 12050000000ull);
	assert_int_equal(parsed("0.000000001"), 1);
	assert_int_equal(parsed("1700000000.123456789"), 1700000000123456789ull);
}

static void a_plus_counts_from_the_first_event(void **state)
{
	(void)state;
	assert_int_equal(parsed("+0"), FIRST);
	assert_int_equal(parsed("+1.25"), FIRST + 1250000000ull);
	/* Beyond all times is the last of them. */
	assert_int_equal(parsed("+18446744072"), UINT64_MAX);
}

static void a_date_is_of_the_zone_that_is_asked_for(void **state)
{
	(void)state;
	assert_int_equal(parsed("2023-11-14 22:13:20"), FIRST);
	assert_int_equal(parsed("2023-11-14 22:13:20.000000007"), FIRST + 7);
}

static void what_is_no_time_is_refused(void **state)
{
	static const char *const wrong[] = {
		"",   "x",           "1.0000000001", "1.x", "-1", "+", "99999999999999999999",
		"1 ", "18446744073", "+-1"
	};
	uint64_t ns;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (time_parse(wrong[i], true, FIRST, &ns))
			fail_msg("\"%s\" is taken", wrong[i]);
}

static void durations_have_units(void **state)
{
	(void)state;
	assert_int_equal(time_parse_ms("2"), 2000);
	assert_int_equal(time_parse_ms("2s"), 2000);
	assert_int_equal(time_parse_ms("2ms"), 2);
	assert_int_equal(time_parse_ms("1.5m"), 90000);
	assert_int_equal(time_parse_ms("2min"), 120000);
	assert_int_equal(time_parse_ms("0"), 0);
	assert_int_equal(time_parse_ms("-1"), 0);
	assert_int_equal(time_parse_ms("2h"), 0);
	assert_int_equal(time_parse_ms("0.1ms"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_have_up_to_nine_places),
		cmocka_unit_test(a_plus_counts_from_the_first_event),
		cmocka_unit_test(a_date_is_of_the_zone_that_is_asked_for),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(durations_have_units),
	};

	return cmocka_run_group_tests_name("time_text", tests, NULL, NULL);
}
