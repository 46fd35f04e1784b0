// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_table.c - the virtual tables of events: one for each name of an event, with a column for
 * each field, and `events`, which has all of them with their fields as JSON.
 *
 * A row is an event in the reader's batch; a column is read from it when it is asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "outputs/json/json_text.h"
#include "sql/plan.h"
#include "sql/scan.h"
#include "sql/task_columns.h"
#include "sql/value.h"
#include "sql/virtual.h"

/* Bits of idxNum. */
#define WANTS_TASK 1

#define EVENT_BYTES 24.0 /* about, in a trace: how many rows there are */

struct event_table {
	sqlite3_vtab base;
	const struct sql_table *table;
};

struct event_cursor {
	sqlite3_vtab_cursor base;
	const struct sql_table *table;
	struct sql_scan scan;
	bool is_open, at_end;
	size_t at;                     /* in the run */
	const struct sql_class *class; /* of the event */
	struct strata_shown_view view;
	bool has_view;
	struct strata_shown_event shown;
	bool run_is_shown, event_is_shown;
	struct strata_buffer buffer;
	/* Where the task that runs is asked for: */
	struct strata_task *tasks; /* of each stream; NULL: it is not */
	bool follows;              /* what the events tell of it */
	uint64_t from_ns;
};

static int connect_table(sqlite3 *db, void *aux, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **error)
{
	const struct sql_table *table = aux;
	struct event_table *made = sqlite3_malloc(sizeof(*made));
	sqlite3_str *text = sqlite3_str_new(db);
	int status = SQLITE_NOMEM;
	char *declared;
	size_t i;

	(void)argc;
	(void)argv;
	sqlite3_str_appendall(text, "CREATE TABLE x(");
	for (i = 0; i < table->nr_columns; i++)
		sqlite3_str_appendf(text, "%s\"%w\" %s", i ? ", " : "", table->columns[i].name,
				    table->columns[i].type);
	sqlite3_str_appendall(text, ")");
	declared = sqlite3_str_finish(text);
	if (made && declared)
		status = sql_virtual_declare(db, declared);
	sqlite3_free(declared);
	if (status != SQLITE_OK) {
		if (status != SQLITE_NOMEM)
			*error = sqlite3_mprintf("%s", sqlite3_errmsg(db));
		sqlite3_free(made);
		return status;
	}
	memset(made, 0, sizeof(*made));
	made->table = table;
	*out = &made->base;
	return SQLITE_OK;
}

static int choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct sql_table *table = ((struct event_table *)base)->table;
	const struct strata_sql *sql = table->sql;
	double rows = (double)sql->options.set->bytes / EVENT_BYTES;
	int status;

	if (table->event)
		rows /= 8;
	if (info->colUsed & (1ull << SQL_PROCESS | 1ull << SQL_TID))
		info->idxNum |= WANTS_TASK;
	info->orderByConsumed = info->nOrderBy == 1 && info->aOrderBy[0].iColumn == SQL_TIME &&
				!info->aOrderBy[0].desc && sql->in_time_order;
	status = sql_plan_choose(info, sql_event_conditions,
				 table->event ? SQL_NR_COMMON : SQL_NR_EVENTS_COLUMNS, rows);
	if (status == SQLITE_OK && (info->idxNum & WANTS_TASK))
		info->idxStr = sqlite3_mprintf("%z, with process and tid", info->idxStr);
	return info->idxStr ? status : SQLITE_NOMEM;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct event_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->table = ((struct event_table *)base)->table;
	*out = &cursor->base;
	return SQLITE_OK;
}

static void end_scan(struct event_cursor *cursor)
{
	sql_scan_close(&cursor->scan);
	if (cursor->has_view)
		strata_shown_view_clear(&cursor->view);
	free(cursor->tasks);
	cursor->tasks = NULL;
	cursor->has_view = false;
	cursor->at_end = true;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct event_cursor *cursor = (struct event_cursor *)base;

	end_scan(cursor);
	strata_buffer_free(&cursor->buffer);
	free(cursor);
	return SQLITE_OK;
}

