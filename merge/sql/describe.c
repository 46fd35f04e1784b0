// SPDX-License-Identifier: GPL-2.0-or-later
/* describe.c - says which tables there are, and which columns they have. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_nearest.h"
#include "sql/names.h"
#include "sql/session.h"
#include "sql/shown_text.h"

/* Tables that SQLite itself has: described by their statements. */
static const char *const facts[][2] = {
	{ "losses",
	  "what tracers lost: time_ns, end_ns, host, source, layer, cpu, stream, discarded, "
	  "missing_packets, buffer_full, nested_wrap, record_too_large" },
	{ "clocks", "the clocks of traces: source, host, clock, uuid, frequency_hz, precision_ns, "
		    "is_tied, is_recorded, bound_ns" },
	{ "sources", "the traces: source, host, layer, domain, process, pid, streams, bytes" },
	{ "event_tables", "the tables of events by source: name, event, source, layer, fields" },
};

#define NR_FACTS (sizeof(facts) / sizeof(facts[0]))

static void print_name(const char *name, FILE *out)
{
	char shown[4 * 256];

	fputs(strata_escape_name(shown, sizeof(shown), name), out);
}

/* A name as it is written in a statement: in quotes unless it is a plain word. */
static void print_quoted(const char *name, FILE *out)
{
	const size_t bytes = strlen(name);
	char shown[SQL_SHOWN_BYTES(2 * SQL_NAME_BYTES + 64)];
	char *quoted;
	size_t i;

	for (i = 0; i < bytes &&
		    ((name[i] >= 'a' && name[i] <= 'z') || name[i] == '_' ||
		     (name[i] >= 'A' && name[i] <= 'Z') || (i && name[i] >= '0' && name[i] <= '9'));
	     i++)
		;
	if (i == bytes && !sqlite3_keyword_check(name, (int)bytes)) {
		fputs(name, out);
		return;
	}
	quoted = sqlite3_mprintf("\"%w\"", name);
	if (quoted)
		fputs(sql_shown_text(shown, quoted, strnlen(quoted, 2 * SQL_NAME_BYTES + 63)), out);
	sqlite3_free(quoted);
}

static void describe_events(const struct sql_table *table, FILE *out)
{
	size_t i;

	print_quoted(table->name, out);
	if (table->event && strcmp(table->name, table->event) != 0) {
		fputs("  -- events of the name ", out);
		print_name(table->event, out);
	}
	fputc('\n', out);
	for (i = 0; i < table->nr_columns; i++) {
		const struct sql_column *column = &table->columns[i];
		const bool is_wide = strcmp(column->type, "COLLATE u64") == 0;

		fputs("  ", out);
		print_quoted(column->name, out);
		fprintf(out, " %s", is_wide ? "UNSIGNED" : *column->type ? column->type : "ANY");
		if (column->is_name)
			fputs("  -- the name of that number", out);
		fputc('\n', out);
	}
	if (table->left_out)
		fprintf(out,
			"  -- %zu more fields, which are beyond SQLite's limit of columns, are in "
			"events.fields\n",
			table->left_out);
}

static bool describe_fact(const char *name, FILE *out)
{
	size_t i;

	for (i = 0; i < NR_FACTS; i++) {
		if (sqlite3_stricmp(name, facts[i][0]) == 0) {
			fprintf(out, "%s  -- %s\n", facts[i][0], facts[i][1]);
			return true;
		}
	}
	return false;
}

void strata_sql_list(const struct strata_sql *sql, FILE *out)
{
	size_t i;

	fputs("State, and what is known of the traces:\n ", out);
	for (i = 0; sql_table_names[i]; i++)
		fprintf(out, " %s", sql_table_names[i]);
	fprintf(out, "\nEvents (%zu tables):\n", sql->catalog.nr_tables);
	for (i = 0; i < sql->catalog.nr_tables; i++) {
		fputs("  ", out);
		print_quoted(sql->catalog.tables[i]->name, out);
		fputc('\n', out);
	}
}

bool strata_sql_describe(const struct strata_sql *sql, const char *name, FILE *out)
{
	size_t i;
	bool found = false;

	for (i = 0; !name && sql_table_names[i]; i++)
		strata_sql_describe(sql, sql_table_names[i], out);
	if (name && sqlite3_stricmp(name, "events") == 0) {
		describe_events(sql->catalog.events, out);
		return true;
	}
	if (name && (sql_describe_span_table(name, out) || describe_fact(name, out)))
		return true;
	for (i = 0; i < sql->catalog.nr_tables; i++) {
		if (name && sqlite3_stricmp(name, sql->catalog.tables[i]->name) != 0)
			continue;
		describe_events(sql->catalog.tables[i], out);
		found = true;
	}
	return found || !name;
}

const char *strata_sql_nearest(const struct strata_sql *sql, const char *name)
{
	struct strata_nearest nearest = { 0 };
	const char *found = NULL;
	size_t i;

	for (i = 0; sql_table_names[i]; i++)
		strata_nearest_name(&nearest, name, strlen(name), false, sql_table_names[i],
				    strlen(sql_table_names[i]));
	for (i = 0; i < sql->catalog.nr_tables; i++)
		strata_nearest_name(&nearest, name, strlen(name), false,
				    sql->catalog.tables[i]->name,
				    strlen(sql->catalog.tables[i]->name));
	for (i = 0; nearest.found && sql_table_names[i]; i++) {
		if (strcmp(sql_table_names[i], nearest.name) == 0)
			found = sql_table_names[i];
	}
	for (i = 0; nearest.found && !found && i < sql->catalog.nr_tables; i++) {
		if (strcmp(sql->catalog.tables[i]->name, nearest.name) == 0)
			found = sql->catalog.tables[i]->name;
	}
	return found;
}
