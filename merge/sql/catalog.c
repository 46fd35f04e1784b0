// SPDX-License-Identifier: GPL-2.0-or-later
/* catalog.c - see catalog.h. */
#include "sql/catalog.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "ctf/values/value_names.h"
#include "sql/names.h"
#include "sql/value.h"

/* What values of a field are, as bits. */
enum {
	OF_INTEGER = 1u << 0,
	OF_UNSIGNED = 1u << 1, /* of 64 bits */
	OF_REAL = 1u << 2,
	OF_TEXT = 1u << 3,
	OF_BLOB = 1u << 4,
};

static const struct sql_column common[SQL_NR_COMMON] = {
	[SQL_TIME] = { .name = "time_ns", .type = "INTEGER" },
	[SQL_BOUND] = { .name = "bound_ns", .type = "INTEGER" },
	[SQL_HOST] = { .name = "host", .type = "TEXT" },
	[SQL_SOURCE] = { .name = "source", .type = "TEXT" },
	[SQL_LAYER] = { .name = "layer", .type = "TEXT" },
	[SQL_DOMAIN] = { .name = "domain", .type = "INTEGER" },
	[SQL_DOMAIN_NAME] = { .name = "domain_name", .type = "TEXT" },
	[SQL_VCPU] = { .name = "vcpu", .type = "INTEGER" },
	[SQL_PCPU] = { .name = "pcpu", .type = "INTEGER" },
	[SQL_CPU] = { .name = "cpu", .type = "INTEGER" },
	[SQL_PROCESS] = { .name = "process", .type = "TEXT" },
	[SQL_TID] = { .name = "tid", .type = "INTEGER" },
};

/* Those of the table of all events. */
static const char *const events_columns[SQL_NR_EVENTS_COLUMNS - SQL_NR_COMMON] = {
	"event", "packet", "stream_context", "context", "fields",
};

static unsigned int kinds_of(const struct strata_ctf_type *type)
{
	unsigned int kinds = 0;
	size_t i;

	switch (type->kind) {
	case STRATA_CTF_INTEGER:
	case STRATA_CTF_ENUM:
		return !type->is_signed && type->bits == 64 ? OF_UNSIGNED : OF_INTEGER;
	case STRATA_CTF_VARINT:
		return type->is_signed ? OF_INTEGER : OF_UNSIGNED;
	case STRATA_CTF_FLOAT:
		return OF_REAL;
	case STRATA_CTF_VARIANT:
	case STRATA_CTF_OPTIONAL:
		for (i = 0; i < type->nr_fields; i++)
			kinds |= kinds_of(type->fields[i].type);
		return kinds;
	case STRATA_CTF_ARRAY:
	case STRATA_CTF_SEQUENCE:
		return type->is_blob ? OF_BLOB : OF_TEXT;
	case STRATA_CTF_STRING:
	case STRATA_CTF_STRUCT:
		break;
	}
	return OF_TEXT;
}

/* Whether values of a type may have names beside them. */
static bool has_names(const struct strata_ctf_type *type)
{
	size_t i;

	if (type->kind == STRATA_CTF_VARIANT || type->kind == STRATA_CTF_OPTIONAL) {
		for (i = 0; i < type->nr_fields; i++) {
			if (has_names(type->fields[i].type))
				return true;
		}
		return false;
	}
	if (type->kind == STRATA_CTF_ARRAY || type->kind == STRATA_CTF_SEQUENCE)
		return type->first && strata_has_names(type->first);
	return strata_ctf_is_integer(type) &&
	       (strata_ctf_has_labels(type) || type->is_bit_map || strata_has_names(type));
}

/* Numbers beyond INT64_MAX are text, which that collation puts in order. */
static const char *declared(unsigned int kinds)
{
	switch (kinds) {
	case OF_INTEGER:
		return "INTEGER";
	case OF_REAL:
		return "REAL";
	case OF_TEXT:
		return "TEXT";
	case OF_BLOB:
		return "BLOB";
	default:
		return kinds & OF_UNSIGNED ? "COLLATE u64" : "";
	}
}

