/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * columns.h - the columns of a table of events: first the common ones, then one for each field that
 * any class of the event has in any trace, then the message, if any of them has one.
 */
#ifndef STRATA_MERGE_SQL_COLUMNS_H
#define STRATA_MERGE_SQL_COLUMNS_H

#include <stdbool.h>

#include "ctf/trace/ctf_trace.h"
#include "ctf/values/ctf_access.h"

/* The first columns of every table of events. */
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
	/* Of the table of all events; in tables of one event, field columns start here. */
	SQL_EVENT = SQL_NR_COMMON,
	SQL_PACKET,
	SQL_STREAM_CONTEXT,
	SQL_CONTEXT,
	SQL_FIELDS,
	SQL_MESSAGE,
	SQL_NR_EVENTS_COLUMNS,
};

/* In place of the index of a field. */
#define SQL_COMMON_FIELD  SIZE_MAX
#define SQL_MESSAGE_FIELD (SIZE_MAX - 1)

struct sql_column {
	const char *name;
	const char *type; /* in the table's declaration */
	size_t field;     /* index in the table's fields, or one of the above */
	bool is_name;     /* the symbolic name of the field's number */
};

enum sql_scope { SQL_IN_FIELDS, SQL_IN_CONTEXT, SQL_IN_STREAM_CONTEXT, SQL_NR_SCOPES };

struct sql_field {
	const char *name; /* as in the trace */
	enum sql_scope scope;
	unsigned int kinds; /* types of its values, as bits */
	bool has_names;
};

/* A class of events in a table. */
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
	size_t nr_named;  /* fields that have symbolic names */
	bool has_message; /* a class has a format */
	/* A class without a format has a field of the name of the message's column. */
	bool message_is_shared;
	size_t left_out; /* fields beyond SQLite's limit on columns */
};

/* Returns the number of fields of a class, including those of its contexts. */
size_t sql_nr_fields(const struct sql_member *member);

/*
 * Makes the columns of a table for the given classes.
 * @most: largest number of columns
 * @arena: owns everything that is allocated
 * Returns 0, or -1: out of memory.
 */
int sql_columns_make(struct sql_columns *columns, const struct sql_member *members,
		     size_t nr_members, size_t most, struct strata_ctf_arena *arena);

/* Makes the columns of the table of all events, in the same way. */
int sql_columns_make_events(struct sql_columns *columns, struct strata_ctf_arena *arena);

/* Returns the access path of each of the table's fields in a class. NULL: out of memory. */
struct strata_ctf_access *sql_columns_find(const struct sql_columns *columns,
					   const struct sql_member *member,
					   struct strata_ctf_arena *arena);

#endif /* STRATA_MERGE_SQL_COLUMNS_H */
