/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - which tables of events there are: one for each name of an event, over all traces that
 * have it.
 *
 * Names in traces are any bytes, and SQLite's names do not differ by case.  So a table has its
 * event's name made valid, with a number behind it where another has that name; likewise columns.
 *
 * A trace may have a hundred thousand names.  The catalog has the names alone; a table gets its
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
	const char *event; /* in the trace; NULL: the table of all events */
	const char *shown; /* its name, made valid: what the column `event` has */
	const struct sql_member *members;
	size_t nr_members;
	bool is_registered;
	struct sql_columns columns; /* since it is registered */
};

/* A class of events: where the fields of its table are. */
struct sql_class {
	struct sql_table *table;
	struct strata_ctf_access *fields; /* as the table's; without a type: it has none */
};

struct sql_catalog {
	struct strata_ctf_arena *arena;
	struct sql_names names; /* of all tables */
	struct sql_member *members;
	struct sql_table events;
	struct sql_table *tables; /* of one event each, by the event's name */
	size_t nr_tables;
	struct sql_class **classes; /* by trace, and the class's index in it */
	/* Of tables that are registered. */
	struct strata_ctf_arena *columns_arena;
	size_t most_columns;
};

/*
 * @taken:        names that tables must not have, NULL behind the last
 * @most_columns: of a table
 * @bytes:        the most memory for columns
 * 0, or -1: out of memory.  To be cleared in any case.
 */
int sql_catalog_make(struct sql_catalog *catalog, const struct strata_trace_set *set,
		     const char *const *taken, size_t most_columns, size_t bytes);
void sql_catalog_clear(struct sql_catalog *catalog);

/* The table of one event that has that name; NULL: there is none. */
struct sql_table *sql_catalog_find(const struct sql_catalog *catalog, const char *name);

/* Makes the columns of a table of one event, for scans.  0, or -1: out of memory. */
int sql_catalog_make_columns(struct sql_catalog *catalog, struct sql_table *table);

#endif /* STRATA_MERGE_SQL_CATALOG_H */
