/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value.h - converts values of events to SQLite's.
 *
 * SQLite's integers are signed 64-bit. A larger integer becomes text with its exact decimal digits,
 * and columns that may contain such text have a collation, u64, that sorts it after all integers.
 * Unknown and absent values are NULL; so is a NaN.
 */
#ifndef STRATA_MERGE_SQL_VALUE_H
#define STRATA_MERGE_SQL_VALUE_H

#include <sqlite3.h>

#include "ctf/values/ctf_cursor.h"
#include "outputs/event_writer.h"

void sql_result_u64(sqlite3_context *context, uint64_t value);

/* Sets NULL if the bound is UINT64_MAX, which means unknown. */
void sql_result_bound(sqlite3_context *context, uint64_t bound_ns);

/* Sets NULL if the number is STRATA_SHOWN_UNKNOWN. */
void sql_result_u32(sqlite3_context *context, uint32_t value);

/* Sets a text of arbitrary bytes, with U+FFFD for invalid UTF-8. A NULL text gives NULL. */
void sql_result_text(sqlite3_context *context, const char *text, size_t bytes);

/* Copies text of arbitrary bytes, with U+FFFD for invalid UTF-8.
 * @out: room for three times as many bytes
 * Returns the end of the copy. */
char *sql_valid_text(char *out, const char *text, size_t bytes);

/* Sets the text in the buffer, which is valid UTF-8, as JSON is, and empties the buffer. */
void sql_result_buffer(sqlite3_context *context, struct strata_buffer *buffer);

/*
 * Sets a field's value, or its symbolic name; a structure or an array becomes JSON.
 * @cursor: at the field
 * @buffer: for JSON
 */
void sql_result_field(sqlite3_context *context, const struct strata_ctf_type *type,
		      struct strata_ctf_cursor cursor, bool is_name, struct strata_buffer *buffer);

/* The collation u64: compares as SQLite's collation callbacks do. */
int sql_compare_u64(void *data, int x_bytes, const void *x, int y_bytes, const void *y);

#endif /* STRATA_MERGE_SQL_VALUE_H */
