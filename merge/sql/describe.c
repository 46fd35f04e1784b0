// SPDX-License-Identifier: GPL-2.0-or-later
/* describe.c - describes the tables and their columns. */
#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "filter/filter_nearest.h"
#include "sql/names.h"
#include "sql/described.h"
#include "sql/session.h"
#include "sql/shown_text.h"
#include "sql/span_schema.h"

/* The tables that follow those of spans. */
static const struct sql_described_table *const others[] = { &sql_losses, &sql_clocks, &sql_sources,
							    &sql_event_tables };

#define NR_OTHERS (sizeof(others) / sizeof(others[0]))

const char *sql_own_table_name(size_t number)
{
	if (number == 0)
		return "events";
	if (number <= sql_nr_span_tables)
		return sql_span_tables[number - 1].name;
	number -= 1 + sql_nr_span_tables;
	return number < NR_OTHERS ? others[number]->name : NULL;
}

static void print_name(const char *name, FILE *out)
{
	char shown[4 * 256];

	fputs(strata_escape_name(shown, sizeof(shown), name), out);
}

/* Prints a name as a statement needs it: quoted unless it is a plain word. */
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

/* The type of a column in words, from its declaration. */
static const char *shown_type(const char *type)
{
	if (strcmp(type, "COLLATE u64") == 0)
		return "UNSIGNED";
	return *type ? type : "ANY";
}

static void describe_events(const struct sql_table *table, const struct sql_columns *columns,
			    FILE *out)
{
	size_t i;

	print_quoted(table->name, out);
	if (table->event && strcmp(table->name, table->event) != 0) {
		fputs("  -- events of the name ", out);
		print_name(table->event, out);
	}
	fputc('\n', out);
	for (i = 0; i < columns->nr_columns; i++) {
		const struct sql_column *column = &columns->columns[i];

		fputs("  ", out);
		print_quoted(column->name, out);
		fprintf(out, " %s", shown_type(column->type));
		if (column->is_name)
			fputs("  -- the name of that number", out);
		fputc('\n', out);
	}
	if (columns->left_out)
		fprintf(out,
			"  -- %zu more fields, which are beyond SQLite's limit of columns, are in "
			"events.fields\n",
			columns->left_out);
}

/* Describes the table of one event. Creates its columns only for this if they do not exist. */
static void describe_event(const struct strata_sql *sql, const struct sql_table *table, FILE *out)
{
	struct strata_ctf_arena *arena = strata_ctf_arena_new((size_t)sql->options.memory_bytes);
	struct sql_columns columns;
	const bool is_made = arena && !sql_columns_make(&columns, table->members, table->nr_members,
							sql->catalog.most_columns, arena);

	if (is_made) {
		describe_events(table, &columns, out);
	} else {
		print_quoted(table->name, out);
		fputs("  -- out of memory for its columns; raise --memory\n", out);
	}
	strata_ctf_arena_free(arena);
}

static void describe_column(const struct sql_described_column *column, FILE *out)
{
	fprintf(out, "  %s %s", column->name, shown_type(column->type));
	fprintf(out, *column->what ? "  -- %s\n" : "%s\n", column->what);
}

static void describe_span_table(const struct sql_span_table *table, FILE *out)
{
	size_t i;

	fprintf(out, "%s  -- %s\n", table->name, table->what);
	for (i = 0; i < NR_SPAN_COLUMNS; i++) {
		if (table->columns & 1ull << i)
			describe_column(&sql_span_columns[i], out);
	}
}

static void describe_other(const struct sql_described_table *table, FILE *out)
{
	size_t i;

	fprintf(out, "%s  -- %s\n", table->name, table->what);
	for (i = 0; i < table->nr; i++)
		describe_column(&table->columns[i], out);
}

/* Describes a table by its number in sql_own_table_name(). */
static void describe_own(const struct strata_sql *sql, size_t number, FILE *out)
{
	if (number == 0)
		describe_events(&sql->catalog.events, &sql->catalog.events.columns, out);
	else if (number <= sql_nr_span_tables)
		describe_span_table(&sql_span_tables[number - 1], out);
	else
		describe_other(others[number - 1 - sql_nr_span_tables], out);
}

