// SPDX-License-Identifier: GPL-2.0-or-later
/* catalog.c - see catalog.h. */
#include "sql/catalog.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/value.h"

static int compare_names(const void *a, const void *b)
{
	const struct sql_member *x = a, *y = b;
	const int order = strcmp(x->event->name, y->event->name);

	if (order)
		return order;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->event->index < y->event->index ? -1 : x->event->index > y->event->index;
}

/* Lists all classes of all traces, sorted by name. Returns 0, or -1: out of memory. */
static int list_classes(struct sql_catalog *catalog, const struct strata_trace_set *set, size_t *nr)
{
	size_t i, j, k, room = 0;

	for (i = 0; i < set->nr_traces; i++)
		room += set->traces[i]->metadata.nr_events;
	catalog->members = calloc(room + 1, sizeof(*catalog->members));
	*nr = 0;
	if (!catalog->members)
		return -1;
	for (i = 0; i < set->nr_traces; i++) {
		const struct strata_ctf_metadata *metadata = &set->traces[i]->metadata;

		for (j = 0; j < metadata->nr_streams; j++) {
			for (k = 0; k < metadata->streams[j].nr_events; k++)
				catalog->members[(*nr)++] =
					(struct sql_member){ &metadata->streams[j],
							     &metadata->streams[j].events[k], i };
		}
	}
	qsort(catalog->members, *nr, sizeof(*catalog->members), compare_names);
	return 0;
}

static const char *valid_copy(const char *text, struct strata_ctf_arena *arena)
{
	const size_t size = 3 * strlen(text) + 1;
	char *copy = strata_ctf_arena_get(arena, size, 1);

	if (copy)
		sql_valid_text(copy, text, strlen(text))[0] = '\0';
	return copy;
}

#define WANTED_BYTES (SQL_NAME_BYTES + 8)

/* The name that a table wants. Avoids the names that SQLite reserves for itself. */
static const char *wanted_name(const struct sql_table *table, char text[WANTED_BYTES])
{
	const char *event = table->event;

	if (sqlite3_strnicmp(event, "sqlite_", 7) != 0 &&
	    sqlite3_strnicmp(event, "pragma_", 7) != 0)
		return event;
	snprintf(text, WANTED_BYTES, "event_%s", event);
	return text;
}

static int name_table(struct sql_catalog *catalog, struct sql_table *table)
{
	char text[WANTED_BYTES];
	const char *wanted = wanted_name(table, text);

	table->name = sql_names_add(&catalog->names, wanted, table, catalog->arena);
	if (sql_names_is_shared(&catalog->names, wanted) && !catalog->nr_numbered++)
		catalog->first_numbered = table;
	return table->name ? 0 : -1;
}

/* Adds the table for all classes of one name. It gets its own name when all wishes are known. */
static int add_table(struct sql_catalog *catalog, const struct sql_member *members, size_t nr)
{
	struct sql_table *table = &catalog->tables[catalog->nr_tables++];
	char text[WANTED_BYTES];
	size_t i;

	table->members = members;
	table->nr_members = nr;
	table->event = members[0].event->name;
	table->shown = valid_copy(table->event, catalog->arena);
	for (i = 0; i < nr; i++)
		catalog->classes[members[i].trace][members[i].event->index].table = table;
	if (!table->shown)
		return -1;
	return sql_names_wish(&catalog->names, wanted_name(table, text), catalog->arena);
}

static int add_tables(struct sql_catalog *catalog, size_t nr, const char *const *taken)
{
	const struct sql_member *list = catalog->members;
	size_t from, to, i;
	int status = 0;

	for (i = 0; !status && taken[i]; i++)
		status = sql_names_wish(&catalog->names, taken[i], catalog->arena);
	for (from = 0; !status && from < nr; from = to) {
		for (to = from + 1; to < nr; to++) {
			if (strcmp(list[to].event->name, list[from].event->name) != 0)
				break;
		}
		status = add_table(catalog, &list[from], to - from);
	}
	for (i = 0; !status && i < catalog->nr_tables; i++)
		status = name_table(catalog, &catalog->tables[i]);
	return status;
}

int sql_catalog_make(struct sql_catalog *catalog, const struct strata_trace_set *set,
		     const char *const *taken, size_t most_columns, size_t bytes)
{
	size_t i, nr;

	memset(catalog, 0, sizeof(*catalog));
	catalog->most_columns = most_columns;
	catalog->arena = strata_ctf_arena_new(SIZE_MAX);
	catalog->columns_arena = strata_ctf_arena_new(bytes);
	if (!catalog->arena || !catalog->columns_arena || list_classes(catalog, set, &nr))
		return -1;
	catalog->tables = strata_ctf_arena_get(catalog->arena, nr, sizeof(*catalog->tables));
	catalog->classes =
		strata_ctf_arena_get(catalog->arena, set->nr_traces, sizeof(*catalog->classes));
	if (!catalog->tables || !catalog->classes)
		return -1;
	for (i = 0; i < set->nr_traces; i++) {
		catalog->classes[i] = strata_ctf_arena_get(catalog->arena,
							   set->traces[i]->metadata.nr_events,
							   sizeof(**catalog->classes));
		if (!catalog->classes[i])
			return -1;
	}
	catalog->events.name = "events";
	return sql_columns_make_events(&catalog->events.columns, catalog->arena)
		       ? -1
		       : add_tables(catalog, nr, taken);
}

void sql_catalog_clear(struct sql_catalog *catalog)
{
	strata_ctf_arena_free(catalog->columns_arena);
	strata_ctf_arena_free(catalog->arena);
	sql_names_clear(&catalog->names);
	free(catalog->members);
	memset(catalog, 0, sizeof(*catalog));
}

struct sql_table *sql_catalog_find(const struct sql_catalog *catalog, const char *name)
{
	return sql_names_find(&catalog->names, name);
}

int sql_catalog_make_columns(struct sql_catalog *catalog, struct sql_table *table)
{
	size_t i;

	if (sql_columns_make(&table->columns, table->members, table->nr_members,
			     catalog->most_columns, catalog->columns_arena))
		return -1;
	for (i = 0; i < table->nr_members; i++) {
		const struct sql_member *member = &table->members[i];
		struct sql_class *class = &catalog->classes[member->trace][member->event->index];

		class->fields = sql_columns_find(&table->columns, member, catalog->columns_arena);
		if (!class->fields)
			return -1;
	}
	return 0;
}
