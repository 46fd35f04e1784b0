/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.h - writes the rows of a statement as a table for people, as CSV or as JSON. */
#ifndef STRATA_SQL_RESULT_H
#define STRATA_SQL_RESULT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "outputs/event_writer.h"
#include "outputs/table.h"

enum result_form { RESULT_TABLE, RESULT_CSV, RESULT_JSON };

struct result {
	enum result_form form;
	sqlite3_stmt *statement;
	int nr_columns;
	uint64_t nr_rows;
	char **names; /* of columns; unique for JSON */
	struct strata_table table;
	struct strata_table_column *columns;
	size_t table_bytes; /* of the table's cells */
	struct strata_buffer json;
	bool no_memory;
};

/* To be called before the first row, after sqlite3_step(), which determines the columns. */
void result_begin(struct result *result, enum result_form form, sqlite3_stmt *statement);
void result_row(struct result *result);
/* Writes the rest, and frees everything. Returns 0, or -1: out of memory. */
int result_end(struct result *result);

#endif /* STRATA_SQL_RESULT_H */
