/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - what the files of this room share: the traces, the tables, what was read. */
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
	const char **sources;    /* the name of each trace, as it is shown */
	const char **hosts;      /* likewise the name of its machine */
	struct sql_tasks *tasks; /* made when a query asks for it; task_columns.h */
	struct span_table *span_tables;
	struct strata_sql_counts counts; /* of scans that are closed */
	struct sql_scan *scans;          /* that are open */
	struct strata_ctf_tally *whole;  /* of the first pass over everything; NULL: none yet */
	bool in_time_order;              /* every stream has times */
	atomic_bool stop;
};

/* Register the virtual tables.  Each: a code of SQLite's. */
int sql_add_events_table(struct strata_sql *sql);
int sql_add_span_tables(struct strata_sql *sql);
int sql_add_loss_table(struct strata_sql *sql);
int sql_add_class_list(struct strata_sql *sql);

/* Registers the table of one event, unless it is. */
int sql_add_event_table(struct strata_sql *sql, struct sql_table *table);

/* Makes the tables that hold what is known without reading events. */
int sql_add_fact_tables(struct strata_sql *sql);

/* Registers functions and collations. */
int sql_add_functions(struct strata_sql *sql);

/* From here on statements only read. */
int sql_guard(struct strata_sql *sql);

/* Names of tables that are not of one event, by number from 0 on; NULL behind the last. */
const char *sql_own_table_name(size_t number);

#endif /* STRATA_MERGE_SQL_SESSION_H */
