// SPDX-License-Identifier: GPL-2.0-or-later
/* tsdl.c - see tsdl.h. */
#include "ctf/write/tsdl.h"

/* An escaped byte is at most so long. */
#define ESCAPED_BYTES 4u

/* Writes a byte as a literal contains it.  Returns the end. */
static char *put(char *to, unsigned char c)
{
	if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
		*to++ = (char)c;
		return to;
	}
	*to++ = '\\';
	if (c == '"' || c == '\\') {
		*to++ = (char)c;
		return to;
	}
	/* Octal, because unlike \x it ends after three digits. */
	*to++ = (char)('0' + (c >> 6));
	*to++ = (char)('0' + (c >> 3 & 7));
	*to++ = (char)('0' + (c & 7));
	return to;
}

void strata_tsdl_string(struct strata_out_file *out, const char *text)
{
	strata_out_text(out, "\"");
	while (*text) {
		char *to = strata_out_room(out, STRATA_OUT_ROOM_MAX);
		unsigned int left = STRATA_OUT_ROOM_MAX / ESCAPED_BYTES;

		for (; *text && left; text++, left--)
			to = put(to, (unsigned char)*text);
		strata_out_advance(out, to);
	}
	strata_out_text(out, "\"");
}
