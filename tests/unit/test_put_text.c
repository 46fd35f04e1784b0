// SPDX-License-Identifier: GPL-2.0-or-later
/* test_put_text.c - numbers as text: the same as printf's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/put_text.h"

#define ROOM (2 * STRATA_PUT_BYTES)

/* Of any number but zero, for which printf has no 0x. */
static void check_one(uint64_t value)
{
	char expected[6 * ROOM], got[6 * ROOM];
	char *out = got;

	snprintf(expected, sizeof(expected),
		 "%" PRIu64 " %" PRId64 " %012" PRIu64 " %9" PRIu64 " %#" PRIx64 " %" PRIu64
		 ".%09" PRIu64,
		 value, (int64_t)value, value, value, value, value / 1000000000,
		 value % 1000000000);
	out = strata_put_decimal(out, value);
	*out++ = ' ';
	out = strata_put_signed(out, (int64_t)value);
	*out++ = ' ';
	out = strata_put_digits(out, value, 12);
	*out++ = ' ';
	out = strata_put_right(out, value, 9);
	*out++ = ' ';
	out = strata_put_hex(out, value);
	*out++ = ' ';
	*strata_put_seconds(out, value) = '\0';
	assert_string_equal(got, expected);
}

static void numbers_are_as_printf_writes_them(void **data)
{
	uint64_t value, state = 1;
	unsigned int i;

	(void)data;
	for (value = 1; value <= 20000; value++)
		check_one(value);
	/* Around each power of ten, and of two. */
	for (value = 10, i = 1; i < 20; i++, value *= 10) {
		check_one(value - 1);
		check_one(value);
		check_one(value + 1);
		check_one(value * 3 - 7);
	}
	for (i = 0; i < 64; i++) {
		check_one(1ull << i);
		check_one((1ull << i) * 2 - 1);
		check_one(-(1ull << i));
	}
	for (i = 0; i < 200000; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		check_one((state >> i % 64) | 1);
	}
}

static void each_number_of_eight_digits_has_its_digits(void **data)
{
	char out[ROOM];
	uint32_t value, i, number;

	(void)data;
	/* Every four digits, in both halves, which are computed apart. */
	for (value = 0; value < 10000; value++) {
		strata_put_nine(out, value * 10000 + (9999 - value));
		for (i = 1, number = 0; i < 5; i++)
			number = number * 10 + (uint32_t)(out[i] - '0');
		assert_int_equal(number, value);
		for (number = 0; i < 9; i++)
			number = number * 10 + (uint32_t)(out[i] - '0');
		assert_int_equal(number, 9999 - value);
	}
}

static void zero_is_a_digit(void **data)
{
	char out[ROOM];

	(void)data;
	*strata_put_decimal(out, 0) = '\0';
	assert_string_equal(out, "0");
	*strata_put_hex(out, 0) = '\0';
	assert_string_equal(out, "0x0");
	*strata_put_seconds(out, 0) = '\0';
	assert_string_equal(out, "0.000000000");
}

static void floats_come_back_as_they_were(void **data)
{
	uint64_t state = 7;
	char out[ROOM];
	unsigned int i;

	(void)data;
	for (i = 0; i < 20000; i++) {
		const double number = strata_float_of_bits(state & ~(1ull << 62), false);
		const double narrow = strata_float_of_bits(state & 0xbfffffff, true);

		state = state * 6364136223846793005ull + 1442695040888963407ull;
		if (number == number) {
			*strata_put_float(out, number, false) = '\0';
			assert_true(strtod(out, NULL) == number);
		}
		*strata_put_float(out, narrow, true) = '\0';
		assert_true((double)strtof(out, NULL) == narrow);
	}
	*strata_put_float(out, 0.1, false) = '\0';
	assert_string_equal(out, "0.1");
}

static void assert_date(struct strata_put_clock *clock, uint64_t ns, bool with_date,
			const char *expected)
{
	char text[2 * STRATA_PUT_BYTES];

	*strata_put_date(text, clock, ns, true, with_date) = '\0';
	assert_string_equal(text, expected);
}

static void a_second_is_broken_down_once_it_changes(void **data)
{
	struct strata_put_clock clock = { 0 };

	(void)data;
	assert_date(&clock, 1700000000999999999ull, true, "2023-11-14 22:13:20.999999999");
	assert_date(&clock, 1700000001000000000ull, true, "2023-11-14 22:13:21.000000000");
	assert_date(&clock, 1700000000000000001ull, false, "22:13:20.000000001");
	assert_date(&clock, UINT64_MAX, true, "2554-07-21 23:34:33.709551615");
	assert_date(&clock, 0, true, "1970-01-01 00:00:00.000000000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_as_printf_writes_them),
		cmocka_unit_test(each_number_of_eight_digits_has_its_digits),
		cmocka_unit_test(zero_is_a_digit),
		cmocka_unit_test(floats_come_back_as_they_were),
		cmocka_unit_test(a_second_is_broken_down_once_it_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