static const struct strata_lane_event *event_of(const struct event_cursor *cursor)
{
	return &cursor->scan.events[cursor->at];
}

static const struct strata_ctf_event_class *class_of(const struct event_cursor *cursor)
{
	return cursor->scan.reader->kind->classes[event_of(cursor)->class].event;
}

static size_t trace_of(const struct event_cursor *cursor)
{
	return cursor->table->sql->options.set->streams[cursor->scan.stream].trace;
}

static const struct sql_task_class *task_class_of(const struct event_cursor *cursor)
{
	return &cursor->table->sql->tasks->classes[trace_of(cursor)][class_of(cursor)->index];
}

/* What an event tells of the task: before the row is read, and after. */
static void follow_task(struct event_cursor *cursor, bool is_after)
{
	const struct sql_task_class *class = task_class_of(cursor);
	struct strata_task *task = &cursor->tasks[cursor->scan.stream];
	struct strata_ctf_cursor at;

	if (class->tells.tells == STRATA_TASK_NOTHING)
		return;
	strata_ctf_event_open(cursor->scan.reader, event_of(cursor), &at);
	if (is_after)
		strata_task_after(task, &class->tells, &at);
	else
		strata_task_during(task, &class->tells, &at);
}

/* Whether the event that the cursor is at is a row. */
static bool is_row(struct event_cursor *cursor)
{
	const struct sql_catalog *catalog = &cursor->table->sql->catalog;

	if (event_of(cursor)->ns < cursor->from_ns)
		return false;
	cursor->class = &catalog->classes[trace_of(cursor)][class_of(cursor)->index];
	return !cursor->table->event || cursor->class->table == cursor->table;
}

/* Moves to the next row at or behind the cursor. */
static int find_row(struct event_cursor *cursor)
{
	for (;;) {
		for (; cursor->at < cursor->scan.nr_events; cursor->at++) {
			if (cursor->follows)
				follow_task(cursor, false);
			if (is_row(cursor))
				return SQLITE_OK;
			if (cursor->follows)
				follow_task(cursor, true);
		}
		switch (sql_scan_next(&cursor->scan)) {
		case 0:
			cursor->at_end = true;
			return SQLITE_OK;
		case -1:
			return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
		default:
			break;
		}
		cursor->at = 0;
		cursor->run_is_shown = cursor->event_is_shown = false;
		/* What was lost may be a switch. */
		if (cursor->scan.loss && cursor->follows)
			cursor->tasks[cursor->scan.stream].is_known = false;
	}
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct event_cursor *cursor = (struct event_cursor *)base;

	if (cursor->follows)
		follow_task(cursor, true);
	cursor->at++;
	cursor->event_is_shown = false;
	return find_row(cursor);
}

static int begin_scan(struct event_cursor *cursor, const struct sql_plan *plan, bool wants_task)
{
	struct strata_sql *sql = cursor->table->sql;
	struct sql_scan_options options = { .from_ns = plan->from_ns,
					    .to_ns = plan->to_ns,
					    .expression = plan->expression };

	cursor->from_ns = plan->from_ns;
	if (wants_task && !sql->tasks)
		sql->tasks = sql_tasks_new(sql);
	if (wants_task)
		cursor->tasks = calloc(sql->options.set->nr_streams + 1, sizeof(*cursor->tasks));
	if (wants_task && (!sql->tasks || !cursor->tasks))
		return SQLITE_NOMEM;
	/* The task follows from all that was before. */
	cursor->follows = wants_task && sql_tasks_are_followed(sql, cursor->table);
	if (cursor->follows) {
		options.from_ns = 0;
		options.expression = NULL;
		options.with_losses = true;
	}
	if (strata_shown_view_init(&cursor->view, sql->options.shown))
		return SQLITE_NOMEM;
	cursor->has_view = true;
	if (sql_scan_open(&cursor->scan, sql, &options) || sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, cursor->base.pVtab);
	return find_row(cursor);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int nr,
		  sqlite3_value **values)
{
	struct event_cursor *cursor = (struct event_cursor *)base;
	struct sql_plan plan;
	int status;

	end_scan(cursor);
	cursor->at = 0;
	cursor->run_is_shown = cursor->event_is_shown = false;
	status = sql_plan_read(&plan, cursor->table, text, nr, values, sql_event_conditions,
			       cursor->table->event ? SQL_NR_COMMON : SQL_NR_EVENTS_COLUMNS);
	if (status == SQLITE_OK && !plan.is_empty) {
		cursor->at_end = false;
		status = begin_scan(cursor, &plan, number & WANTS_TASK);
	}
	sqlite3_free(plan.expression);
	return status;
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct event_cursor *)base)->at_end;
}

