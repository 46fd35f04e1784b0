/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mentions.h - the names that a statement mentions.
 *
 * SQLite keeps virtual tables in lists that get slow with thousands of them, and has no way to ask
 * for a table that it does not know.  So tables of events are registered before the statement that
 * mentions them is compiled.  A mention is any word or quoted text, be it a table's name or not.
 */
#ifndef STRATA_MERGE_SQL_MENTIONS_H
#define STRATA_MERGE_SQL_MENTIONS_H

#include <stdbool.h>

#include "sql/names.h"

#define SQL_MENTION_BYTES (SQL_NAME_BYTES + 32) /* a name with a number appended */

/*
 * Finds the next mention of a statement.
 * @at: where to begin; set to the position after the mention
 * @name: the word, or the text between the quotes; truncated if longer than any name
 * Returns false at the end of the statement, which is a semicolon or the end of the text.
 */
bool sql_next_mention(const char **at, char name[SQL_MENTION_BYTES]);

#endif /* STRATA_MERGE_SQL_MENTIONS_H */
