// SPDX-License-Identifier: GPL-2.0-or-later
/* tsdl.c - see tsdl.h. */
#include "ctf/write/tsdl.h"

/* Returns the end of the part that a literal can contain unescaped. */
static const char *end_of_plain(const char *text)
{
	while ((unsigned char)*text >= 0x20 && (unsigned char)*text < 0x7f && *text != '"' &&
	       *text != '\\')
		text++;
	return text;
}

void strata_tsdl_string(struct strata_out_file *out, const char *text)
{
	strata_out_text(out, "\"");
	while (*text) {
		const char *end = end_of_plain(text);
		const unsigned char c = (unsigned char)*end;

		if (end > text)
			strata_out_print(out, "%.*s", (int)(end - text), text);
		if (!c)
			break;
		/* Octal, because unlike \x it ends after three digits. */
		strata_out_print(out, c == '"' || c == '\\' ? "\\%c" : "\\%03o", c);
		text = end + 1;
	}
	strata_out_text(out, "\"");
}
