/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * put_text.h - formats numbers and times without printf, which would cost more than the merge
 * itself.
 *
 * Each function writes at @out, without a zero byte, and returns the end of its text.  It may write
 * beyond that end: the caller provides room for STRATA_PUT_BYTES, plus a string's length or a given
 * width.
 */
#ifndef STRATA_MERGE_PUT_TEXT_H
#define STRATA_MERGE_PUT_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STRATA_PUT_BYTES 32u /* any number but binary ones, a time of day */

#define STRATA_EIGHT_DIGITS 100000000u

/*
 * Eight digits in eight bytes, the first in the lowest, each a number from 0 to 9: halves of
 * four digits, then quarters, then digits are computed side by side in one word, with
 * multiplications in place of divisions, which are exact for numbers so small.
 */
static inline uint64_t strata_eight_digits(uint32_t value)
{
	const uint64_t halves = value / 10000 | (uint64_t)(value % 10000) << 32;
	const uint64_t hundreds = halves * 10486 >> 20 & 0x0000007f0000007full;
	const uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
	const uint64_t tens = quarters * 103 >> 10 & 0x000f000f000f000full;

	return tens | (quarters - tens * 10) << 8;
}

#define STRATA_ASCII_ZEROS 0x3030303030303030ull

static inline void strata_put_eight(char *out, uint32_t value)
{
	const uint64_t digits = htole64(strata_eight_digits(value) | STRATA_ASCII_ZEROS);

	memcpy(out, &digits, sizeof(digits));
}

/* Decimal digits of a number below STRATA_EIGHT_DIGITS. */
static inline char *strata_put_small(char *out, uint32_t value)
{
	uint64_t digits = strata_eight_digits(value);
	/* Keeps the last digit even if it is zero. */
	const unsigned int zeros = (unsigned int)__builtin_ctzll(digits | 1ull << 56) / 8;

	digits = htole64((digits | STRATA_ASCII_ZEROS) >> (zeros * 8));
	memcpy(out, &digits, sizeof(digits));
	return out + sizeof(digits) - zeros;
}

/* Decimal digits. */
char *strata_put_decimal(char *out, uint64_t value);
char *strata_put_signed(char *out, int64_t value);

/* At least @width decimal digits, with zeros in front. */
char *strata_put_digits(char *out, uint64_t value, unsigned int width);

/* Decimal digits, right-aligned in a column of @width. */
char *strata_put_right(char *out, uint64_t value, unsigned int width);

/* Seconds, a point, and nine digits. */
char *strata_put_seconds(char *out, uint64_t ns);

/* The nine digits of a fraction of a second. */
static inline char *strata_put_nine(char *out, uint32_t ns)
{
	*out = (char)('0' + ns / STRATA_EIGHT_DIGITS);
	strata_put_eight(out + 1, ns % STRATA_EIGHT_DIGITS);
	return out + 9;
}

/* "0x" and hexadecimal digits, small letters. */
char *strata_put_hex(char *out, uint64_t value);

/* Two hexadecimal digits, small letters. */
static inline char *strata_put_hex_byte(char *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	*out++ = digits[byte >> 4];
	*out++ = digits[byte & 15];
	return out;
}

/* Two such digits for each byte. */
static inline char *strata_put_hex_bytes(char *out, const uint8_t *bytes, uint64_t length)
{
	uint64_t i;

	for (i = 0; i < length; i++)
		out = strata_put_hex_byte(out, bytes[i]);
	return out;
}

/* The fewest digits that read back as the same number: 6 to 9 for a float (@narrow), 15 to 17 for a
 * double.  It may be "inf" or "nan", with a sign. */
char *strata_put_float(char *out, double number, bool narrow);

static inline char *strata_put_bytes(char *out, const char *bytes, size_t length)
{
	memcpy(out, bytes, length);
	return out + length;
}

static inline char *strata_put_text(char *out, const char *text)
{
	return strata_put_bytes(out, text, strlen(text));
}

/*
 * Text that is written repeatedly, in whole blocks: copying those is faster than its exact length.
 * Both functions write up to a block beyond its end.
 */
#define STRATA_PUT_BLOCK 16u

/* Zeroed room for @length bytes in whole blocks; NULL: out of memory. */
static inline char *strata_put_new_blocks(size_t length)
{
	return calloc(length / STRATA_PUT_BLOCK + 1, STRATA_PUT_BLOCK);
}

/* Puts @length bytes; the whole blocks that they are in may be read. */
static inline char *strata_put_blocks(char *out, const char *blocks, size_t length)
{
	size_t at = 0;

	do {
		memcpy(out + at, blocks + at, STRATA_PUT_BLOCK);
		at += STRATA_PUT_BLOCK;
	} while (at < length);
	return out + length;
}

/* Pads with spaces from @start to the column @width, and adds one more space. */
char *strata_put_pad(char *out, const char *start, unsigned int width);

/* Converts a float's bits, as CTF stores them, to a number. */
double strata_float_of_bits(uint64_t bits, bool narrow);

/*
 * Caches date and time to the second, because localtime_r() costs more than the rest of a line.
 * Zero-initialised is empty; one for each thread.
 */
struct strata_put_clock {
	uint64_t ns;   /* of the second */
	char text[32]; /* "2023-11-14 22:13:20" */
	bool is_set;
};

#define STRATA_PUT_DATE_BYTES 11u /* of the text: the date and a space */
#define STRATA_PUT_TIME_BYTES 8u  /* and the time */

/* Sets the clock to the second of a time, in UTC or in the local time zone. */
void strata_put_clock_set(struct strata_put_clock *clock, uint64_t ns, bool utc);

/* "2023-11-14 22:13:20.000000113", or without the date. */
static inline char *strata_put_date(char *out, struct strata_put_clock *clock, uint64_t ns,
				    bool utc, bool with_date)
{
	if (__builtin_expect(!clock->is_set || ns < clock->ns || ns - clock->ns >= 1000000000u, 0))
		strata_put_clock_set(clock, ns, utc);
	if (with_date)
		out = strata_put_bytes(out, clock->text, STRATA_PUT_DATE_BYTES);
	out = strata_put_bytes(out, clock->text + STRATA_PUT_DATE_BYTES, STRATA_PUT_TIME_BYTES);
	*out++ = '.';
	return strata_put_nine(out, (uint32_t)(ns - clock->ns));
}

#endif /* STRATA_MERGE_PUT_TEXT_H */
