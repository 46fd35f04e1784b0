/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.h - makes a string from a guest or an application safe to show.
 *
 * Control characters, terminal escapes and bytes that are not valid UTF-8 become
 * \xHH, a backslash becomes two.  Used wherever such a string meets a terminal,
 * a text file or metadata.
 */
#ifndef STRATA_MERGE_ESCAPE_H
#define STRATA_MERGE_ESCAPE_H

#include <stddef.h>

/* Room that an escaped string of @bytes (its end included) can need. */
#define STRATA_ESCAPED_BYTES(bytes) (4 * (bytes))

/* Writes @text escaped and zero-terminated; cut, never in a sequence, if @to is too small. */
void strata_escape(char *to, size_t bytes, const char *text);

#endif /* STRATA_MERGE_ESCAPE_H */
