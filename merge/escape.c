// SPDX-License-Identifier: GPL-2.0-or-later
/* escape.c - see escape.h. */
#include "escape.h"

#include <stdint.h>
#include <string.h>

/* Length of the valid UTF-8 sequence of a printable character at @text, or 0. */
static size_t printable(const uint8_t *text)
{
	uint32_t code;
	size_t length, i;

	if (text[0] < 0x20 || text[0] == 0x7f || text[0] == '\\')
		return 0;
	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] < 0xe0)
		length = 2;
	else if (text[0] >= 0xe0 && text[0] < 0xf0)
		length = 3;
	else if (text[0] >= 0xf0 && text[0] < 0xf5)
		length = 4;
	else
		return 0;
	code = text[0] & (0xffu >> (length + 1));
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3fu);
	}
	/* Overlong forms and surrogates are not valid; C1 controls, line separators and the marks
	 * that turn the direction of text are not to be shown. */
	if (code < 0xa0 || (length == 3 && code < 0x800) || (length == 4 && code < 0x10000) ||
	    (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ||
	    (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2066 && code <= 0x2069))
		return 0;
	return length;
}

void strata_escape(char *to, size_t bytes, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *from = (const uint8_t *)text;
	size_t used = 0;

	while (*from) {
		size_t length = printable(from);
		char sequence[5];

		if (length) {
			memcpy(sequence, from, length);
			from += length;
		} else if (*from == '\\') {
			memcpy(sequence, "\\\\", length = 2);
			from++;
		} else {
			sequence[0] = '\\';
			sequence[1] = 'x';
			sequence[2] = digits[*from >> 4];
			sequence[3] = digits[*from & 15];
			length = 4;
			from++;
		}
		if (used + length >= bytes)
			break;
		memcpy(to + used, sequence, length);
		used += length;
	}
	to[used] = '\0';
}
