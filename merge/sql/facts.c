// SPDX-License-Identifier: GPL-2.0-or-later
/* facts.c - the in-memory tables `sources` and `clocks`, which need no events to be read. */
#include <string.h>

#include "base/escape.h"
#include "sql/session.h"
#include "sql/value.h"
#include "sql/virtual.h"

static const struct sql_described_column of_sources[] = {
	{ "source", "TEXT", "" },
	{ "host", "TEXT", "the machine" },
	{ "layer", "TEXT", "xen, kernel or app" },
	{ "domain", "INTEGER", "" },
	{ "process", "TEXT", "of an application" },
	{ "pid", "INTEGER", "" },
	{ "streams", "INTEGER", "how many" },
	{ "bytes", "INTEGER", "of its streams" },
};

static const struct sql_described_column of_clocks[] = {
	{ "source", "TEXT", "" },
	{ "host", "TEXT", "the machine" },
	{ "clock", "TEXT", "its name in the trace" },
	{ "uuid", "TEXT", "" },
	{ "frequency_hz", "INTEGER", "" },
	{ "precision_ns", "INTEGER", "as the trace says" },
	{ "is_tied", "INTEGER", "1: its times are comparable with those of the other sources" },
	{ "is_recorded", "INTEGER", "1: a recording of Strata tells how it is converted" },
	{ "bound_ns", "INTEGER",
	  "its times are off by no more; NULL: not known, or in each event" },
};

const struct sql_described_table sql_sources = { "sources", "the traces", of_sources,
						 sizeof(of_sources) / sizeof(of_sources[0]) };
const struct sql_described_table sql_clocks = { "clocks", "the clocks of traces", of_clocks,
						sizeof(of_clocks) / sizeof(of_clocks[0]) };

/* Inserts a row, whose values are bound to the statement. */
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

/* Binds a name of arbitrary bytes. */
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

/* Whether this is a Strata recording with recorded clock conversions. */
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
			/* In a recording each event has its own bound. */
			if (trace->times_are_tied && !trace->recording)
				bind_u64(statement, 9, trace->own_bound_ns);
			status = insert(statement);
		}
	}
	return status;
}

static int create(const struct strata_sql *sql, const struct sql_described_table *table)
{
	sqlite3_str *columns = sqlite3_str_new(sql->db);
	char *text, *statement;
	int status = SQLITE_NOMEM;

	sql_declare_columns(columns, table->columns, table->nr);
	text = sqlite3_str_finish(columns);
	statement = text ? sqlite3_mprintf("CREATE TABLE %s(%s)", table->name, text) : NULL;
	if (statement)
		status = sqlite3_exec(sql->db, statement, NULL, NULL, NULL);
	sqlite3_free(text);
	sqlite3_free(statement);
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
	int status = create(sql, &sql_sources);

	if (status == SQLITE_OK)
		status = create(sql, &sql_clocks);
	if (status == SQLITE_OK)
		status = sqlite3_exec(sql->db, "BEGIN", NULL, NULL, NULL);
	if (status == SQLITE_OK)
		status = fill(sql, "INSERT INTO sources VALUES(?,?,?,?,?,?,?,?)", add_sources);
	if (status == SQLITE_OK)
		status = fill(sql, "INSERT INTO clocks VALUES(?,?,?,?,?,?,?,?,?)", add_clocks);
	if (status == SQLITE_OK)
		status = sqlite3_exec(sql->db, "COMMIT", NULL, NULL, NULL);
	return status;
}
