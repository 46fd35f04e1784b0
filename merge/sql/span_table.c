// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * span_table.c - the virtual tables of the state of hosts: each row is a span (state/span.h).
 *
 * A scan is a pass from the beginning of the traces, because each state depends on all earlier
 * events. It stops early if the query bounds the end of spans. A span arrives when it ends and is
 * queued until SQLite takes it, so memory grows with the number of vCPUs and tasks, not of events.
 */
#include <stdlib.h>
#include <string.h>

#include "sql/gaps.h"
#include "sql/plan.h"
#include "sql/scan.h"
#include "sql/span_rows.h"
#include "sql/span_schema.h"
#include "sql/span_values.h"
#include "sql/virtual.h"

/* Estimated size of a span's events in a trace, to estimate the number of rows. */
#define SPAN_BYTES 64.0

struct span_table {
	struct strata_sql *sql;
	const struct sql_span_table *schema;
	enum sql_span_column of[NR_SPAN_COLUMNS]; /* the table's columns */
	struct sql_condition_column conditions[NR_SPAN_COLUMNS];
	size_t nr;
};

struct span_cursor {
	struct sql_cursor base;
	struct sql_scan scan;
	struct strata_slice_sink sink; /* hands runs to the state */
	struct strata_host_state *state;
	struct sql_span_rows rows;
	struct strata_span_listener *listener; /* that listener; the state keeps a pointer to it */
	const struct sql_span_row *now;        /* NULL: at the end */
	bool is_finished;                      /* no more spans will come */
	bool is_cut; /* the scan stopped early: spans that are still open are not reported */
};

static const struct span_table *table_of(const struct span_cursor *cursor)
{
	return cursor->base.table->of;
}

static int declare(void *of, sqlite3_str *declared)
{
	const struct span_table *table = of;
	size_t i;

	for (i = 0; i < table->nr; i++)
		sql_declare_column(declared, sql_span_columns[table->of[i]].name,
				   sql_span_columns[table->of[i]].type);
	return SQLITE_OK;
}

static int choose(void *of, sqlite3_index_info *info)
{
	const struct span_table *table = of;
	const int status = sql_plan_choose(info, table->conditions, table->nr,
					   (double)table->sql->options.set->bytes / SPAN_BYTES);

	/* Each scan is a full pass: this table belongs in the outer loop, events in the inner
	 * one. */
	info->estimatedCost *= 100;
	return status;
}

static void end(struct sql_cursor *base)
{
	struct span_cursor *cursor = (struct span_cursor *)base;

	sql_scan_close(&cursor->scan);
	strata_host_state_free(cursor->state);
	sql_span_rows_clear(&cursor->rows);
	cursor->state = NULL;
	cursor->now = NULL;
	cursor->is_finished = false;
}

static struct span_cursor *cursor_of(struct strata_slice_sink *sink)
{
	return (struct span_cursor *)((char *)sink - offsetof(struct span_cursor, sink));
}

/* Passes a run to the state; the scan pauses if this produced rows. */
static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	struct span_cursor *cursor = cursor_of(sink);
	struct strata_slice_sink *state = strata_host_state_observer(cursor->state);
	const int status = state->take(state, stream, reader, events, nr, error);

	return status ? status : cursor->rows.nr > 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct span_cursor *cursor = cursor_of(sink);
	struct strata_slice_sink *state = strata_host_state_observer(cursor->state);
	const int status = state->lose(state, stream, reader, loss, error);

	return status ? status : cursor->rows.nr > 0;
}

/* Everything was read, and the last rows are queued. */
static void note_gaps(const struct span_cursor *cursor)
{
	sql_gaps_note(table_of(cursor)->sql, table_of(cursor)->schema,
		      cursor->base.row > 0 || cursor->rows.nr > 0,
		      strata_host_state_facts(cursor->state));
}

