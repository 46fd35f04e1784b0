// SPDX-License-Identifier: GPL-2.0-or-later
/* event_values.c - the values of an event's columns, read from its bytes when SQLite asks for
 * them. */
#include <stdlib.h>
#include <string.h>

#include "outputs/json/json_text.h"
#include "outputs/message.h"
#include "sql/event_table.h"
#include "sql/value.h"

/* Returns the event with its names and places. */
static const struct strata_shown_event *show(struct event_cursor *cursor)
{
	if (!cursor->run_is_shown)
		cursor->shown =
			strata_shown_run(&cursor->view, cursor->scan.stream, cursor->scan.reader);
	if (!cursor->event_is_shown)
		strata_shown_next(cursor->scan.reader, event_cursor_event(cursor), cursor->shown);
	cursor->run_is_shown = cursor->event_is_shown = true;
	return cursor->shown;
}

static void result_domain_name(sqlite3_context *context, const struct strata_sql *sql,
			       const struct strata_shown_event *shown)
{
	const char *const *names = sql->options.shown->sources[shown->source_index].domain_names;

	if (names && shown->domain < STRATA_SHOWN_DOMAINS && names[shown->domain])
		sql_result_text(context, names[shown->domain], strlen(names[shown->domain]));
}

/* A value that was bound to the class: see task_columns.h. */
static void result_bound(sqlite3_context *context, struct event_cursor *cursor,
			 const struct bound_operand *bound)
{
	const struct strata_task *task = &cursor->tasks[cursor->scan.stream];
	const struct strata_shown_event *shown = show(cursor);
	const struct strata_ctf_type *type;
	struct strata_ctf_cursor at = shown->cursor;
	struct strata_ctf_packet_head head = { 0 };

	switch (bound->kind) {
	case BOUND_CONSTANT:
		if (bound->value.kind == STRATA_VALUE_TEXT)
			sql_result_text(context, bound->value.text, bound->value.bytes);
		break;
	case BOUND_TASK_NAME:
		if (task->is_known)
			sql_result_text(context, task->name, task->bytes);
		break;
	case BOUND_TASK_NUMBER:
		if (task->is_known)
			sqlite3_result_int64(context, task->tid);
		break;
	case BOUND_PACKET:
		if (!strata_ctf_packet_head_read(&head, cursor->scan.reader, &at))
			break;
		/* fall through */
	case BOUND_FIELD:
		type = strata_ctf_access_go(&bound->access, &at);
		if (type)
			sql_result_field(context, type, at, false, &cursor->buffer);
		break;
	case BOUND_PLACE:
	case BOUND_CPU:
	case BOUND_TIME:
		break;
	}
	free(head.bytes);
}

static void result_common(sqlite3_context *context, struct event_cursor *cursor,
			  enum sql_event_column column)
{
	const struct strata_sql *sql = cursor->scan.sql;
	const struct strata_shown_event *shown = show(cursor);

	switch (column) {
	case SQL_TIME:
		if (shown->has_time)
			sql_result_u64(context, shown->ns);
		break;
	case SQL_BOUND:
		if (shown->has_time)
			sql_result_bound(context, shown->bound_ns);
		break;
	case SQL_HOST:
		sql_result_text(context, sql->hosts[event_cursor_trace(cursor)],
				strlen(sql->hosts[event_cursor_trace(cursor)]));
		break;
	case SQL_SOURCE:
		sql_result_text(context, shown->source, strlen(shown->source));
		break;
	case SQL_LAYER:
		if (*shown->layer)
			sql_result_text(context, shown->layer, strlen(shown->layer));
		break;
	case SQL_DOMAIN:
		sql_result_u32(context, shown->domain);
		break;
	case SQL_DOMAIN_NAME:
		result_domain_name(context, sql, shown);
		break;
	case SQL_VCPU:
		sql_result_u32(context, shown->vcpu);
		break;
	case SQL_PCPU:
		sql_result_u32(context, shown->pcpu);
		break;
	case SQL_CPU:
		sql_result_u32(context, shown->cpu);
		break;
	default:
		/* SQLite may ask for a column that it did not announce in colUsed. */
		if (cursor->tasks)
			result_bound(context, cursor,
				     column == SQL_PROCESS
					     ? &event_cursor_task_class(cursor)->process
					     : &event_cursor_task_class(cursor)->tid);
	}
}

/* One scope of the event's fields, as JSON. */
static void result_scope(sqlite3_context *context, struct event_cursor *cursor,
			 enum sql_event_column column)
{
	const struct strata_shown_event *shown = show(cursor);

	if (column == SQL_EVENT) {
		sql_result_text(context, shown->name, strlen(shown->name));
		return;
	}
	if (strata_json_scope(&cursor->buffer, shown,
			      (enum strata_json_scope)(column - SQL_PACKET)))
		sql_result_buffer(context, &cursor->buffer);
	cursor->buffer.used = 0;
}

static void result_field(sqlite3_context *context, struct event_cursor *cursor,
			 const struct sql_column *column)
{
	const struct strata_ctf_access *access = &cursor->class->fields[column->field];
	const struct strata_ctf_type *type;
	struct strata_ctf_cursor at;

	if (!access->type)
		return;
	strata_ctf_event_open(cursor->scan.reader, event_cursor_event(cursor), &at);
	type = strata_ctf_access_go(access, &at);
	if (type)
		sql_result_field(context, type, at, column->is_name, &cursor->buffer);
}

/* What the event says, as view prints it; NULL: it has no message. */
static void result_message(sqlite3_context *context, struct event_cursor *cursor)
{
	const struct strata_shown_event *shown = show(cursor);
	struct strata_buffer *buffer = &cursor->buffer;
	struct strata_ctf_cursor at;

	if (!strata_message_find(shown, &at))
		return;
	strata_message_put(buffer, shown->format, shown->types[STRATA_SHOWN_TYPES - 1], at,
			   sql_valid_text);
	sql_result_buffer(context, buffer);
}

void sql_event_value(struct sql_cursor *base, sqlite3_context *context, int at)
{
	struct event_cursor *cursor = (struct event_cursor *)base;
	const struct sql_column *asked = &event_cursor_table(cursor)->columns.columns[at];

	if (asked->field == SQL_MESSAGE_FIELD)
		result_message(context, cursor);
	else if (asked->field != SQL_COMMON_FIELD)
		result_field(context, cursor, asked);
	else if (at < SQL_NR_COMMON)
		result_common(context, cursor, (enum sql_event_column)at);
	else
		result_scope(context, cursor, (enum sql_event_column)at);
}
