/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual.h - the base of all virtual tables: connects and disconnects tables, opens and closes
 * cursors, numbers rows.
 *
 * A kind of table gives what differs: its columns, its plan, and how a scan begins, goes on and
 * ends.  A cursor of a kind begins with struct sql_cursor; a new one is zeroed.
 */
#ifndef STRATA_MERGE_SQL_VIRTUAL_H
#define STRATA_MERGE_SQL_VIRTUAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "sql/described.h"

struct sql_virtual_kind;

/* A table, as it is registered. */
struct sql_virtual {
	const struct sql_virtual_kind *kind;
	void *of; /* what the kind's functions get */
};

struct sql_cursor {
	sqlite3_vtab_cursor base;
	const struct sql_virtual *table;
	bool at_end;       /* the scan has no row, or there is no scan */
	sqlite3_int64 row; /* of the scan; from 0 on */
};

/* Functions that return int return a code of SQLite's. */
struct sql_virtual_kind {
	size_t cursor_bytes;
	/* Adds the columns, by sql_declare_column(). */
	int (*declare)(void *of, sqlite3_str *columns);
	int (*choose)(void *of, sqlite3_index_info *info);
	/* Begins a scan at its first row, or sets at_end.  What the plan chose: xFilter's. */
	int (*begin)(struct sql_cursor *cursor, int number, const char *plan, int nr,
		     sqlite3_value **values);
	int (*next)(struct sql_cursor *cursor);
	/* Frees what the scan holds; also without a scan. */
	void (*end)(struct sql_cursor *cursor);
	/* Frees what the cursor holds besides; NULL: nothing. */
	void (*close)(struct sql_cursor *cursor);
	void (*column)(struct sql_cursor *cursor, sqlite3_context *context, int at);
	/* A number of the row that is the same in each scan; NULL: its place in the scan is. */
	sqlite3_int64 (*number)(const struct sql_cursor *cursor);
};

/* Adds a column to the declaration of a table; the name may be any text. */
void sql_declare_column(sqlite3_str *columns, const char *name, const char *type);

void sql_declare_columns(sqlite3_str *columns, const struct sql_described_column *list, size_t nr);

/* Registers a table, which exists from then on.  @of outlives it.  A code of SQLite's. */
int sql_virtual_add(sqlite3 *db, const char *name, const struct sql_virtual_kind *kind, void *of);

#endif /* STRATA_MERGE_SQL_VIRTUAL_H */
