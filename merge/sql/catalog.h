/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - the tables of events: one for each event name, over all traces that have it.
 *
 * Names in traces are arbitrary bytes, and SQLite's names are case-insensitive. So a table has its
 * event's name made valid. If several tables want the same name, each gets a number appended, so
 * that no event takes the table of another (names.h); likewise columns.
 *
 * A trace may have a hundred thousand names. The catalog has only the names; a table gets its
 * columns (columns.h) and is registered with SQLite when a statement names it (mentions.h).
 */
#ifndef STRATA_MERGE_SQL_CATALOG_H
#define STRATA_MERGE_SQL_CATALOG_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/ctf_access.h"
#include "sql/columns.h"
#include "sql/names.h"
#include "timeline/trace_set.h"

struct strata_sql;

/* The events of one name. */
struct sql_table {
	struct strata_sql *sql;
	const char *name;
	const char *event; /* name in the trace; NULL: the table of all events */
	const char *shown; /* valid form of the name, the value of the column `event` */
	const struct sql_member *members;
	size_t nr_members;
	bool is_registered;
	struct sql_columns columns; /* valid once the table is registered */
};

/* A class of events, and where it has the fields of its table. */
struct sql_class {
	struct sql_table *table;
	/* One per field of the table; without a type: the class lacks this field. */
	struct strata_ctf_access *fields;
};

struct sql_catalog {
	struct strata_ctf_arena *arena;
	struct sql_names names; /* of all tables */
	struct sql_member *members;
	struct sql_table events;
	struct sql_table *tables; /* one per event name, sorted by name */
	size_t nr_tables;
	size_t nr_numbered; /* tables whose name is numbered because others want it, too */
	const struct sql_table *first_numbered;
	struct sql_class **classes; /* by trace, then by index of the class in the trace */
	/* Memory for the columns of registered tables. */
	struct strata_ctf_arena *columns_arena;
	size_t most_columns;
};

/*
 * @taken: reserved table names, NULL-terminated
 * @most_columns: largest number per table
 * @bytes: largest amount of memory for columns
 * Returns 0, or -1: out of memory. The caller must clear the catalog in either case.
 */
int sql_catalog_make(struct sql_catalog *catalog, const struct strata_trace_set *set,
		     const char *const *taken, size_t most_columns, size_t bytes);
void sql_catalog_clear(struct sql_catalog *catalog);

/* Returns the table of that name among those of one event; NULL: no such table. */
struct sql_table *sql_catalog_find(const struct sql_catalog *catalog, const char *name);

/* Creates the columns of a table, so that it can be scanned. Returns 0, or -1: out of memory. */
int sql_catalog_make_columns(struct sql_catalog *catalog, struct sql_table *table);

#endif /* STRATA_MERGE_SQL_CATALOG_H */
