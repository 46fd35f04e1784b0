/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the state shared by the files of this directory: the traces, the tables, the
 * counts. */
#ifndef STRATA_MERGE_SQL_SESSION_H
#define STRATA_MERGE_SQL_SESSION_H

#include <stdatomic.h>

#include "sql/catalog.h"
#include "sql/sql.h"

struct span_table;
struct sql_scan;
struct sql_tasks;

struct strata_sql {
	struct strata_sql_options options;
	sqlite3 *db;
	struct sql_catalog catalog;
	const char **sources;    /* the displayed name of each trace */
	const char **hosts;      /* the displayed name of each trace's machine */
	struct sql_tasks *tasks; /* created when a query first needs it; task_columns.h */
	struct span_table *span_tables;
	struct strata_sql_counts counts; /* of closed scans */
	struct sql_scan *scans;          /* open scans */
	struct strata_ctf_tally *whole;  /* of the first complete pass; NULL: none yet */
	bool in_time_order;              /* every stream has times */
	/* Gaps found by the statement's scans of spans; gaps.h. */
	uint32_t lacking; /* tables, as bits */
	uint64_t not_followed;
	atomic_bool stop;
};

/* Each registers a virtual table and returns an SQLite result code. */
int sql_add_events_table(struct strata_sql *sql);
int sql_add_span_tables(struct strata_sql *sql);
int sql_add_loss_table(struct strata_sql *sql);
int sql_add_class_list(struct strata_sql *sql);

/* Registers the table of one event, if it is not registered yet. */
int sql_add_event_table(struct strata_sql *sql, struct sql_table *table);

/* Creates the tables whose contents need no events. */
int sql_add_fact_tables(struct strata_sql *sql);

/* Registers functions and collations. */
int sql_add_functions(struct strata_sql *sql);

/* After this call, statements can only read. */
int sql_guard(struct strata_sql *sql);

/* Names of the tables that are not of one event, by number from 0; NULL after the last. */
const char *sql_own_table_name(size_t number);

#endif /* STRATA_MERGE_SQL_SESSION_H */