static int row_of(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	const struct event_cursor *cursor = (struct event_cursor *)base;
	const struct strata_ctf_reader *reader = cursor->scan.reader;
	const uint64_t bits =
		(reader->packet.offset + reader->base_at) * 8 + event_of(cursor)->head;

	/* The event's place in its stream: the same in every scan, as SQLite wants it where it
	 * makes one result of several. */
	*row = (sqlite3_int64)(bits * cursor->table->sql->options.set->nr_streams +
			       cursor->scan.stream);
	return SQLITE_OK;
}

/* The event with its names and places. */
static const struct strata_shown_event *show(struct event_cursor *cursor)
{
	if (!cursor->run_is_shown)
		strata_shown_run(&cursor->view, cursor->scan.stream, cursor->scan.reader,
				 &cursor->shown);
	if (!cursor->event_is_shown)
		strata_shown_next(cursor->scan.reader, event_of(cursor), &cursor->shown);
	cursor->run_is_shown = cursor->event_is_shown = true;
	return &cursor->shown;
}

static void result_domain_name(sqlite3_context *context, const struct strata_sql *sql,
			       const struct strata_shown_event *shown)
{
	const char *const *names = sql->options.shown->sources[shown->source_index].domain_names;

	if (names && shown->domain < STRATA_SHOWN_DOMAINS && names[shown->domain])
		sql_result_text(context, names[shown->domain], strlen(names[shown->domain]));
}

/* A value that was bound for the class: see task_columns.h. */
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
	const struct strata_sql *sql = cursor->table->sql;
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
		sql_result_text(context, sql->hosts[trace_of(cursor)],
				strlen(sql->hosts[trace_of(cursor)]));
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
		/* SQLite may ask for a column that it did not say it uses. */
		if (cursor->tasks)
			result_bound(context, cursor,
				     column == SQL_PROCESS ? &task_class_of(cursor)->process
							   : &task_class_of(cursor)->tid);
	}
}

/* Fields of the event as JSON: a scope of it. */
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
		sql_result_json(context, &cursor->buffer);
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
	strata_ctf_event_open(cursor->scan.reader, event_of(cursor), &at);
	type = strata_ctf_access_go(access, &at);
	if (type)
		sql_result_field(context, type, at, column->is_name, &cursor->buffer);
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	struct event_cursor *cursor = (struct event_cursor *)base;
	const struct sql_column *asked = &cursor->table->columns[at];

	if (asked->field != SIZE_MAX)
		result_field(context, cursor, asked);
	else if (at < SQL_NR_COMMON)
		result_common(context, cursor, (enum sql_event_column)at);
	else
		result_scope(context, cursor, (enum sql_event_column)at);
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.iVersion = 0,
	.xConnect = connect_table,
	.xBestIndex = choose,
	.xDisconnect = sql_virtual_disconnect,
	.xDestroy = sql_virtual_disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = next_row,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = row_of,
};

static int add(struct strata_sql *sql, struct sql_table *table)
{
	table->sql = sql;
	return sqlite3_create_module_v2(sql->db, table->name, &module, table, NULL);
}

int sql_add_event_tables(struct strata_sql *sql)
{
	int status = add(sql, sql->catalog.events);
	size_t i;

	for (i = 0; status == SQLITE_OK && i < sql->catalog.nr_tables; i++)
		status = add(sql, sql->catalog.tables[i]);
	return status;
}