/* What a table contains, by its number in sql_own_table_name(). */
static const char *own_table_is(size_t number)
{
	if (number == 0)
		return "all events";
	return number <= sql_nr_span_tables ? sql_span_tables[number - 1].what
					    : others[number - 1 - sql_nr_span_tables]->what;
}

/* Whether a name contains a text, ignoring case; a NULL text matches every name. */
static bool has(const char *name, const char *text)
{
	return !text || strcasestr(name, text);
}

void strata_sql_list(const struct strata_sql *sql, const char *text, size_t most, FILE *out)
{
	size_t i, nr = 0;

	fputs("State, and data about the traces:\n", out);
	for (i = 0; sql_own_table_name(i); i++) {
		if (has(sql_own_table_name(i), text))
			fprintf(out, "  %-12s  %s\n", sql_own_table_name(i), own_table_is(i));
	}
	for (i = 0; i < sql->catalog.nr_tables; i++)
		nr += has(sql->catalog.tables[i].name, text);
	fprintf(out, "Events (%zu tables):\n", nr);
	for (i = 0; i < sql->catalog.nr_tables && most; i++) {
		if (!has(sql->catalog.tables[i].name, text))
			continue;
		fputs("  ", out);
		print_quoted(sql->catalog.tables[i].name, out);
		fputc('\n', out);
		most--;
		nr--;
	}
	if (nr)
		fprintf(out, "  and %zu more: .tables TEXT lists those with TEXT in their names\n",
			nr);
}

bool strata_sql_describe(const struct strata_sql *sql, const char *name, FILE *out)
{
	const struct sql_table *table;
	size_t i;

	for (i = 0; sql_own_table_name(i); i++) {
		if (name && sqlite3_stricmp(name, sql_own_table_name(i)) != 0)
			continue;
		describe_own(sql, i, out);
		if (name)
			return true;
	}
	if (name) {
		table = sql_catalog_find(&sql->catalog, name);
		if (table)
			describe_event(sql, table, out);
		return table;
	}
	for (i = 0; i < sql->catalog.nr_tables; i++)
		describe_event(sql, &sql->catalog.tables[i], out);
	return true;
}

void strata_sql_say_numbered(const struct strata_sql *sql, FILE *out)
{
	const struct sql_table *first = sql->catalog.first_numbered;

	if (!first)
		return;
	fputs("strata: sql: ", out);
	print_quoted(first->name, out);
	fputs(" has the events ", out);
	print_name(first->event, out);
	fprintf(out,
		": the tables of %zu events are numbered, because SQLite cannot tell their names "
		"from those of other tables; SELECT name, event, source FROM event_tables lists "
		"them\n",
		sql->catalog.nr_numbered);
}

const char *strata_sql_nearest(const struct strata_sql *sql, const char *name)
{
	struct strata_nearest nearest = { 0 };
	const struct sql_table *table;
	size_t i;

	/* Any of these tables may be of another user's events. */
	if (sql_names_is_shared(&sql->catalog.names, name))
		return NULL;
	for (i = 0; sql_own_table_name(i); i++)
		strata_nearest_name(&nearest, name, strlen(name), false, sql_own_table_name(i),
				    strlen(sql_own_table_name(i)));
	for (i = 0; i < sql->catalog.nr_tables; i++)
		strata_nearest_name(&nearest, name, strlen(name), false,
				    sql->catalog.tables[i].name,
				    strlen(sql->catalog.tables[i].name));
	for (i = 0; nearest.found && sql_own_table_name(i); i++) {
		if (strcmp(sql_own_table_name(i), nearest.name) == 0)
			return sql_own_table_name(i);
	}
	table = nearest.found ? sql_catalog_find(&sql->catalog, nearest.name) : NULL;
	return table ? table->name : NULL;
}
