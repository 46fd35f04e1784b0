// SPDX-License-Identifier: GPL-2.0-or-later
/* facts.c - the tables of what is known without reading events: `sources`, `clocks`, and
 * `event_tables`, which lists the tables of events.  They lie in memory. */
#include <string.h>

#include "base/escape.h"
#include "sql/session.h"
#include "sql/value.h"

static const char tables[] =
	"CREATE TABLE sources(source TEXT, host TEXT, layer TEXT, domain INTEGER, process TEXT, "
	"pid INTEGER, streams INTEGER, bytes INTEGER);"
	"CREATE TABLE clocks(source TEXT, host TEXT, clock TEXT, uuid TEXT, frequency_hz INTEGER, "
	"precision_ns INTEGER, is_tied INTEGER, is_recorded INTEGER, bound_ns INTEGER);"
	"CREATE TABLE event_tables(name TEXT, event TEXT, source TEXT, layer TEXT, fields INTEGER);";

/* Inserts a row; the statement has its values. */
static int insert(sqlite3_stmt *statement)
{
	const int status = sqlite3_step(statement);

	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return status == SQLITE_DONE ? SQLITE_OK : status;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text && *text)
		sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC);
}

static void bind_u64(sqlite3_stmt *statement, int at, uint64_t value)
{
	if (value <= INT64_MAX)
		sqlite3_bind_int64(statement, at, (sqlite3_int64)value);
}

/* A name of any bytes. */
static void bind_name(sqlite3_stmt *statement, int at, const char *name)
{
	char text[512];

	if (!name)
		return;
	strata_valid_utf8_copy(text, sizeof(text), name);
	sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static int add_sources(const struct strata_sql *sql, sqlite3_stmt *statement)
{
	const struct strata_trace_set *set = sql->options.set;
	int status = SQLITE_OK;
	size_t i;

	for (i = 0; status == SQLITE_OK && i < set->nr_traces; i++) {
		const struct strata_shown_source *source = &sql->options.shown->sources[i];

		bind_text(statement, 1, source->name);
		bind_text(statement, 2, sql->hosts[i]);
		bind_text(statement, 3, source->layer);
		if (source->domain != STRATA_SHOWN_UNKNOWN)
			bind_u64(statement, 4, source->domain);
		bind_name(statement, 5, source->process ? source->process : source->procname);
		if (source->has_pid || source->has_vpid)
			sqlite3_bind_int64(statement, 6,
					   source->has_pid ? source->pid : source->vpid);
		bind_u64(statement, 7, set->traces[i]->nr_streams);
		bind_u64(statement, 8, set->traces[i]->bytes);
		status = insert(statement);
	}
	return status;
}

/* Whether a recording of Strata tells how its clocks are converted. */
static bool is_recorded(const struct strata_ctf_trace *trace)
{
	return trace->recording != NULL;
}

static int add_clocks(const struct strata_sql *sql, sqlite3_stmt *statement)
{
	const struct strata_trace_set *set = sql->options.set;
	int status = SQLITE_OK;
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_trace *trace = set->traces[i];

		for (j = 0; status == SQLITE_OK && j < trace->metadata.nr_clocks; j++) {
			const struct strata_ctf_clock *clock = &trace->metadata.clocks[j];
			char uuid[STRATA_UUID_TEXT_BYTES];

			strata_uuid_text(uuid, clock->uuid);
			bind_text(statement, 1, sql->sources[i]);
			bind_text(statement, 2, sql->hosts[i]);
			bind_name(statement, 3, clock->name);
			if (clock->has_uuid)
				bind_text(statement, 4, uuid);
			bind_u64(statement, 5, clock->frequency);
			if (clock->precision <= UINT64_MAX / 1000000000u)
				bind_u64(statement, 6,
					 clock->precision * 1000000000u / clock->frequency);
			sqlite3_bind_int(statement, 7, trace->times_are_tied);
			sqlite3_bind_int(statement, 8, is_recorded(trace));
			/* Of a recording each event has a bound of its own. */
			if (trace->times_are_tied && !trace->recording)
				bind_u64(statement, 9, trace->own_bound_ns);
			status = insert(statement);
		}
	}
	return status;
}

static int add_event_tables(const struct strata_sql *sql, sqlite3_stmt *statement)
{
	const struct strata_trace_set *set = sql->options.set;
	int status = SQLITE_OK;
	size_t i, j;

	for (i = 0; i < set->nr_traces; i++) {
		for (j = 0; status == SQLITE_OK && j < set->traces[i]->metadata.nr_events; j++) {
			const struct sql_table *table = sql->catalog.classes[i][j].table;

			if (!table)
				continue;
			bind_text(statement, 1, table->name);
			sqlite3_bind_text(statement, 2, table->shown, -1, SQLITE_STATIC);
			bind_text(statement, 3, sql->sources[i]);
			bind_text(statement, 4, sql->options.shown->sources[i].layer);
			bind_u64(statement, 5, table->nr_fields + table->left_out);
			status = insert(statement);
		}
	}
	return status;
}

static int fill(const struct strata_sql *sql, const char *text,
		int (*add)(const struct strata_sql *sql, sqlite3_stmt *statement))
{
	sqlite3_stmt *statement = NULL;
	int status = sqlite3_prepare_v2(sql->db, text, -1, &statement, NULL);

	if (status == SQLITE_OK)
		status = add(sql, statement);
	sqlite3_finalize(statement);
	return status;
}

int sql_add_fact_tables(struct strata_sql *sql)
{
	int status = sqlite3_exec(sql->db, tables, NULL, NULL, NULL);

	if (status == SQLITE_OK)
		status = sqlite3_exec(sql->db, "BEGIN", NULL, NULL, NULL);
	if (status == SQLITE_OK)
		status = fill(sql, "INSERT INTO sources VALUES(?,?,?,?,?,?,?,?)", add_sources);
	if (status == SQLITE_OK)
		status = fill(sql, "INSERT INTO clocks VALUES(?,?,?,?,?,?,?,?,?)", add_clocks);
	if (status == SQLITE_OK)
		status = fill(sql, "INSERT INTO event_tables VALUES(?,?,?,?,?)", add_event_tables);
	if (status == SQLITE_OK)
		status = sqlite3_exec(sql->db, "COMMIT", NULL, NULL, NULL);
	return status;
}
