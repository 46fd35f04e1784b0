/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * virtual.h - the base of all virtual tables: connects and disconnects tables, opens and closes
 * cursors, numbers rows.
 *
 * A kind of table supplies what differs: its columns, its plan, and how a scan begins, continues
 * and ends. The cursor struct of a kind starts with struct sql_cursor; a new cursor is zeroed.
 */
#ifndef STRATA_MERGE_SQL_VIRTUAL_H
#define STRATA_MERGE_SQL_VIRTUAL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

#include "sql/described.h"

struct sql_virtual_kind;

/* A registered table. */
struct sql_virtual {
	const struct sql_virtual_kind *kind;
	void *of; /* argument of the kind's functions */
};

struct sql_cursor {
	sqlite3_vtab_cursor base;
	const struct sql_virtual *table;
	bool at_end;       /* the scan has no row, or there is no scan */
	sqlite3_int64 row; /* position in the scan, from 0 */
};

/* Functions that return int return an SQLite result code. */
struct sql_virtual_kind {
	size_t cursor_bytes;
	/* Adds the columns with sql_declare_column(). */
	int (*declare)(void *of, sqlite3_str *columns);
	int (*choose)(void *of, sqlite3_index_info *info);
	/* Begins a scan at its first row, or sets at_end. The arguments are those of xFilter. */
	int (*begin)(struct sql_cursor *cursor, int number, const char *plan, int nr,
		     sqlite3_value **values);
	int (*next)(struct sql_cursor *cursor);
	/* Releases the scan's resources; may be called without a scan. */
	void (*end)(struct sql_cursor *cursor);
	/* Releases the cursor's other resources; NULL: it has none. */
	void (*close)(struct sql_cursor *cursor);
	void (*column)(struct sql_cursor *cursor, sqlite3_context *context, int at);
	/* Returns a row number that is the same in each scan; NULL: the position in the scan is. */
	sqlite3_int64 (*number)(const struct sql_cursor *cursor);
};

/* Adds a column to the declaration of a table; the name may be any text. */
void sql_declare_column(sqlite3_str *columns, const char *name, const char *type);

void sql_declare_columns(sqlite3_str *columns, const struct sql_described_column *list, size_t nr);

/* Registers a table. @of must outlive it. Returns an SQLite result code. */
int sql_virtual_add(sqlite3 *db, const char *name, const struct sql_virtual_kind *kind, void *of);

#endif /* STRATA_MERGE_SQL_VIRTUAL_H */
