// SPDX-License-Identifier: GPL-2.0-or-later
/* sql.c - see sql.h: opens and closes a session. */
#include "sql/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sql/mentions.h"
#include "sql/session.h"
#include "sql/task_columns.h"

/* Finds the displayed names of sources and machines of each trace. Returns 0 or -1. */
static int find_names(struct strata_sql *sql)
{
	const struct strata_trace_set *set = sql->options.set;
	size_t i;

	sql->sources = calloc(set->nr_traces + 1, sizeof(*sql->sources));
	sql->hosts = calloc(set->nr_traces + 1, sizeof(*sql->hosts));
	if (!sql->sources || !sql->hosts)
		return -1;
	for (i = 0; i < set->nr_traces; i++) {
		const size_t machine = set->traces[i]->machine;

		sql->sources[i] = sql->options.shown->sources[i].name;
		sql->hosts[i] = machine < sql->options.machines->nr
					? sql->options.machines->machines[machine].name
					: sql->sources[i];
	}
	return 0;
}

/* Whether all events have times, and so arrive in order of time_ns. */
static bool has_times(const struct strata_trace_set *set)
{
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		for (j = 0; j < set->traces[i]->metadata.nr_streams; j++) {
			if (!set->traces[i]->kinds[j].has_time)
				return false;
		}
	}
	return true;
}

/* Reserved table names: those of this directory's tables and of SQLite's own modules. */
struct taken {
	const char **names;
	size_t nr, room;
};

static int add_taken(struct taken *taken, const char *name)
{
	char *copy = strdup(name);

	if (copy && STRATA_GROW(taken->names, taken->nr, taken->room)) {
		taken->names[taken->nr++] = copy;
		return 0;
	}
	free(copy);
	return -1;
}

static void clear_taken(struct taken *taken)
{
	size_t i;

	for (i = 0; i < taken->nr; i++)
		free((char *)taken->names[i]);
	free(taken->names);
}

/* Appends the terminating NULL. Returns 0 or -1. */
static int list_taken(struct taken *taken, sqlite3 *db)
{
	sqlite3_stmt *modules = NULL;
	int status = 0;
	size_t i;

	for (i = 0; !status && sql_own_table_name(i); i++)
		status = add_taken(taken, sql_own_table_name(i));
	if (!status &&
	    sqlite3_prepare_v2(db, "SELECT name FROM pragma_module_list", -1, &modules, NULL))
		status = -1;
	while (!status && sqlite3_step(modules) == SQLITE_ROW)
		status = add_taken(taken, (const char *)sqlite3_column_text(modules, 0));
	sqlite3_finalize(modules);
	if (status || !STRATA_GROW(taken->names, taken->nr, taken->room))
		return -1;
	taken->names[taken->nr] = NULL;
	return 0;
}

static int make_catalog(struct strata_sql *sql)
{
	const int most = sqlite3_limit(sql->db, SQLITE_LIMIT_COLUMN, -1);
	struct taken taken = { 0 };
	int status = list_taken(&taken, sql->db);

	if (!status)
		status = sql_catalog_make(&sql->catalog, sql->options.set, taken.names,
					  (size_t)most, (size_t)sql->options.memory_bytes);
	clear_taken(&taken);
	return status ? SQLITE_NOMEM : SQLITE_OK;
}

/* How often a statement looks whether it was interrupted, in steps of SQLite's machine. */
#define STEPS_PER_LOOK 1000

/* sqlite3_interrupt() has no effect on a statement that begins later. */
static int is_interrupted(void *data)
{
	const struct strata_sql *sql = data;

	return atomic_load_explicit(&sql->stop, memory_order_relaxed);
}

/* Returns an SQLite result code. */
static int set_up(struct strata_sql *sql)
{
	int status;

	sqlite3_hard_heap_limit64((sqlite3_int64)sql->options.memory_bytes);
	status = sqlite3_open_v2(":memory:", &sql->db,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
				 NULL);
	if (status == SQLITE_OK)
		status = make_catalog(sql);
	if (status == SQLITE_OK)
		status = sql_add_functions(sql);
	if (status == SQLITE_OK)
		status = sql_add_events_table(sql);
	if (status == SQLITE_OK)
		status = sql_add_span_tables(sql);
	if (status == SQLITE_OK)
		status = sql_add_loss_table(sql);
	if (status == SQLITE_OK)
		status = sql_add_class_list(sql);
	if (status == SQLITE_OK)
		status = sql_add_fact_tables(sql);
	if (status == SQLITE_OK)
		status = sql_guard(sql);
	if (status == SQLITE_OK)
		sqlite3_progress_handler(sql->db, STEPS_PER_LOOK, is_interrupted, sql);
	return status;
}

struct strata_sql *strata_sql_open(const struct strata_sql_options *options,
				   struct strata_error *error)
{
	struct strata_sql *sql = calloc(1, sizeof(*sql));
	int status;

	strata_fail(error, "out of memory for the tables; raise --memory");
	if (!sql)
		return NULL;
	sql->options = *options;
	sql->in_time_order = has_times(options->set);
	status = find_names(sql) ? SQLITE_NOMEM : set_up(sql);
	if (status == SQLITE_OK)
		return sql;
	if (status != SQLITE_NOMEM)
		strata_fail(error, "SQLite cannot be set up: %s",
			    sql->db ? sqlite3_errmsg(sql->db) : sqlite3_errstr(status));
	strata_sql_close(sql);
	return NULL;
}

void strata_sql_close(struct strata_sql *sql)
{
	if (!sql)
		return;
	sqlite3_close_v2(sql->db);
	sql_catalog_clear(&sql->catalog);
	sql_tasks_free(sql->tasks);
	free(sql->span_tables);
	free(sql->sources);
	free(sql->hosts);
	free(sql->whole);
	free(sql);
}

/* Registers the tables of events that a statement mentions. */
static int add_mentioned(struct strata_sql *sql, const char *text)
{
	char name[SQL_MENTION_BYTES];
	int status = SQLITE_OK;

	while (status == SQLITE_OK && sql_next_mention(&text, name)) {
		struct sql_table *table = sql_catalog_find(&sql->catalog, name);

		if (table)
			status = sql_add_event_table(sql, table);
	}
	return status;
}

int strata_sql_prepare(struct strata_sql *sql, const char *text, sqlite3_stmt **statement,
		       const char **rest)
{
	const int status = add_mentioned(sql, text);

	*statement = NULL;
	return status == SQLITE_OK ? sqlite3_prepare_v2(sql->db, text, -1, statement, rest)
				   : status;
}

sqlite3 *strata_sql_connection(struct strata_sql *sql)
{
	return sql->db;
}

void strata_sql_interrupt(struct strata_sql *sql)
{
	atomic_store_explicit(&sql->stop, true, memory_order_relaxed);
	sqlite3_interrupt(sql->db);
}

void strata_sql_forget_interrupt(struct strata_sql *sql)
{
	atomic_store_explicit(&sql->stop, false, memory_order_relaxed);
}

const struct strata_sql_counts *strata_sql_counts(const struct strata_sql *sql)
{
	return &sql->counts;
}

const struct strata_ctf_tally *strata_sql_whole(const struct strata_sql *sql)
{
	return sql->whole;
}
