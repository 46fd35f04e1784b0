// SPDX-License-Identifier: GPL-2.0-or-later
/* put_text.c - see put_text.h. */
#include "base/put_text.h"

#include <stdio.h>
#include <stdlib.h>

char *strata_put_decimal(char *out, uint64_t value)
{
	uint64_t high;

	if (value < STRATA_EIGHT_DIGITS)
		return strata_put_small(out, (uint32_t)value);
	high = value / STRATA_EIGHT_DIGITS;
	if (high < STRATA_EIGHT_DIGITS) {
		out = strata_put_small(out, (uint32_t)high);
	} else {
		out = strata_put_small(out, (uint32_t)(high / STRATA_EIGHT_DIGITS));
		strata_put_eight(out, (uint32_t)(high % STRATA_EIGHT_DIGITS));
		out += 8;
	}
	strata_put_eight(out, (uint32_t)(value % STRATA_EIGHT_DIGITS));
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

char *strata_put_seconds(char *out, uint64_t ns)
{
	/* Most are the time since the event before. */
	if (ns < 1000000000u) {
		out = strata_put_bytes(out, "0.", 2);
		return strata_put_nine(out, (uint32_t)ns);
	}
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

void strata_put_clock_set(struct strata_put_clock *clock, uint64_t ns, bool utc)
{
	const time_t second = (time_t)(ns / 1000000000u);
	struct tm tm;

	/* Neither fails: 64 bits of ns end in the year 2554. */
	strftime(clock->text, sizeof(clock->text), "%Y-%m-%d %H:%M:%S",
		 utc ? gmtime_r(&second, &tm) : localtime_r(&second, &tm));
	clock->ns = ns - ns % 1000000000u;
	clock->is_set = true;
}
