// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * escape.c - see escape.h.  Called wherever a name or a string of a guest is
 * shown (messages, text timeline) or becomes part of a format (metadata, JSON).
 */
#include "base/escape.h"

#include <stdlib.h>
#include <string.h>

static const char hex_digits[] = "0123456789abcdef";

char *strata_escape(char *out, const char *text, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && text[i]; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
			*out++ = (char)c;
			continue;
		}
		*out++ = '\\';
		if (c == '"' || c == '\\') {
			*out++ = (char)c;
			continue;
		}
		*out++ = 'x';
		*out++ = hex_digits[c >> 4];
		*out++ = hex_digits[c & 15];
	}
	return out;
}

const char *strata_escape_name(char *out, size_t size, const char *text)
{
	char one[STRATA_ESCAPED_BYTES(1)];
	size_t at = 0;

	for (; *text; text++) {
		size_t length = (size_t)(strata_escape(one, text, 1) - one);

		if (at + length + 1 > size)
			break;
		memcpy(out + at, one, length);
		at += length;
	}
	out[at] = '\0';
	return out;
}

bool strata_is_escaped(const char *text)
{
	for (; *text; text++) {
		if (*text < 0x20 || *text > 0x7e || *text == '"')
			return false;
		if (*text != '\\')
			continue;
		text++;
		if (*text == 'x' && text[1] && strchr(hex_digits, text[1]) && text[2] &&
		    strchr(hex_digits, text[2]))
			text += 2;
		else if (*text != '"' && *text != '\\')
			return false;
	}
	return true;
}

size_t strata_utf8_read(const char *first, size_t left, uint32_t *code)
{
	const unsigned char *text = (const unsigned char *)first;
	size_t bytes, i;

	*code = text[0];
	if (text[0] < 0x80)
		return 1;
	if (text[0] >= 0xc2 && text[0] <= 0xdf) {
		bytes = 2;
		*code = text[0] & 0x1fu;
	} else if (text[0] >= 0xe0 && text[0] <= 0xef) {
		bytes = 3;
		*code = text[0] & 0x0fu;
	} else if (text[0] >= 0xf0 && text[0] <= 0xf4) {
		bytes = 4;
		*code = text[0] & 0x07u;
	} else {
		return 0;
	}
	if (bytes > left)
		return 0;
	for (i = 1; i < bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (text[i] & 0x3fu);
	}
	if ((bytes == 3 && *code < 0x800) || (*code >= 0xd800 && *code <= 0xdfff) ||
	    (bytes == 4 && (*code < 0x10000 || *code > 0x10ffff)))
		return 0;
	return bytes;
}

bool strata_is_unsafe(uint32_t code)
{
	return (code >= 0x80 && code <= 0x9f) || /* C1: U+009B is an ESC [ */
	       code == 0x61c ||                  /* these and the next reverse the text direction */
	       code == 0x200e || code == 0x200f ||   /* left-to-right mark and similar */
	       (code >= 0x2028 && code <= 0x202e) || /* line separators, embedding, override */
	       (code >= 0x2066 && code <= 0x2069);   /* isolates */
}

char *strata_put_unicode(char *out, uint32_t code)
{
	unsigned int shift;

	*out++ = '\\';
	*out++ = 'u';
	for (shift = 16; shift > 0; shift -= 4)
		*out++ = hex_digits[code >> (shift - 4) & 15];
	return out;
}

/* An unsafe character has at least one byte, and takes six as \uXXXX. */
#define SAFE_JSON_BYTES(bytes) (6 * (bytes) + 1)

char *strata_safe_json(const char *text)
{
	size_t left = strlen(text);
	char *safe = malloc(SAFE_JSON_BYTES(left)), *out = safe;

	if (!safe)
		return NULL;
	while (left > 0) {
		uint32_t code;
		size_t bytes = strata_utf8_read(text, left, &code);

		if (!bytes) {
			*out++ = '?';
			bytes = 1;
		} else if (code == 0x7f || strata_is_unsafe(code)) {
			out = strata_put_unicode(out, code);
		} else {
			memcpy(out, text, bytes);
			out += bytes;
		}
		text += bytes;
		left -= bytes;
	}
	*out = '\0';
	return safe;
}

void strata_valid_utf8_copy(char *out, size_t size, const char *text)
{
	const char *from = text;
	size_t left = strlen(text), at = 0;

	while (left > 0) {
		uint32_t code;
		size_t bytes = strata_utf8_read(from, left, &code);
		const bool is_good = bytes && !strata_is_unsafe(code);
		const size_t needed = is_good ? bytes : 1;

		if (at + needed + 1 > size)
			break;
		if (is_good)
			memcpy(out + at, from, bytes);
		else
			out[at] = '?';
		at += needed;
		bytes += !bytes;
		from += bytes;
		left -= bytes;
	}
	out[at] = '\0';
}

static bool uuid_dash_before(unsigned int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

void strata_uuid_text(char text[STRATA_UUID_TEXT_BYTES], const uint8_t uuid[16])
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		if (uuid_dash_before(i))
			*text++ = '-';
		*text++ = hex_digits[uuid[i] >> 4];
		*text++ = hex_digits[uuid[i] & 15];
	}
	*text = '\0';
}

static int hex_value(char c)
{
	const char *at = c ? strchr(hex_digits, c) : NULL;

	return at ? (int)(at - hex_digits) : -1;
}

bool strata_uuid_parse(uint8_t uuid[16], const char *text)
{
	unsigned int i;

	for (i = 0; i < 16; i++) {
		int high, low;

		if (uuid_dash_before(i) && *text++ != '-')
			return false;
		high = hex_value(text[0]);
		low = high < 0 ? -1 : hex_value(text[1]);
		if (low < 0)
			return false;
		uuid[i] = (uint8_t)(high << 4 | low);
		text += 2;
	}
	return *text == '\0';
}
