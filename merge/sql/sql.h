/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql.h - presents a set of traces as read-only tables of SQLite; docs/sql.md describes them.
 *
 * Tables of events and of the state are virtual: a query's scan of one is a pass of the merge
 * (timeline/trace_set.h) over the times, streams and events that the query's conditions select.
 * Nothing is loaded beforehand. A scan uses the memory of a merge, or of the state of the hosts.
 * Only SQLite's sorts and materialised subqueries use more, in unnamed temporary files.
 *
 * Statements are untrusted: they cannot write, open files, load code, or use more memory than
 * allowed (guard.c).
 *
 * Synchronisation: one thread; only strata_sql_interrupt() may also be called from a signal
 * handler.
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
	struct strata_trace_set *set; /* its index is made when a query needs it */
	const struct strata_shown *shown;
	const struct strata_machines *machines;
	const struct strata_request_forms *requests;
	uint64_t memory_bytes; /* limit on SQLite's memory, for the whole process */
};

/* What all statements so far have read. */
struct strata_sql_counts {
	uint64_t passes, events, packets, bytes;
};

/* Everything that the options point to must outlive the session. Returns NULL with @error. */
struct strata_sql *strata_sql_open(const struct strata_sql_options *options,
				   struct strata_error *error);
void strata_sql_close(struct strata_sql *sql);

/*
 * Compiles the first statement of a text. This registers the tables of events that the statement
 * mentions; they do not exist for statements compiled in any other way.
 * @rest: OUT, the text after the statement
 * Returns an SQLite result code; *statement is NULL if the text has no statement.
 */
int strata_sql_prepare(struct strata_sql *sql, const char *text, sqlite3_stmt **statement,
		       const char **rest);

/* Returns the connection, for SQLite's error messages. */
sqlite3 *strata_sql_connection(struct strata_sql *sql);

/* Makes the running statement, or else the next one, end with SQLITE_INTERRUPT, and all after it.
 */
void strata_sql_interrupt(struct strata_sql *sql);

/* Lets statements run again after an interrupt. */
void strata_sql_forget_interrupt(struct strata_sql *sql);

/* Prints what was missing in the tables that were read since the last call, and which events to
 * record to have it. */
void strata_sql_say_gaps(struct strata_sql *sql, FILE *out);

/* Returns the counts, without those of open scans. */
const struct strata_sql_counts *strata_sql_counts(const struct strata_sql *sql);

/* Returns the totals per stream of the first complete pass over all traces; NULL: there was
 * none. */
const struct strata_ctf_tally *strata_sql_whole(const struct strata_sql *sql);

/*
 * Lists the tables, those of events last.
 * @text: only tables whose name contains this, ignoring case; NULL: all
 * @most: largest number of tables of events to list; the number of the others is printed
 */
void strata_sql_list(const struct strata_sql *sql, const char *text, size_t most, FILE *out);

/* Describes the columns of a table, or of all tables if @name is NULL. Returns false if there is no
 * such table. */
bool strata_sql_describe(const struct strata_sql *sql, const char *name, FILE *out);

/* Prints one line if tables of events have numbers in their names because other tables want the
 * same names. */
void strata_sql_say_numbered(const struct strata_sql *sql, FILE *out);

/* Returns the name of the table that is spelled most like @name; NULL: no name is similar, or
 * several events share this one. */
const char *strata_sql_nearest(const struct strata_sql *sql, const char *name);

#endif /* STRATA_MERGE_SQL_H */
