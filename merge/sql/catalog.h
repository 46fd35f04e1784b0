/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * catalog.h - which tables of events there are, and their columns: one table for each name of an
 * event, over all traces that have it.
 *
 * Names in traces are any bytes, and SQLite's names do not differ by case.  So a table has its
 * event's name made valid, with a number behind it where another has that name; likewise columns.
 */
#ifndef STRATA_MERGE_SQL_CATALOG_H
#define STRATA_MERGE_SQL_CATALOG_H

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/ctf_access.h"
#include "timeline/trace_set.h"

/* Columns that all tables of events begin with. */
enum sql_event_column {
	SQL_TIME,
	SQL_BOUND,
	SQL_HOST,
	SQL_SOURCE,
	SQL_LAYER,
	SQL_DOMAIN,
	SQL_DOMAIN_NAME,
	SQL_VCPU,
	SQL_PCPU,
	SQL_CPU,
	SQL_PROCESS,
	SQL_TID,
	SQL_NR_COMMON,
	/* Of the table of all events; those of one event have fields here. */
	SQL_EVENT = SQL_NR_COMMON,
	SQL_PACKET,
	SQL_STREAM_CONTEXT,
	SQL_CONTEXT,
	SQL_FIELDS,
	SQL_NR_EVENTS_COLUMNS,
};

struct sql_column {
	const char *name;
	const char *type; /* of its declaration */
	size_t field;     /* of the table; SIZE_MAX: one of the common ones */
	bool is_name;     /* the name of the field's number */
};

enum sql_scope { SQL_IN_FIELDS, SQL_IN_CONTEXT, SQL_IN_STREAM_CONTEXT, SQL_NR_SCOPES };

struct sql_field {
	const char *name; /* as in the trace */
	enum sql_scope scope;
	unsigned int kinds; /* bits of what its values are */
	bool has_names;
};

struct strata_sql;

/* Columns that all classes of an event's name have together. */
struct sql_table {
	struct strata_sql *sql;
	const char *name;
	const char *event; /* in the trace; NULL: the table of all events */
	const char *shown; /* its name, made valid: what the column `event` has */
	struct sql_column *columns;
	size_t nr_columns;
	struct sql_field *fields;
	size_t nr_fields, fields_room;
	size_t nr_named; /* of them that have names */
	size_t left_out; /* fields beyond the most columns that SQLite has */
};

/* A class of events: where its table's fields are. */
struct sql_class {
	const struct sql_table *table;
	struct strata_ctf_access *fields; /* as the table's; without a type: it has none */
};

struct sql_catalog {
	struct strata_ctf_arena *arena;
	struct sql_table *events;
	struct sql_table **tables; /* of one event each, by name */
	size_t nr_tables;
	struct sql_class **classes; /* by trace, and the class's index in it */
};

/*
 * @taken: names that tables must not have, NULL behind the last
 * @most:  columns of a table
 * 0, or -1: out of memory.  To be cleared in any case.
 */
int sql_catalog_make(struct sql_catalog *catalog, const struct strata_trace_set *set,
		     const char *const *taken, size_t most);
void sql_catalog_clear(struct sql_catalog *catalog);

#endif /* STRATA_MERGE_SQL_CATALOG_H */