static int find_row(struct span_cursor *cursor)
{
	while (!(cursor->now = sql_span_rows_take(&cursor->rows))) {
		if (cursor->is_finished) {
			cursor->base.at_end = true;
			return SQLITE_OK;
		}
		switch (sql_scan_next(&cursor->scan)) {
		case 0:
			cursor->is_finished = true;
			/* A span still open where the scan was cut ends later, so the query does
			 * not want it. */
			if (!cursor->is_cut &&
			    strata_host_state_finish(cursor->state, &cursor->scan.error))
				return SQLITE_NOMEM;
			if (!cursor->is_cut)
				note_gaps(cursor);
			break;
		case -1:
			return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
		default:
			break;
		}
		if (cursor->rows.no_memory)
			return SQLITE_NOMEM;
	}
	return SQLITE_OK;
}

static int next_row(struct sql_cursor *base)
{
	return find_row((struct span_cursor *)base);
}

static int begin_scan(struct span_cursor *cursor, const struct sql_plan *plan)
{
	const struct span_table *table = table_of(cursor);
	const struct sql_span_table *schema = table->schema;
	/* A wait for a pCPU is reported only when it is over, with everything that it waited
	 * behind. */
	const bool may_cut = !(schema->kinds & SQL_SPAN_KIND(BEHIND));
	const struct sql_scan_options options = { .to_ns = may_cut ? plan->to_ns : UINT64_MAX,
						  .layer = schema->layer,
						  .with_losses = true };

	cursor->is_cut = options.to_ns != UINT64_MAX;
	sql_span_rows_init(&cursor->rows, table->sql->options.shown, schema->kinds);
	cursor->listener = &cursor->rows.listener;
	if (sql_scan_open(&cursor->scan, table->sql, &options))
		return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
	cursor->state = strata_host_state_new(&cursor->scan.set, table->sql->options.requests,
					      &cursor->listener, 1, &cursor->scan.error);
	if (!cursor->state)
		return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
	cursor->sink = (struct strata_slice_sink){ .take = take, .lose = lose };
	cursor->scan.observer = &cursor->sink;
	if (sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, cursor->base.base.pVtab);
	return find_row(cursor);
}

static int begin(struct sql_cursor *base, int number, const char *text, int nr,
		 sqlite3_value **values)
{
	struct span_cursor *cursor = (struct span_cursor *)base;
	const struct span_table *table = table_of(cursor);
	struct sql_plan plan;
	int status;

	(void)number;
	status = sql_plan_read(&plan, &table->sql->catalog.events, text, nr, values,
			       table->conditions, table->nr);
	base->at_end = plan.is_empty;
	if (status == SQLITE_OK && !plan.is_empty)
		status = begin_scan(cursor, &plan);
	sqlite3_free(plan.expression);
	return status;
}

static void column(struct sql_cursor *base, sqlite3_context *context, int at)
{
	const struct span_cursor *cursor = (struct span_cursor *)base;

	sql_span_value(context, cursor->scan.sql, cursor->now, table_of(cursor)->of[at]);
}

static const struct sql_virtual_kind kind = {
	.cursor_bytes = sizeof(struct span_cursor),
	.declare = declare,
	.choose = choose,
	.begin = begin,
	.next = next_row,
	.end = end,
	.column = column,
};

static void find_columns(struct span_table *table)
{
	size_t i;

	for (i = 0; i < NR_SPAN_COLUMNS; i++) {
		if (!(table->schema->columns & 1ull << i))
			continue;
		/* Only a bound on the end of spans lets a scan stop early. */
		table->conditions[table->nr].name = sql_span_columns[i].name;
		if (i == SPAN_END)
			table->conditions[table->nr].condition = SQL_ON_TIME;
		table->of[table->nr++] = (enum sql_span_column)i;
	}
}

int sql_add_span_tables(struct strata_sql *sql)
{
	int status = SQLITE_OK;
	size_t i;

	sql->span_tables = calloc(sql_nr_span_tables, sizeof(*sql->span_tables));
	if (!sql->span_tables)
		return SQLITE_NOMEM;
	for (i = 0; status == SQLITE_OK && i < sql_nr_span_tables; i++) {
		struct span_table *table = &sql->span_tables[i];

		table->sql = sql;
		table->schema = &sql_span_tables[i];
		find_columns(table);
		status = sql_virtual_add(sql->db, table->schema->name, &kind, table);
	}
	return status;
}
