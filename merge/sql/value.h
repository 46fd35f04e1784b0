/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.h - values of events as SQLite's.
 *
 * SQLite's integers have 64 bits with a sign.  A larger one becomes its decimal digits as text,
 * exact, and columns that may have such have a collation, u64, that puts them in order behind
 * all integers.  What is not known, or absent, is NULL; so is a float that is not a number.
 */
#ifndef STRATA_MERGE_SQL_VALUE_H
#define STRATA_MERGE_SQL_VALUE_H

#include <sqlite3.h>

#include "ctf/values/ctf_cursor.h"
#include "outputs/event_writer.h"

void sql_result_u64(sqlite3_context *context, uint64_t value);

/* NULL if the number is UINT64_MAX: a bound that is not known. */
void sql_result_bound(sqlite3_context *context, uint64_t bound_ns);

/* NULL if the number is STRATA_SHOWN_UNKNOWN. */
void sql_result_u32(sqlite3_context *context, uint32_t value);

/* Text of any bytes: U+FFFD for what is not valid UTF-8.  NULL: NULL. */
void sql_result_text(sqlite3_context *context, const char *text, size_t bytes);

/* Copies text of any bytes, with U+FFFD for what is not valid UTF-8.
 * @out: room for three times as many.  Returns where it ends. */
char *sql_valid_text(char *out, const char *text, size_t bytes);

/* JSON that was written; empties the buffer. */
void sql_result_json(sqlite3_context *context, struct strata_buffer *buffer);

/*
 * A field's value, or the name of it; a structure's or an array's as JSON.
 * @cursor: at the field
 * @buffer: for JSON
 */
void sql_result_field(sqlite3_context *context, const struct strata_ctf_type *type,
		      struct strata_ctf_cursor cursor, bool is_name, struct strata_buffer *buffer);

/* The collation. */
int sql_compare_u64(void *data, int x_bytes, const void *x, int y_bytes, const void *y);

#endif /* STRATA_MERGE_SQL_VALUE_H */