static const struct strata_ctf_type *scope_of(const struct strata_ctf_stream_class *stream,
					      const struct strata_ctf_event_class *event,
					      enum sql_scope scope)
{
	if (scope == SQL_IN_FIELDS)
		return event->payload;
	return scope == SQL_IN_CONTEXT ? event->context : stream->event_context;
}

static struct sql_field *find_field(const struct sql_table *table, const char *name,
				    enum sql_scope scope)
{
	size_t i;

	for (i = 0; i < table->nr_fields; i++) {
		if (table->fields[i].scope == scope && strcmp(table->fields[i].name, name) == 0)
			return &table->fields[i];
	}
	return NULL;
}

/* Notes that values of a field have names, for which there is a column if there is room. */
static void add_names(struct sql_table *table, struct sql_field *field, size_t most)
{
	if (field->has_names || SQL_NR_COMMON + table->nr_fields + table->nr_named == most)
		return;
	field->has_names = true;
	table->nr_named++;
}

/* Adds what fields of a class the table does not have. */
static int add_fields(struct sql_table *table, const struct strata_ctf_stream_class *stream,
		      const struct strata_ctf_event_class *event, size_t most)
{
	size_t scope, i;

	for (scope = 0; scope < SQL_NR_SCOPES; scope++) {
		const struct strata_ctf_type *type = scope_of(stream, event, scope);

		for (i = 0; type && i < type->nr_fields; i++) {
			struct sql_field *field = find_field(table, type->fields[i].name, scope);

			if (!field && SQL_NR_COMMON + table->nr_fields + table->nr_named == most) {
				table->left_out++;
				continue;
			}
			if (!field) {
				if (!STRATA_GROW(table->fields, table->nr_fields,
						 table->fields_room))
					return -1;
				field = &table->fields[table->nr_fields++];
				*field = (struct sql_field){ .name = type->fields[i].name,
							     .scope = scope };
			}
			field->kinds |= kinds_of(type->fields[i].type);
			if (has_names(type->fields[i].type))
				add_names(table, field, most);
		}
	}
	return 0;
}

static int add_column(struct sql_table *table, struct sql_names *names, const char *name,
		      const char *type, size_t field, bool is_name, struct strata_ctf_arena *arena)
{
	struct sql_column *column = &table->columns[table->nr_columns++];

	*column = (struct sql_column){
		.name = sql_names_add(names, name, arena),
		.type = type,
		.field = field,
		.is_name = is_name,
	};
	return column->name ? 0 : -1;
}

/* What is in front of a field's name, so that contexts and the common columns have their own. */
static const char *prefix_of(const struct sql_field *field)
{
	size_t i;

	if (field->scope != SQL_IN_FIELDS)
		return "ctx_";
	for (i = 0; i < SQL_NR_COMMON; i++) {
		if (sqlite3_stricmp(field->name, common[i].name) == 0)
			return "field_";
	}
	return "";
}

/* The columns of a table's fields behind the common ones; names of numbers get what is left of
 * names, so that they take none from a field. */
static int name_columns(struct sql_table *table, struct strata_ctf_arena *arena)
{
	struct sql_names names = { 0 };
	char *text = NULL;
	int status = -1;
	size_t i;

	table->columns = strata_ctf_arena_get(
		arena, SQL_NR_COMMON + table->nr_fields + table->nr_named, sizeof(*table->columns));
	if (!table->columns)
		return -1;
	for (i = 0; i < SQL_NR_COMMON; i++) {
		if (add_column(table, &names, common[i].name, common[i].type, SIZE_MAX, false,
			       arena))
			goto out;
	}
	for (i = 0; i < table->nr_fields; i++) {
		const struct sql_field *field = &table->fields[i];

		free(text);
		if (asprintf(&text, "%s%s", prefix_of(field), field->name) < 0)
			text = NULL;
		if (!text ||
		    add_column(table, &names, text, declared(field->kinds), i, false, arena))
			goto out;
	}
	for (i = 0; i < table->nr_fields; i++) {
		const char *of = table->columns[SQL_NR_COMMON + i].name;

		if (!table->fields[i].has_names)
			continue;
		free(text);
		if (asprintf(&text, "%s_name", of) < 0)
			text = NULL;
		if (!text || add_column(table, &names, text, "TEXT", i, true, arena))
			goto out;
	}
	status = 0;
out:
	free(text);
	sql_names_clear(&names);
	return status;
}

