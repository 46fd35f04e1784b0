// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * event_table.c - the virtual tables of events: one for each event name, with a column for each
 * field, and `events`, which has all events with their fields as JSON.
 *
 * A row is an event in the reader's batch; a column's value is decoded when SQLite asks for it.
 */
#include "sql/event_table.h"

#include <stdlib.h>

#include "sql/plan.h"

/* Bits of idxNum. */
#define WANTS_TASK 1

#define EVENT_BYTES 24.0 /* estimated size of an event, to estimate the number of rows */

static int declare(void *of, sqlite3_str *columns)
{
	const struct sql_table *table = of;
	size_t i;

	for (i = 0; i < table->columns.nr_columns; i++)
		sql_declare_column(columns, table->columns.columns[i].name,
				   table->columns.columns[i].type);
	return SQLITE_OK;
}

static int choose(void *of, sqlite3_index_info *info)
{
	const struct sql_table *table = of;
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

static void end(struct sql_cursor *base)
{
	struct event_cursor *cursor = (struct event_cursor *)base;

	sql_scan_close(&cursor->scan);
	if (cursor->has_view)
		strata_shown_view_clear(&cursor->view);
	free(cursor->tasks);
	cursor->tasks = NULL;
	cursor->has_view = false;
	cursor->at = 0;
	cursor->run_is_shown = cursor->event_is_shown = false;
}

static void close_cursor(struct sql_cursor *base)
{
	strata_buffer_free(&((struct event_cursor *)base)->buffer);
}

/* Updates the running task from the event, before and after its row is read. */
static void follow_task(struct event_cursor *cursor, bool is_after)
{
	const struct sql_task_class *class = event_cursor_task_class(cursor);
	struct strata_task *task = &cursor->tasks[cursor->scan.stream];
	struct strata_ctf_cursor at;

	if (class->tells.tells == STRATA_TASK_NOTHING)
		return;
	strata_ctf_event_open(cursor->scan.reader, event_cursor_event(cursor), &at);
	if (is_after)
		strata_task_after(task, &class->tells, &at);
	else
		strata_task_during(task, &class->tells, &at);
}

/* Whether the event at the cursor belongs to the table. */
static bool is_row(struct event_cursor *cursor)
{
	const struct sql_catalog *catalog = &cursor->scan.sql->catalog;

	if (event_cursor_event(cursor)->ns < cursor->from_ns)
		return false;
	cursor->class =
		&catalog->classes[event_cursor_trace(cursor)][event_cursor_class(cursor)->index];
	return !event_cursor_table(cursor)->event ||
	       cursor->class->table == event_cursor_table(cursor);
}

/* Moves to the first matching row, from the cursor's position on. */
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
			cursor->base.at_end = true;
			return SQLITE_OK;
		case -1:
			return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
		default:
			break;
		}
		cursor->at = 0;
		cursor->run_is_shown = cursor->event_is_shown = false;
		/* The lost events may include a context switch. */
		if (cursor->scan.loss && cursor->follows)
			cursor->tasks[cursor->scan.stream].is_known = false;
	}
}

static int next_row(struct sql_cursor *base)
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
	const struct sql_table *table = event_cursor_table(cursor);
	struct strata_sql *sql = table->sql;
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
	/* The running task follows from all earlier events. */
	cursor->follows = wants_task && sql_tasks_are_followed(sql, table);
	if (cursor->follows) {
		options.from_ns = 0;
		options.expression = NULL;
		options.with_losses = true;
	}
	if (strata_shown_view_init(&cursor->view, sql->options.shown))
		return SQLITE_NOMEM;
	cursor->has_view = true;
	if (sql_scan_open(&cursor->scan, sql, &options) || sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
	return find_row(cursor);
}

static int begin(struct sql_cursor *base, int number, const char *text, int nr,
		 sqlite3_value **values)
{
	struct event_cursor *cursor = (struct event_cursor *)base;
	const struct sql_table *table = event_cursor_table(cursor);
	struct sql_plan plan;
	int status;

	status = sql_plan_read(&plan, table, text, nr, values, sql_event_conditions,
			       table->event ? SQL_NR_COMMON : SQL_NR_EVENTS_COLUMNS);
	base->at_end = plan.is_empty;
	if (status == SQLITE_OK && !plan.is_empty)
		status = begin_scan(cursor, &plan, number & WANTS_TASK);
	sqlite3_free(plan.expression);
	return status;
}

/* The event's position in its stream. It is the same in every scan; SQLite needs that when it
 * combines the results of several scans. */
static sqlite3_int64 number_of(const struct sql_cursor *base)
{
	const struct event_cursor *cursor = (const struct event_cursor *)base;
	const struct strata_ctf_reader *reader = cursor->scan.reader;
	const uint64_t bits =
		(reader->packet.offset + reader->base_at) * 8 + event_cursor_event(cursor)->head;

	return (sqlite3_int64)(bits * cursor->scan.sql->options.set->nr_streams +
			       cursor->scan.stream);
}

static const struct sql_virtual_kind kind = {
	.cursor_bytes = sizeof(struct event_cursor),
	.declare = declare,
	.choose = choose,
	.begin = begin,
	.next = next_row,
	.end = end,
	.close = close_cursor,
	.column = sql_event_value,
	.number = number_of,
};

int sql_add_events_table(struct strata_sql *sql)
{
	sql->catalog.events.sql = sql;
	return sql_virtual_add(sql->db, "events", &kind, &sql->catalog.events);
}

int sql_add_event_table(struct strata_sql *sql, struct sql_table *table)
{
	int status;

	if (table->is_registered)
		return SQLITE_OK;
	table->sql = sql;
	if (sql_catalog_make_columns(&sql->catalog, table))
		return SQLITE_NOMEM;
	status = sql_virtual_add(sql->db, table->name, &kind, table);
	table->is_registered = status == SQLITE_OK;
	return status;
}
