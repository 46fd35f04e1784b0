// SPDX-License-Identifier: GPL-2.0-or-later
/* loss_table.c - the virtual table `losses`: what is missing from streams, as their tracers say. */
#include <stdlib.h>
#include <string.h>

#include "sql/scan.h"
#include "sql/value.h"
#include "sql/virtual.h"

enum {
	LOSS_TIME,
	LOSS_END,
	LOSS_HOST,
	LOSS_SOURCE,
	LOSS_LAYER,
	LOSS_CPU,
	LOSS_STREAM,
	LOSS_DISCARDED,
	LOSS_MISSING,
	LOSS_REASONS, /* as many as there are */
};

static const char declared[] =
	"CREATE TABLE x(time_ns INTEGER, end_ns INTEGER, host TEXT, source TEXT, layer TEXT, "
	"cpu INTEGER, stream TEXT, discarded INTEGER, missing_packets INTEGER, "
	"buffer_full INTEGER, nested_wrap INTEGER, record_too_large INTEGER)";

struct loss_table {
	sqlite3_vtab base;
	struct strata_sql *sql;
};

struct loss_cursor {
	sqlite3_vtab_cursor base;
	struct strata_sql *sql;
	struct sql_scan scan;
	struct strata_slice_sink sink;
	struct strata_shown_loss lost; /* the row */
	bool at_end;
	sqlite3_int64 row;
};

static int connect_table(sqlite3 *db, void *sql, int argc, const char *const *argv,
			 sqlite3_vtab **out, char **error)
{
	struct loss_table *made = sqlite3_malloc(sizeof(*made));
	const int status = made ? sql_virtual_declare(db, declared) : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)error;
	if (status != SQLITE_OK) {
		sqlite3_free(made);
		return status;
	}
	memset(made, 0, sizeof(*made));
	made->sql = sql;
	*out = &made->base;
	return SQLITE_OK;
}

/* Losses are found by reading everything. */
static int choose(sqlite3_vtab *base, sqlite3_index_info *info)
{
	info->estimatedCost = (double)((struct loss_table *)base)->sql->options.set->bytes;
	info->estimatedRows = 100;
	info->idxStr = "all";
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct loss_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->sql = ((struct loss_table *)base)->sql;
	*out = &cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	sql_scan_close(&((struct loss_cursor *)base)->scan);
	free(base);
	return SQLITE_OK;
}

static int take(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_lane_event *events, size_t nr, struct strata_error *error)
{
	(void)sink;
	(void)stream;
	(void)reader;
	(void)events;
	(void)nr;
	(void)error;
	return 0;
}

static int lose(struct strata_slice_sink *sink, size_t stream, struct strata_ctf_reader *reader,
		const struct strata_loss *loss, struct strata_error *error)
{
	struct loss_cursor *cursor =
		(struct loss_cursor *)((char *)sink - offsetof(struct loss_cursor, sink));

	(void)error;
	/* What is damaged is named, and has no number. */
	if (!strata_loss_is_counted(loss))
		return 0;
	strata_shown_lose(cursor->sql->options.shown, cursor->scan.numbers[stream], reader, loss,
			  &cursor->lost);
	return 1;
}

static int find_row(struct loss_cursor *cursor)
{
	const int status = sql_scan_next(&cursor->scan);

	cursor->at_end = status == 0;
	return status < 0 ? sql_scan_failed(&cursor->scan, cursor->base.pVtab) : SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	struct loss_cursor *cursor = (struct loss_cursor *)base;

	cursor->row++;
	return find_row(cursor);
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *text, int nr,
		  sqlite3_value **values)
{
	const struct sql_scan_options options = { .to_ns = UINT64_MAX, .with_losses = true };
	struct loss_cursor *cursor = (struct loss_cursor *)base;

	(void)number;
	(void)text;
	(void)nr;
	(void)values;
	sql_scan_close(&cursor->scan);
	cursor->row = 0;
	cursor->at_end = true;
	if (sql_scan_open(&cursor->scan, cursor->sql, &options))
		return sql_scan_failed(&cursor->scan, base->pVtab);
	cursor->sink = (struct strata_slice_sink){ .take = take, .lose = lose };
	cursor->scan.observer = &cursor->sink;
	if (sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, base->pVtab);
	return find_row(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *base)
{
	return ((struct loss_cursor *)base)->at_end;
}

static int row_of(sqlite3_vtab_cursor *base, sqlite3_int64 *row)
{
	*row = ((struct loss_cursor *)base)->row;
	return SQLITE_OK;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int at)
{
	const struct loss_cursor *cursor = (struct loss_cursor *)base;
	const struct strata_shown_loss *lost = &cursor->lost;
	const char *host = cursor->sql->hosts[lost->source_index];

	switch (at) {
	case LOSS_TIME:
	case LOSS_END:
		if (lost->has_time)
			sql_result_u64(context,
				       at == LOSS_TIME ? lost->loss->from_ns : lost->loss->to_ns);
		break;
	case LOSS_HOST:
		sql_result_text(context, host, strlen(host));
		break;
	case LOSS_SOURCE:
		sql_result_text(context, lost->source, strlen(lost->source));
		break;
	case LOSS_LAYER:
		if (*lost->layer)
			sql_result_text(context, lost->layer, strlen(lost->layer));
		break;
	case LOSS_CPU:
		sql_result_u32(context, lost->cpu);
		break;
	case LOSS_STREAM:
		sql_result_text(context, lost->stream, strlen(lost->stream));
		break;
	case LOSS_DISCARDED:
		sql_result_u64(context, lost->loss->discarded);
		break;
	case LOSS_MISSING:
		sql_result_u64(context, lost->loss->missing_packets);
		break;
	default:
		/* Which reason, not every tracer says. */
		if (lost->loss->has_kinds && at - LOSS_REASONS < (int)STRATA_NR_LOST)
			sql_result_u64(context, lost->loss->kinds[at - LOSS_REASONS]);
	}
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

int sql_add_loss_table(struct strata_sql *sql)
{
	return sqlite3_create_module_v2(sql->db, "losses", &module, sql, NULL);
}
