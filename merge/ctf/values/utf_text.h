/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf_text.h - converts text in UTF-16 and UTF-32 to UTF-8. */
#ifndef STRATA_MERGE_UTF_TEXT_H
#define STRATA_MERGE_UTF_TEXT_H

#include <stddef.h>

#include "ctf/types/ctf_types.h"

/* Largest size of text of @bytes: two bytes become at most three. */
#define STRATA_UTF_TEXT_BYTES(bytes) ((bytes) / 2 * 3 + 3)

/*
 * Puts the text, up to its first zero character, as UTF-8; U+FFFD for invalid characters (half of a
 * pair, a number beyond Unicode, a truncated unit).
 * @out: room for STRATA_UTF_TEXT_BYTES(@bytes)
 * Returns the size of the result in bytes.
 */
size_t strata_utf_text(char *out, const char *text, size_t bytes,
		       enum strata_ctf_encoding encoding);

#endif /* STRATA_MERGE_UTF_TEXT_H */
