// SPDX-License-Identifier: GPL-2.0-or-later
/* loss_table.c - the virtual table `losses`: what is missing from streams, as reported by their
 * tracers. */
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
	LOSS_REASONS, /* number of reasons */
	NR_LOSS_COLUMNS = LOSS_REASONS + STRATA_NR_LOST,
};

static const struct sql_described_column columns[] = {
	[LOSS_TIME] = { "time_ns", "INTEGER", "between this time, ns since 1970," },
	[LOSS_END] = { "end_ns", "INTEGER", "and this one" },
	[LOSS_HOST] = { "host", "TEXT", "the machine" },
	[LOSS_SOURCE] = { "source", "TEXT", "" },
	[LOSS_LAYER] = { "layer", "TEXT", "xen, kernel or app" },
	[LOSS_CPU] = { "cpu", "INTEGER", "the number of the stream's CPU" },
	[LOSS_STREAM] = { "stream", "TEXT", "" },
	[LOSS_DISCARDED] = { "discarded", "INTEGER", "events" },
	[LOSS_MISSING] = { "missing_packets", "INTEGER", "overwritten, or not in the trace" },
	[LOSS_REASONS + STRATA_LOST_FULL] = { "buffer_full", "INTEGER",
					      "of the discarded; NULL: not known" },
	[LOSS_REASONS + STRATA_LOST_NESTED] = { "nested_wrap", "INTEGER", "" },
	[LOSS_REASONS + STRATA_LOST_BIG] = { "record_too_large", "INTEGER", "" },
};

_Static_assert(sizeof(columns) / sizeof(columns[0]) == NR_LOSS_COLUMNS,
	       "a new reason of losses needs a column");

const struct sql_described_table sql_losses = { "losses", "what tracers lost", columns,
						NR_LOSS_COLUMNS };

struct loss_cursor {
	struct sql_cursor base;
	struct sql_scan scan;
	struct strata_slice_sink sink;
	struct strata_shown_loss lost; /* the current row */
};

static int declare(void *of, sqlite3_str *declared)
{
	(void)of;
	sql_declare_columns(declared, columns, NR_LOSS_COLUMNS);
	return SQLITE_OK;
}

/* Losses are found only by reading everything. */
static int choose(void *of, sqlite3_index_info *info)
{
	const struct strata_sql *sql = of;

	info->estimatedCost = (double)sql->options.set->bytes;
	info->estimatedRows = 100;
	info->idxStr = "all";
	return SQLITE_OK;
}

static void end(struct sql_cursor *base)
{
	sql_scan_close(&((struct loss_cursor *)base)->scan);
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
	/* Damage has a reason but no count. */
	if (!strata_loss_is_counted(loss))
		return 0;
	strata_shown_lose(cursor->scan.sql->options.shown, cursor->scan.numbers[stream], reader,
			  loss, &cursor->lost);
	return 1;
}

static int next_row(struct sql_cursor *base)
{
	struct loss_cursor *cursor = (struct loss_cursor *)base;
	const int status = sql_scan_next(&cursor->scan);

	base->at_end = status == 0;
	return status < 0 ? sql_scan_failed(&cursor->scan, base->base.pVtab) : SQLITE_OK;
}

static int begin(struct sql_cursor *base, int number, const char *text, int nr,
		 sqlite3_value **values)
{
	const struct sql_scan_options options = { .to_ns = UINT64_MAX, .with_losses = true };
	struct loss_cursor *cursor = (struct loss_cursor *)base;

	(void)number;
	(void)text;
	(void)nr;
	(void)values;
	if (sql_scan_open(&cursor->scan, base->table->of, &options))
		return sql_scan_failed(&cursor->scan, base->base.pVtab);
	cursor->sink = (struct strata_slice_sink){ .take = take, .lose = lose };
	cursor->scan.observer = &cursor->sink;
	if (sql_scan_begin(&cursor->scan))
		return sql_scan_failed(&cursor->scan, base->base.pVtab);
	return next_row(base);
}

static void column(struct sql_cursor *base, sqlite3_context *context, int at)
{
	const struct loss_cursor *cursor = (struct loss_cursor *)base;
	const struct strata_shown_loss *lost = &cursor->lost;
	const char *host = cursor->scan.sql->hosts[lost->source_index];

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
		/* Not every tracer records the reasons. */
		if (lost->loss->has_kinds)
			sql_result_u64(context, lost->loss->kinds[at - LOSS_REASONS]);
	}
}

static const struct sql_virtual_kind kind = {
	.cursor_bytes = sizeof(struct loss_cursor),
	.declare = declare,
	.choose = choose,
	.begin = begin,
	.next = next_row,
	.end = end,
	.column = column,
};

int sql_add_loss_table(struct strata_sql *sql)
{
	return sql_virtual_add(sql->db, sql_losses.name, &kind, sql);
}