/* The way to each of the table's fields in a class. */
static int find_accesses(struct sql_class *class, const struct strata_ctf_stream_class *stream,
			 const struct strata_ctf_event_class *event, struct strata_ctf_arena *arena)
{
	const struct strata_ctf_type *const before[] = { stream->event_context, event->context };
	const struct sql_table *table = class->table;
	size_t i;

	class->fields = strata_ctf_arena_get(arena, table->nr_fields, sizeof(*class->fields));
	if (!class->fields)
		return -1;
	for (i = 0; i < table->nr_fields; i++) {
		const struct sql_field *field = &table->fields[i];
		const struct strata_ctf_type *type = scope_of(stream, event, field->scope);
		struct strata_ctf_path_part *part = strata_ctf_arena_get(arena, 1, sizeof(*part));

		if (!part)
			return -1;
		if (!type)
			continue;
		part->name = field->name;
		if (strata_ctf_access_make(&class->fields[i], arena, before,
					   field->scope == SQL_IN_FIELDS    ? 2
					   : field->scope == SQL_IN_CONTEXT ? 1
									    : 0,
					   1, type, part, 1) < 0)
			return -1;
	}
	return 0;
}

/* A class on its way into its table. */
struct of_trace {
	const struct strata_ctf_stream_class *stream;
	const struct strata_ctf_event_class *event;
	size_t trace;
};

static int compare_names(const void *a, const void *b)
{
	const struct of_trace *x = a, *y = b;
	const int order = strcmp(x->event->name, y->event->name);

	if (order)
		return order;
	if (x->trace != y->trace)
		return x->trace < y->trace ? -1 : 1;
	return x->event->index < y->event->index ? -1 : x->event->index > y->event->index;
}

/* All classes of all traces, by name.  To be freed; NULL: out of memory. */
static struct of_trace *list_classes(const struct strata_trace_set *set, size_t *nr)
{
	struct of_trace *list;
	size_t i, j, k, room = 0;

	for (i = 0; i < set->nr_traces; i++)
		room += set->traces[i]->metadata.nr_events;
	list = calloc(room + 1, sizeof(*list));
	*nr = 0;
	for (i = 0; list && i < set->nr_traces; i++) {
		const struct strata_ctf_metadata *metadata = &set->traces[i]->metadata;

		for (j = 0; j < metadata->nr_streams; j++) {
			for (k = 0; k < metadata->streams[j].nr_events; k++)
				list[(*nr)++] = (struct of_trace){ &metadata->streams[j],
								   &metadata->streams[j].events[k],
								   i };
		}
	}
	if (list)
		qsort(list, *nr, sizeof(*list), compare_names);
	return list;
}

static const char *valid_copy(const char *text, struct strata_ctf_arena *arena)
{
	const size_t size = 3 * strlen(text) + 1;
	char *copy = strata_ctf_arena_get(arena, size, 1);

	if (copy)
		sql_valid_text(copy, text, strlen(text))[0] = '\0';
	return copy;
}

/* Names that SQLite keeps for itself are not taken from it. */
static const char *add_table_name(struct sql_names *names, const char *event,
				  struct strata_ctf_arena *arena)
{
	char text[SQL_NAME_BYTES + 8];

	if (sqlite3_strnicmp(event, "sqlite_", 7) != 0 &&
	    sqlite3_strnicmp(event, "pragma_", 7) != 0)
		return sql_names_add(names, event, arena);
	snprintf(text, sizeof(text), "event_%s", event);
	return sql_names_add(names, text, arena);
}

