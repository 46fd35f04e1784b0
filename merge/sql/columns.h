/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - the columns of a table of events: those that all have, and then one for each field
 * that any class of the event has, in any trace.
 */
#ifndef STRATA_MERGE_SQL_COLUMNS_H
#define STRATA_MERGE_SQL_COLUMNS_H

#include <stdbool.h>

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/ctf_access.h"

/* Columns that all tables of events begin with. */
enum sql_event_column {
	SQL_TIME,
	SQL_BOUND,
	SQL_HOST,
	SQL_SOURCE,
	SQL_LAYER,
	SQL_DOMAIN,
	SQL_DOMAIN_NAME,
	SQL_VCPU,
	SQL_PCPU,
	SQL_CPU,
	SQL_PROCESS,
	SQL_TID,
	SQL_NR_COMMON,
	/* Of the table of all events; those of one event have fields here. */
	SQL_EVENT = SQL_NR_COMMON,
	SQL_PACKET,
	SQL_STREAM_CONTEXT,
	SQL_CONTEXT,
	SQL_FIELDS,
	SQL_NR_EVENTS_COLUMNS,
};

struct sql_column {
	const char *name;
	const char *type; /* of its declaration */
	size_t field;     /* of the table; SIZE_MAX: one of the common ones */
	bool is_name;     /* the name of the field's number */
};

enum sql_scope { SQL_IN_FIELDS, SQL_IN_CONTEXT, SQL_IN_STREAM_CONTEXT, SQL_NR_SCOPES };

struct sql_field {
	const char *name; /* as in the trace */
	enum sql_scope scope;
	unsigned int kinds; /* bits of what its values are */
	bool has_names;
};

/* A class of a table's event. */
struct sql_member {
	const struct strata_ctf_stream_class *stream;
	const struct strata_ctf_event_class *event;
	size_t trace;
};

struct sql_columns {
	struct sql_column *columns;
	size_t nr_columns;
	struct sql_field *fields;
	size_t nr_fields;
	size_t nr_named; /* of them that have names */
	size_t left_out; /* fields beyond the most columns that SQLite has */
};

/* How many fields a class has, those of its contexts among them. */
size_t sql_nr_fields(const struct sql_member *member);

/*
 * Makes the columns of the table of some classes.
 * @most:  columns
 * @arena: gets all that is made
 * 0, or -1: out of memory.
 */
int sql_columns_make(struct sql_columns *columns, const struct sql_member *members,
		     size_t nr_members, size_t most, struct strata_ctf_arena *arena);

/* Makes those of the table of all events.  Likewise. */
int sql_columns_make_events(struct sql_columns *columns, struct strata_ctf_arena *arena);

/* The way to each of the table's fields in a class.  NULL: out of memory. */
struct strata_ctf_access *sql_columns_find(const struct sql_columns *columns,
					   const struct sql_member *member,
					   struct strata_ctf_arena *arena);

#endif /* STRATA_MERGE_SQL_COLUMNS_H */
