// SPDX-License-Identifier: GPL-2.0-or-later
/* put_text.c - see put_text.h. */
#include "base/put_text.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#define EIGHT_DIGITS 100000000u

/*
 * Eight digits in eight bytes, the first in the lowest, each a number from 0 to 9: halves of
 * four digits, then quarters, then digits are computed side by side in one word, with
 * multiplications in place of divisions, which are exact for numbers so small.
 */
static inline uint64_t eight_digits(uint32_t value)
{
	const uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
	const uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f0000007full;
	const uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
	const uint64_t tens = quarters * 103 >> 10 & 0x000f000f000f000full;

	return tens | (quarters - tens * 10) << 8;
}

#define ASCII_ZEROS 0x3030303030303030ull

static inline void put_eight(char *out, uint32_t value)
{
	const uint64_t digits = htole64(eight_digits(value) | ASCII_ZEROS);

	memcpy(out, &digits, sizeof(digits));
}

/* Fewer than nine digits, without zeros in front. */
static inline char *put_small(char *out, uint32_t value)
{
	uint64_t digits = eight_digits(value);
	/* Keeps the last digit even if it is zero. */
	const unsigned int zeros = (unsigned int)__builtin_ctzll(digits | 1ull << 56) / 8;

	digits = htole64((digits | ASCII_ZEROS) >> (zeros * 8));
	memcpy(out, &digits, sizeof(digits));
	return out + sizeof(digits) - zeros;
}

char *strata_put_decimal(char *out, uint64_t value)
{
	uint64_t high;

	if (value < EIGHT_DIGITS)
		return put_small(out, (uint32_t)value);
	high = value / EIGHT_DIGITS;
	if (high < EIGHT_DIGITS) {
		out = put_small(out, (uint32_t)high);
	} else {
		out = put_small(out, (uint32_t)(high / EIGHT_DIGITS));
		put_eight(out, (uint32_t)(high % EIGHT_DIGITS));
		out += 8;
	}
	put_eight(out, (uint32_t)(value % EIGHT_DIGITS));
	return out + 8;
}

char *strata_put_signed(char *out, int64_t value)
{
	if (value >= 0)
		return strata_put_decimal(out, (uint64_t)value);
	*out++ = '-';
	return strata_put_decimal(out, -(uint64_t)value);
}

char *strata_put_digits(char *out, uint64_t value, unsigned int width)
{
	char digits[STRATA_PUT_BYTES];
	const size_t length = (size_t)(strata_put_decimal(digits, value) - digits);

	for (; width > length; width--)
		*out++ = '0';
	return strata_put_bytes(out, digits, length);
}

char *strata_put_right(char *out, uint64_t value, unsigned int width)
{
	char digits[STRATA_PUT_BYTES];
	const size_t length = (size_t)(strata_put_decimal(digits, value) - digits);

	for (; width > length; width--)
		*out++ = ' ';
	return strata_put_bytes(out, digits, length);
}

char *strata_put_nine(char *out, uint32_t ns)
{
	*out = (char)('0' + ns / EIGHT_DIGITS);
	put_eight(out + 1, ns % EIGHT_DIGITS);
	return out + 9;
}

char *strata_put_seconds(char *out, uint64_t ns)
{
	out = strata_put_decimal(out, ns / 1000000000u);
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(ns % 1000000000u));
}

char *strata_put_hex(char *out, uint64_t value)
{
	static const char digits[] = "0123456789abcdef";
	int shift = value ? (63 - __builtin_clzll(value)) & ~3 : 0;

	*out++ = '0';
	*out++ = 'x';
	for (; shift >= 0; shift -= 4)
		*out++ = digits[value >> shift & 15];
	return out;
}

char *strata_put_float(char *out, double number, bool narrow)
{
	const int most = narrow ? 9 : 17;
	int digits = narrow ? 6 : 15;

	do
		snprintf(out, STRATA_PUT_BYTES, "%.*g", digits, number);
	while (digits++ < most &&
	       (narrow ? (double)strtof(out, NULL) : strtod(out, NULL)) != number);
	return out + strlen(out);
}

double strata_float_of_bits(uint64_t bits, bool narrow)
{
	const uint32_t half = (uint32_t)bits;
	double number;
	float single;

	if (narrow) {
		memcpy(&single, &half, sizeof(single));
		return (double)single;
	}
	memcpy(&number, &bits, sizeof(number));
	return number;
}

char *strata_put_pad(char *out, const char *start, unsigned int width)
{
	while (out < start + width)
		*out++ = ' ';
	*out++ = ' ';
	return out;
}

bool strata_put_clock_set(struct strata_put_clock *clock, uint64_t second, bool utc)
{
	const time_t time = (time_t)second;
	struct tm *tm = &clock->broken_down;

	if (clock->is_set && clock->second == second)
		return true;
	clock->is_set = false;
	if (!(utc ? gmtime_r(&time, tm) : localtime_r(&time, tm)) || tm->tm_year > 9999 - 1900)
		return false;
	clock->is_set = strftime(clock->text, sizeof(clock->text), "%Y-%m-%d %H:%M:%S", tm) > 0;
	clock->second = second;
	return clock->is_set;
}