/* Makes the table of @nr classes of one name. */
static int add_table(struct sql_catalog *catalog, const struct of_trace *classes, size_t nr,
		     struct sql_names *names, size_t most)
{
	struct sql_table *table = strata_ctf_arena_get(catalog->arena, 1, sizeof(*table));
	size_t i;

	if (!table)
		return -1;
	catalog->tables[catalog->nr_tables++] = table;
	table->event = classes[0].event->name;
	table->name = add_table_name(names, table->event, catalog->arena);
	table->shown = valid_copy(table->event, catalog->arena);
	if (!table->name || !table->shown)
		return -1;
	for (i = 0; i < nr; i++) {
		if (add_fields(table, classes[i].stream, classes[i].event, most))
			return -1;
	}
	if (name_columns(table, catalog->arena))
		return -1;
	for (i = 0; i < nr; i++) {
		struct sql_class *class =
			&catalog->classes[classes[i].trace][classes[i].event->index];

		class->table = table;
		if (find_accesses(class, classes[i].stream, classes[i].event, catalog->arena))
			return -1;
	}
	return 0;
}

static int add_events_table(struct sql_catalog *catalog)
{
	struct sql_table *table = strata_ctf_arena_get(catalog->arena, 1, sizeof(*table));
	size_t i;

	if (!table)
		return -1;
	table->name = "events";
	table->columns = strata_ctf_arena_get(catalog->arena, SQL_NR_EVENTS_COLUMNS,
					      sizeof(*table->columns));
	if (!table->columns)
		return -1;
	memcpy(table->columns, common, sizeof(common));
	for (i = 0; i < SQL_NR_EVENTS_COLUMNS; i++) {
		table->columns[i].field = SIZE_MAX;
		if (i >= SQL_NR_COMMON) {
			table->columns[i].name = events_columns[i - SQL_NR_COMMON];
			table->columns[i].type = "TEXT";
		}
	}
	table->nr_columns = SQL_NR_EVENTS_COLUMNS;
	catalog->events = table;
	return 0;
}

static int add_tables(struct sql_catalog *catalog, const struct of_trace *list, size_t nr,
		      const char *const *taken, size_t most)
{
	struct sql_names names = { 0 };
	size_t from, to, i;
	int status = 0;

	for (i = 0; !status && taken[i]; i++)
		status = sql_names_add(&names, taken[i], catalog->arena) ? 0 : -1;
	for (from = 0; !status && from < nr; from = to) {
		for (to = from + 1; to < nr; to++) {
			if (strcmp(list[to].event->name, list[from].event->name) != 0)
				break;
		}
		status = add_table(catalog, &list[from], to - from, &names, most);
	}
	sql_names_clear(&names);
	return status;
}

int sql_catalog_make(struct sql_catalog *catalog, const struct strata_trace_set *set,
		     const char *const *taken, size_t most)
{
	struct of_trace *list;
	size_t i, nr;
	int status = -1;

	memset(catalog, 0, sizeof(*catalog));
	list = list_classes(set, &nr);
	catalog->arena = strata_ctf_arena_new(SIZE_MAX);
	if (list && catalog->arena) {
		catalog->tables =
			strata_ctf_arena_get(catalog->arena, nr, sizeof(*catalog->tables));
		catalog->classes = strata_ctf_arena_get(catalog->arena, set->nr_traces,
							sizeof(*catalog->classes));
		status = catalog->tables && catalog->classes ? add_events_table(catalog) : -1;
	}
	for (i = 0; !status && i < set->nr_traces; i++) {
		catalog->classes[i] = strata_ctf_arena_get(catalog->arena,
							   set->traces[i]->metadata.nr_events,
							   sizeof(**catalog->classes));
		status = catalog->classes[i] ? 0 : -1;
	}
	if (!status)
		status = add_tables(catalog, list, nr, taken, most);
	free(list);
	return status;
}

void sql_catalog_clear(struct sql_catalog *catalog)
{
	size_t i;

	for (i = 0; i < catalog->nr_tables; i++)
		free(catalog->tables[i]->fields);
	strata_ctf_arena_free(catalog->arena);
	memset(catalog, 0, sizeof(*catalog));
}
