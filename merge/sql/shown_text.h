/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_text.h - text for a terminal: UTF-8 and quotes stay as they are, which escape.h would
 * escape. */
#ifndef STRATA_MERGE_SQL_SHOWN_TEXT_H
#define STRATA_MERGE_SQL_SHOWN_TEXT_H

#include <stddef.h>

/* Largest size of @bytes of text, with a zero byte. */
#define SQL_SHOWN_BYTES(bytes) ((bytes)*4u + 1u)

/* Writes \xHH for each byte that is not valid, or that a terminal would obey, and a zero byte at
 * the end.  @out: room for SQL_SHOWN_BYTES(@bytes).  Returns @out. */
char *sql_shown_text(char *out, const char *text, size_t bytes);

#endif /* STRATA_MERGE_SQL_SHOWN_TEXT_H */
