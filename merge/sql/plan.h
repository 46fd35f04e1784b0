/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - pushes a query's conditions down into the scan, so that it reads only what is needed:
 * conditions on times, and on the source, layer, domain, vCPU, CPU and event, as filters
 * (filter/filter.h) know them.
 *
 * xBestIndex chooses them and writes them as text, which EXPLAIN QUERY PLAN shows; xFilter reads
 * that text again and gets the values. SQLite evaluates all conditions again on each row, so a scan
 * may return too many rows, but never too few: a condition is not pushed down if a filter would
 * compare its value differently from SQLite.
 */
#ifndef STRATA_MERGE_SQL_PLAN_H
#define STRATA_MERGE_SQL_PLAN_H

#include "sql/session.h"

/* How a column can be used in a condition. */
enum sql_condition {
	SQL_NO_CONDITION,
	SQL_ON_TIME,
	SQL_ON_NUMBER, /* a numeric attribute of filters */
	SQL_ON_TEXT,   /* a text attribute of filters */
	SQL_ON_HOST,
	SQL_ON_EVENT,
};

struct sql_condition_column {
	const char *name;
	enum sql_condition condition;
	const char *attribute; /* its name in filters: "$cpu" */
};

/* The columns of tables of events. */
extern const struct sql_condition_column sql_event_conditions[SQL_NR_EVENTS_COLUMNS];

/*
 * Chooses the conditions to push down, and estimates the cost of the scan.
 * @rows: estimated size of the whole table
 * Returns an SQLite result code.
 */
int sql_plan_choose(sqlite3_index_info *info, const struct sql_condition_column *columns,
		    size_t nr_columns, double rows);

/* The combined conditions. */
struct sql_plan {
	uint64_t from_ns, to_ns;
	char *expression; /* to be freed with sqlite3_free(); NULL: none */
	bool is_empty;    /* no row can match */
};

/* @table: the table whose events are meant, which may be that of all events. Returns an SQLite
 * result code. */
int sql_plan_read(struct sql_plan *plan, const struct sql_table *table, const char *text,
		  int nr_values, sqlite3_value **values, const struct sql_condition_column *columns,
		  size_t nr_columns);

#endif /* STRATA_MERGE_SQL_PLAN_H */
