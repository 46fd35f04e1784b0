// SPDX-License-Identifier: GPL-2.0-or-later
/* utf_text.c - see utf_text.h. */
#include "ctf/values/utf_text.h"

#include <stdint.h>

#define NO_CHARACTER 0xfffdu

/* A unit of 2 or 4 bytes. */
static uint32_t unit_at(const char *text, enum strata_ctf_encoding encoding)
{
	const uint8_t *bytes = (const uint8_t *)text;

	switch (encoding) {
	case STRATA_CTF_UTF16_LE:
		return bytes[0] | (uint32_t)bytes[1] << 8;
	case STRATA_CTF_UTF16_BE:
		return bytes[1] | (uint32_t)bytes[0] << 8;
	case STRATA_CTF_UTF32_LE:
		return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		       (uint32_t)bytes[3] << 24;
	default:
		return bytes[3] | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[1] << 16 |
		       (uint32_t)bytes[0] << 24;
	}
}

static char *put_utf8(char *out, uint32_t code)
{
	if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		code = NO_CHARACTER;
	if (code < 0x80) {
		*out++ = (char)code;
		return out;
	}
	if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*out++ = (char)(0xe0 | code >> 12);
		} else {
			*out++ = (char)(0xf0 | code >> 18);
			*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*out++ = (char)(0x80 | (code & 0x3f));
	return out;
}

size_t strata_utf_text(char *out, const char *text, size_t bytes, enum strata_ctf_encoding encoding)
{
	const size_t unit = strata_ctf_unit_bytes(encoding);
	char *end = out;
	size_t at;

	for (at = 0; at + unit <= bytes; at += unit) {
		uint32_t code = unit_at(text + at, encoding), low;

		if (code == 0)
			return (size_t)(end - out);
		/* The second half of a surrogate pair. */
		if (unit == 2 && code >= 0xd800 && code <= 0xdbff && at + 2 * unit <= bytes) {
			low = unit_at(text + at + unit, encoding);
			if (low >= 0xdc00 && low <= 0xdfff) {
				code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
				at += unit;
			}
		}
		end = put_utf8(end, code);
	}
	if (at < bytes)
		end = put_utf8(end, NO_CHARACTER);
	return (size_t)(end - out);
}
