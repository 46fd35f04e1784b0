/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - which part of a query's conditions a scan takes over, so that it reads only what is
 * needed: times, and what filters (filter/filter.h) know of source, layer, domain, vCPU, CPU and
 * event.
 *
 * xBestIndex chooses them and writes them as text, which EXPLAIN QUERY PLAN shows; xFilter reads
 * that text again and gets the values.  SQLite asks all conditions once more of each row, so a scan
 * may hand on too many rows, but never too few: a value that a filter would compare in another way
 * than SQLite does is not taken over.
 */
#ifndef STRATA_MERGE_SQL_PLAN_H
#define STRATA_MERGE_SQL_PLAN_H

#include "sql/session.h"

/* What columns of a virtual table are, for this. */
enum sql_condition {
	SQL_NO_CONDITION,
	SQL_ON_TIME,
	SQL_ON_NUMBER, /* an attribute of filters */
	SQL_ON_TEXT,   /* likewise */
	SQL_ON_HOST,
	SQL_ON_EVENT,
};

struct sql_condition_column {
	const char *name;
	enum sql_condition condition;
	const char *attribute; /* "$cpu" */
};

/* The columns of tables of events. */
extern const struct sql_condition_column sql_event_conditions[SQL_NR_EVENTS_COLUMNS];

/*
 * Chooses conditions, and says what a scan costs.
 * @rows: of the whole table, about
 * A code of SQLite's.
 */
int sql_plan_choose(sqlite3_index_info *info, const struct sql_condition_column *columns,
		    size_t nr_columns, double rows);

/* What the conditions amount to. */
struct sql_plan {
	uint64_t from_ns, to_ns;
	char *expression; /* sqlite3_free() it; NULL: none */
	bool is_empty;    /* no row can match */
};

/* @table: whose events are meant; of all events, too.  A code of SQLite's. */
int sql_plan_read(struct sql_plan *plan, const struct sql_table *table, const char *text,
		  int nr_values, sqlite3_value **values, const struct sql_condition_column *columns,
		  size_t nr_columns);

#endif /* STRATA_MERGE_SQL_PLAN_H */
