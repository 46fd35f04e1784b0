/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shown_text.h - text for a terminal: unlike escape.h it leaves UTF-8 and quotes as they are. */
#ifndef STRATA_MERGE_SQL_SHOWN_TEXT_H
#define STRATA_MERGE_SQL_SHOWN_TEXT_H

#include <stddef.h>

/* Buffer size for @bytes of text, including the terminating zero. */
#define SQL_SHOWN_BYTES(bytes) ((bytes)*4u + 1u)

/* Copies the text, zero-terminated, with \xHH for each byte that is not valid UTF-8 or that a
 * terminal would interpret. @out: room for SQL_SHOWN_BYTES(@bytes). Returns @out. */
char *sql_shown_text(char *out, const char *text, size_t bytes);

#endif /* STRATA_MERGE_SQL_SHOWN_TEXT_H */
