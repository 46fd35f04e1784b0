/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql.h - a set of traces as tables of SQLite, which only reads: docs/sql.md describes them.
 *
 * Tables of events and of the state are virtual: a query's scan of one is a pass of the merge
 * (timeline/trace_set.h) from and to the times, over the streams and with the filter that the query
 * asks for.  Nothing is loaded beforehand, and a scan holds what a merge holds, or the state of
 * the hosts; only SQLite's sorting and materialised subqueries take more, which it puts into
 * temporary files without names.
 *
 * Statements may come from anybody: they can neither write, nor open files, nor load code, nor take
 * more memory than is allowed (guard.c).
 *
 * Synchronisation: one thread; but strata_sql_interrupt() may be called by a signal's handler.
 */
#ifndef STRATA_MERGE_SQL_H
#define STRATA_MERGE_SQL_H

#include <sqlite3.h>
#include <stdio.h>

#include "inputs/machines.h"
#include "outputs/shown.h"

struct strata_sql;
struct strata_request_forms;

struct strata_sql_options {
	struct strata_trace_set *set; /* gets its index when a query needs it */
	const struct strata_shown *shown;
	const struct strata_machines *machines;
	const struct strata_request_forms *requests;
	uint64_t memory_bytes; /* the most that SQLite takes; of the whole process */
};

/* What was read for all statements so far. */
struct strata_sql_counts {
	uint64_t passes, events, packets, bytes;
};

/* All that the options point to outlives it.  NULL with @error. */
struct strata_sql *strata_sql_open(const struct strata_sql_options *options,
				   struct strata_error *error);
void strata_sql_close(struct strata_sql *sql);

/*
 * Compiles the first statement of a text.  Tables of events exist only for statements that are
 * compiled by this, and that name them.
 * @rest: OUT, what is behind the statement
 * A code of SQLite's; *statement is NULL if the text has none.
 */
int strata_sql_prepare(struct strata_sql *sql, const char *text, sqlite3_stmt **statement,
		       const char **rest);

/* The connection, for messages. */
sqlite3 *strata_sql_connection(struct strata_sql *sql);

/* Makes the statement that runs end with SQLITE_INTERRUPT. */
void strata_sql_interrupt(struct strata_sql *sql);

/* To be called before a statement: what interrupted the last one is over. */
void strata_sql_begin(struct strata_sql *sql);

/* Scans that are open are not in it. */
const struct strata_sql_counts *strata_sql_counts(const struct strata_sql *sql);

/* What the first pass over all of the traces found, for each stream; NULL: there was none. */
const struct strata_ctf_tally *strata_sql_whole(const struct strata_sql *sql);

/* Lists the tables, those of events last. */
void strata_sql_list(const struct strata_sql *sql, FILE *out);

/* Describes a table's columns; all tables' if @name is NULL.  False: there is no such table. */
bool strata_sql_describe(const struct strata_sql *sql, const char *name, FILE *out);

/* The table whose name is the nearest to @name; NULL: none is near. */
const char *strata_sql_nearest(const struct strata_sql *sql, const char *name);

#endif /* STRATA_MERGE_SQL_H */
