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

/* Writes a byte escaped: octal, because unlike \\x it ends after three digits. */
static void put_escaped(struct strata_out_file *out, unsigned char c)
{
	const char octal[] = { '\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
			       (char)('0' + (c & 7)) };
	const char quoted[] = { '\\', (char)c };

	if (c == '"' || c == '\\')
		strata_out_write(out, quoted, sizeof(quoted));
	else
		strata_out_write(out, octal, sizeof(octal));
}

void strata_tsdl_string(struct strata_out_file *out, const char *text)
{
	strata_out_text(out, "\"");
	while (*text) {
		const char *end = end_of_plain(text);
		const unsigned char c = (unsigned char)*end;

		if (end > text)
			strata_out_write(out, text, (size_t)(end - text));
		if (!c)
			break;
		put_escaped(out, c);
		text = end + 1;
	}
	strata_out_text(out, "\"");
}
