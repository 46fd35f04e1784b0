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

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define STRATA_PUT_BYTES 32u /* any number but binary ones, a time of day */

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
char *strata_put_nine(char *out, uint32_t ns);

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

/* Spaces up to the column @width from @start, and one more. */
char *strata_put_pad(char *out, const char *start, unsigned int width);

/* A float's bits, as CTF has them, as a number. */
double strata_float_of_bits(uint64_t bits, bool narrow);

/*
 * Caches date and time to the second, because localtime_r() costs more than the rest of a line.
 * Zero-initialised is empty; one for each thread.
 */
struct strata_put_clock {
	uint64_t second;
	struct tm broken_down;
	char text[32]; /* "2023-11-14 22:13:20" */
	bool is_set;
};

#define STRATA_PUT_DATE_BYTES 11u /* of the text: the date and a space */
#define STRATA_PUT_TIME_BYTES 8u  /* and the time */

/* Sets clock->text for a second since 1970, in UTC or in the local time zone.  False: the year does
 * not have four digits. */
bool strata_put_clock_set(struct strata_put_clock *clock, uint64_t second, bool utc);

#endif /* STRATA_MERGE_PUT_TEXT_H */
