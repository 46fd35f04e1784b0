// SPDX-License-Identifier: GPL-2.0-or-later
/* columns.c - see columns.h. */
#include "sql/columns.h"

#include <search.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctf/values/value_names.h"
#include "sql/names.h"

/* The types of a field's values, as bits. */
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

/* What an event says whose class has a format (outputs/message.h). */
static const char message_name[] = "message";

/* The columns of the table of all events that follow the common ones. */
static const char *const events_columns[SQL_NR_EVENTS_COLUMNS - SQL_NR_COMMON] = {
	"event", "packet", "stream_context", "context", "fields", message_name,
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

/* Integers beyond INT64_MAX are stored as text, which that collation sorts numerically. */
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

size_t sql_nr_fields(const struct sql_member *member)
{
	unsigned int scope;
	size_t nr = 0;

	for (scope = 0; scope < SQL_NR_SCOPES; scope++) {
		const struct strata_ctf_type *type = scope_of(member->stream, member->event, scope);

		nr += type ? type->nr_fields : 0;
	}
	return nr;
}

static int compare_fields(const void *a, const void *b)
{
	const struct sql_field *x = a, *y = b;

	return x->scope != y->scope ? (int)x->scope - (int)y->scope : strcmp(x->name, y->name);
}

/* Fields are found in a tree: a trace may have any number of them. */
struct found_fields {
	void *tree;
	size_t most; /* limit on columns */
};

static void keep(void *field)
{
	(void)field;
}

static bool is_full(const struct sql_columns *table, const struct found_fields *found)
{
	return SQL_NR_COMMON + table->nr_fields + table->nr_named + table->has_message ==
	       found->most;
}

/* Adds a field of a class if the table does not have it yet; there is room. Returns 0 or -1. */
static int add_field(struct sql_columns *table, struct found_fields *found, const char *name,
		     enum sql_scope scope, const struct strata_ctf_type *type)
{
	const struct sql_field wanted = { .name = name, .scope = scope };
	struct sql_field *const *has = tfind(&wanted, &found->tree, compare_fields);
	struct sql_field *field = has ? *has : NULL;

	if (!field && is_full(table, found)) {
		table->left_out++;
		return 0;
	}
	if (!field) {
		field = &table->fields[table->nr_fields];
		*field = wanted;
		if (!tsearch(field, &found->tree, compare_fields))
			return -1;
		table->nr_fields++;
	}
	field->kinds |= kinds_of(type);
	/* The symbolic name of its values gets its own column if there is room. */
	if (!field->has_names && has_names(type) && !is_full(table, found)) {
		field->has_names = true;
		table->nr_named++;
	}
	return 0;
}

static int add_fields(struct sql_columns *table, struct found_fields *found,
		      const struct sql_member *member)
{
	unsigned int scope;
	size_t i;

	for (scope = 0; scope < SQL_NR_SCOPES; scope++) {
		const struct strata_ctf_type *type = scope_of(member->stream, member->event, scope);

		for (i = 0; type && i < type->nr_fields; i++) {
			if (add_field(table, found, type->fields[i].name, scope,
				      type->fields[i].type))
				return -1;
		}
	}
	return 0;
}

static int add_column(struct sql_columns *table, struct sql_names *names, const char *name,
		      const char *type, size_t field, bool is_name, struct strata_ctf_arena *arena)
{
	struct sql_column *column = &table->columns[table->nr_columns++];

	*column = (struct sql_column){
		.name = sql_names_add(names, name, NULL, arena),
		.type = type,
		.field = field,
		.is_name = is_name,
	};
	return column->name ? 0 : -1;
}

/* The prefix of a field's column name, which separates it from the columns that are not of a
 * field. */
static const char *prefix_of(const struct sql_columns *table, const struct sql_field *field)
{
	size_t i;

	if (field->scope != SQL_IN_FIELDS)
		return "ctx_";
	if (table->has_message && sqlite3_stricmp(field->name, message_name) == 0)
		return "field_";
	for (i = 0; i < SQL_NR_COMMON; i++) {
		if (sqlite3_stricmp(field->name, common[i].name) == 0)
			return "field_";
	}
	return "";
}

/* Wishes for the names of all columns. Returns 0, or -1: out of memory. */
static int wish_columns(const struct sql_columns *table, struct sql_names *names,
			struct strata_ctf_arena *arena)
{
	int status = 0;
	size_t i;

	for (i = 0; !status && i < SQL_NR_COMMON; i++)
		status = sql_names_wish(names, common[i].name, arena);
	for (i = 0; !status && i < 2 * table->nr_fields; i++) {
		const struct sql_field *field = &table->fields[i / 2];
		const bool is_name = i % 2;
		char *text;

		if (is_name && !field->has_names)
			continue;
		if (asprintf(&text, "%s%s%s", prefix_of(table, field), field->name,
			     is_name ? "_name" : "") < 0)
			return -1;
		status = sql_names_wish(names, text, arena);
		free(text);
	}
	/* No program's messages take the place of another's field. */
	for (i = 0; !status && table->has_message && i <= table->message_is_shared; i++)
		status = sql_names_wish(names, message_name, arena);
	return status;
}

/* Names the columns of a table's fields, which follow the common ones. The column for the symbolic
 * names of a number is called after the number's, which may have got a number appended. */
static int name_columns(struct sql_columns *table, struct strata_ctf_arena *arena)
{
	struct sql_names names = { NULL };
	char *text = NULL;
	int status = -1;
	size_t i;

	table->columns = strata_ctf_arena_get(
		arena, SQL_NR_COMMON + table->nr_fields + table->nr_named + table->has_message,
		sizeof(*table->columns));
	if (!table->columns)
		return -1;
	if (wish_columns(table, &names, arena))
		goto out;
	for (i = 0; i < SQL_NR_COMMON; i++) {
		if (add_column(table, &names, common[i].name, common[i].type, SQL_COMMON_FIELD,
			       false, arena))
			goto out;
	}
	for (i = 0; i < table->nr_fields; i++) {
		const struct sql_field *field = &table->fields[i];

		free(text);
		if (asprintf(&text, "%s%s", prefix_of(table, field), field->name) < 0)
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
	status = table->has_message ? add_column(table, &names, message_name, "TEXT",
						 SQL_MESSAGE_FIELD, false, arena)
				    : 0;
out:
	free(text);
	sql_names_clear(&names);
	return status;
}

/* Whether a class has a field of the name of the message's column. */
static bool has_field_message(const struct strata_ctf_event_class *event)
{
	size_t i;

	for (i = 0; event->payload && i < event->payload->nr_fields; i++) {
		if (sqlite3_stricmp(event->payload->fields[i].name, message_name) == 0)
			return true;
	}
	return false;
}

static void find_message(struct sql_columns *table, const struct sql_member *member)
{
	if (member->event->format)
		table->has_message = true;
	else if (!table->message_is_shared)
		table->message_is_shared = has_field_message(member->event);
}

int sql_columns_make(struct sql_columns *columns, const struct sql_member *members,
		     size_t nr_members, size_t most, struct strata_ctf_arena *arena)
{
	struct found_fields found = { .most = most };
	size_t i, room = 0;
	int status = 0;

	memset(columns, 0, sizeof(*columns));
	for (i = 0; i < nr_members; i++) {
		room += sql_nr_fields(&members[i]);
		find_message(columns, &members[i]);
	}
	columns->fields =
		strata_ctf_arena_get(arena, room < most ? room : most, sizeof(*columns->fields));
	if (!columns->fields)
		return -1;
	for (i = 0; !status && i < nr_members; i++)
		status = add_fields(columns, &found, &members[i]);
	tdestroy(found.tree, keep);
	return status ? status : name_columns(columns, arena);
}

int sql_columns_make_events(struct sql_columns *columns, struct strata_ctf_arena *arena)
{
	size_t i;

	memset(columns, 0, sizeof(*columns));
	columns->nr_columns = SQL_NR_EVENTS_COLUMNS;
	columns->columns =
		strata_ctf_arena_get(arena, SQL_NR_EVENTS_COLUMNS, sizeof(*columns->columns));
	if (!columns->columns)
		return -1;
	memcpy(columns->columns, common, sizeof(common));
	for (i = 0; i < SQL_NR_EVENTS_COLUMNS; i++) {
		columns->columns[i].field = i == SQL_MESSAGE ? SQL_MESSAGE_FIELD : SQL_COMMON_FIELD;
		if (i >= SQL_NR_COMMON) {
			columns->columns[i].name = events_columns[i - SQL_NR_COMMON];
			columns->columns[i].type = "TEXT";
		}
	}
	return 0;
}

struct strata_ctf_access *sql_columns_find(const struct sql_columns *columns,
					   const struct sql_member *member,
					   struct strata_ctf_arena *arena)
{
	const struct strata_ctf_type *const before[] = { member->stream->event_context,
							 member->event->context };
	struct strata_ctf_access *found =
		strata_ctf_arena_get(arena, columns->nr_fields, sizeof(*found));
	size_t i;

	for (i = 0; found && i < columns->nr_fields; i++) {
		const struct sql_field *field = &columns->fields[i];
		const struct strata_ctf_type *type =
			scope_of(member->stream, member->event, field->scope);
		struct strata_ctf_path_part *part = strata_ctf_arena_get(arena, 1, sizeof(*part));

		if (!part)
			return NULL;
		if (!type)
			continue;
		part->name = field->name;
		if (strata_ctf_access_make(&found[i], arena, before,
					   field->scope == SQL_IN_FIELDS    ? 2
					   : field->scope == SQL_IN_CONTEXT ? 1
									    : 0,
					   1, type, part, 1) < 0)
			return NULL;
	}
	return found;
}
