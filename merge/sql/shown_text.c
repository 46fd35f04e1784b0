// SPDX-License-Identifier: GPL-2.0-or-later
/* shown_text.c - see shown_text.h. */
#include "sql/shown_text.h"

#include "base/escape.h"
#include "base/put_text.h"

static bool is_safe(uint32_t code)
{
	return code >= 0x20 && code != 0x7f && !strata_is_unsafe(code);
}

char *sql_shown_text(char *out, const char *text, size_t bytes)
{
	char *at = out;
	size_t i, j;

	for (i = 0; i < bytes;) {
		uint32_t code;
		size_t length = strata_utf8_read(text + i, bytes - i, &code);

		if (length && is_safe(code)) {
			at = strata_put_bytes(at, text + i, length);
		} else {
			length = length ? length : 1;
			for (j = 0; j < length; j++) {
				at = strata_put_text(at, "\\x");
				at = strata_put_hex_byte(at, (uint8_t)text[i + j]);
			}
		}
		i += length;
	}
	*at = '\0';
	return out;
}
