// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_grants.c - the report on grants: for each pair of domains how often one maps or copies
 * pages of the other, for how long, and how many bytes.
 */
#include <stdlib.h>

#include "analyses/report.h"
#include "base/fair_share.h"
#include "base/histogram.h"
#include "base/id_rows.h"

/* A hostile trace may have many pairs of domains: those of a domain beyond its share of the rows
 * (base/fair_share.h) share a row. */
#define ROWS_MAX 16384u

/* Behind all domains: they have 16 bits. */
#define OTHERS 0x10000u

struct row {
	size_t trace;
	uint32_t domain, other; /* OTHERS: all that have no row of their own */
	struct strata_histogram maps;
	uint64_t bound_ns; /* the largest of a single time */
	uint64_t copies, failed, bytes;
};

struct grants_report {
	struct strata_report report;
	struct strata_id_rows rows;
	struct strata_shares shares; /* by the domain that maps and copies */
};

/* Finds or adds the row of a pair.  NULL: out of memory, or, for a new pair, beyond a share. */
static struct row *row_of_pair(struct grants_report *report, const struct strata_span *span,
			       uint32_t other)
{
	const uint64_t domain = (uint64_t)span->vcpu->machine << 16 | (span->vcpu->domain & 0xffff);
	const uint64_t id = domain << 17 | other;
	struct row *row = strata_id_rows_find(&report->rows, id);

	if (row || (other != OTHERS && !strata_shares_take(&report->shares, domain, ROWS_MAX)))
		return row;
	row = strata_id_rows_add(&report->rows, id, sizeof(*row));
	if (!row)
		return NULL;
	row->trace = span->trace;
	row->domain = span->vcpu->domain;
	row->other = other;
	return row;
}

static struct row *row_of(struct grants_report *report, const struct strata_span *span)
{
	struct row *row = row_of_pair(report, span, span->domain & 0xffff);

	return row || report->rows.no_memory ? row : row_of_pair(report, span, OTHERS);
}

static void take(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct grants_report *report = (struct grants_report *)listener;
	struct row *row;

	if (span->from_ns < report->report.from_ns || span->to_ns > report->report.to_ns)
		return;
	row = row_of(report, span);
	if (!row)
		return;
	if (span->kind == STRATA_SPAN_GRANT_COPY) {
		row->copies++;
		row->failed += span->number == 0;
		row->bytes += span->number;
		return;
	}
	report->rows.no_memory |= strata_histogram_add(&row->maps, span->to_ns - span->from_ns) !=
				  0;
	if (span->bound_ns > row->bound_ns)
		row->bound_ns = span->bound_ns;
}

static const struct strata_table_column columns[] = {
	{ "of", "of", STRATA_CELL_TEXT },
	{ "granter", "with", STRATA_CELL_TEXT },
	{ "mapped", "mapped", STRATA_CELL_COUNT },
	{ "mapped_ns", "for", STRATA_CELL_NS },
	{ "mapped_p50_ns", "p50", STRATA_CELL_NS },
	{ "mapped_p99_ns", "p99", STRATA_CELL_NS },
	{ "mapped_greatest_ns", "greatest", STRATA_CELL_NS },
	{ "bound_ns", "bound", STRATA_CELL_BOUND },
	{ "copies", "copies", STRATA_CELL_COUNT },
	{ "failed_copies", "failed", STRATA_CELL_COUNT },
	{ "copied_bytes", "bytes copied", STRATA_CELL_COUNT },
};

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct grants_report *report = (struct grants_report *)base;
	struct strata_table *table = &tables[0];
	char name[STRATA_REPORT_NAME];
	size_t i;

	*nr = 1;
	strata_table_init(table, "grants", "Grants, mapped and unmapped, and copies", columns,
			  sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < report->rows.nr; i++) {
		struct row *row = report->rows.all[i];
		struct strata_histogram *maps = &row->maps;
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return -1;
		strata_table_text(table, &cells[0],
				  strata_report_domain_name(name, report->report.shown, row->trace,
							    row->domain));
		strata_table_text(table, &cells[1],
				  row->other == OTHERS
					  ? "others"
					  : strata_report_domain_name(name, report->report.shown,
								      row->trace, row->other));
		strata_cell_set(&cells[2], maps->count);
		if (maps->count) {
			strata_cell_set(&cells[3], maps->sum);
			strata_cell_set(&cells[4], strata_histogram_percentile(maps, 500000));
			strata_cell_set(&cells[5], strata_histogram_percentile(maps, 990000));
			strata_cell_set(&cells[6], maps->greatest);
			if (row->bound_ns != UINT64_MAX)
				strata_cell_set(&cells[7], row->bound_ns);
		}
		strata_cell_set(&cells[8], row->copies);
		strata_cell_set(&cells[9], row->failed);
		strata_cell_set(&cells[10], row->bytes);
	}
	strata_table_sort(table, 2);
	return table->no_memory || report->rows.no_memory ? -1 : 0;
}

static void clear_row(void *data)
{
	struct row *row = data;

	strata_histogram_clear(&row->maps);
}

static void free_report(struct strata_report *base)
{
	struct grants_report *report = (struct grants_report *)base;

	strata_id_rows_clear(&report->rows, clear_row);
	strata_shares_clear(&report->shares);
	free(report);
}

struct strata_report *strata_report_grants(void)
{
	struct grants_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.kinds = 1u << STRATA_SPAN_GRANT | 1u << STRATA_SPAN_GRANT_COPY;
	report->report.listener.span = take;
	report->report.make = make;
	report->report.free = free_report;
	return &report->report;
}
