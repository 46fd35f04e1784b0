/* SPDX-License-Identifier: GPL-2.0-or-later */
/* event_table.h - the cursor of a table of events: at one event of the reader's batch. */
#ifndef STRATA_MERGE_SQL_EVENT_TABLE_H
#define STRATA_MERGE_SQL_EVENT_TABLE_H

#include "outputs/event_writer.h"
#include "sql/scan.h"
#include "sql/task_columns.h"
#include "sql/virtual.h"

struct event_cursor {
	struct sql_cursor base;
	struct sql_scan scan;
	size_t at;                     /* index in the run */
	const struct sql_class *class; /* of the event */
	struct strata_shown_view view;
	bool has_view;
	struct strata_shown_event *shown;
	bool run_is_shown, event_is_shown;
	struct strata_buffer buffer;
	/* If the query asks for the running task: */
	struct strata_task *tasks; /* one per stream; NULL: not asked for */
	bool follows;              /* tracks it from the events */
	uint64_t from_ns;
};

static inline const struct sql_table *event_cursor_table(const struct event_cursor *cursor)
{
	return cursor->base.table->of;
}

static inline const struct strata_lane_event *event_cursor_event(const struct event_cursor *cursor)
{
	return &cursor->scan.events[cursor->at];
}

static inline size_t event_cursor_trace(const struct event_cursor *cursor)
{
	return cursor->scan.sql->options.set->streams[cursor->scan.stream].trace;
}

static inline const struct strata_ctf_event_class *
event_cursor_class(const struct event_cursor *cursor)
{
	return cursor->scan.reader->kind->classes[event_cursor_event(cursor)->class].event;
}

/* Returns what the event's class says about the task; only for cursors with tasks. */
static inline const struct sql_task_class *
event_cursor_task_class(const struct event_cursor *cursor)
{
	return &cursor->scan.sql->tasks
			->classes[event_cursor_trace(cursor)][event_cursor_class(cursor)->index];
}

/* Sets the value of a column of the cursor's event (event_values.c). */
void sql_event_value(struct sql_cursor *base, sqlite3_context *context, int at);

#endif /* STRATA_MERGE_SQL_EVENT_TABLE_H */
