// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_evtchn.c - the report on event channels: for each port the domain that signals it, how
 * long it is pending until its kernel takes the upcall and where that time went, and how long its
 * handler takes to begin and to run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/escape.h"
#include "base/fair_share.h"
#include "base/histogram.h"
#include "base/id_rows.h"
#include "base/identity.h"
#include "state/parts.h"

#define NAME STRATA_REPORT_NAME

/* A hostile domain may have many ports: those beyond its share of the rows (base/fair_share.h)
 * share a row. */
#define ROWS_MAX 32768u

/* A port of a domain, by its sender: a domain, or Xen itself. */
struct row {
	size_t machine, trace;
	uint32_t domain, port;
	uint32_t sender;   /* NO_SENDER: Xen */
	bool is_of_others; /* of the domain's ports beyond its share */
	uint64_t signals;
	struct strata_histogram pendings;
	uint64_t bound_ns; /* the largest of a single time */
	uint64_t parts[STRATA_NR_PARTS];
	uint64_t delays, delay_ns; /* from the upcall to its handler */
	struct strata_histogram handlers;
	char handler[NAME / 2];
};

#define NO_SENDER UINT32_MAX

struct evtchn_report {
	struct strata_report report;
	struct strata_id_rows rows;
	struct strata_shares shares; /* by the domain that has the ports */
};

static struct row *add_row(struct evtchn_report *report, const struct strata_link_end *to,
			   uint64_t id)
{
	struct row *row = strata_id_rows_add(&report->rows, id, sizeof(*row));

	if (!row)
		return NULL;
	row->machine = to->vcpu->machine;
	row->trace = to->trace;
	row->domain = to->vcpu->domain;
	return row;
}

/* Returns the row of a domain's ports beyond its share.  @domain: its id */
static struct row *row_of_others(struct evtchn_report *report, const struct strata_link_end *to,
				 uint64_t domain)
{
	/* No port's id has three parts. */
	const uint64_t id = strata_identity_add(domain, ROWS_MAX);
	struct row *row = strata_id_rows_find(&report->rows, id);

	if (row)
		return row;
	row = add_row(report, to, id);
	if (row)
		row->is_of_others = true;
	return row;
}

/* Returns the row of a port, from a PENDING span or one that it caused. NULL: out of memory. */
static struct row *row_of(struct evtchn_report *report, const struct strata_link *pending)
{
	const struct strata_vcpu *to = pending->to.vcpu, *from = pending->from.vcpu;
	const uint32_t sender = pending->via == STRATA_VIA_SEND && from ? from->domain : NO_SENDER;
	const uint64_t domain =
		strata_identity_add(strata_identity_add(0, to->machine), to->domain);
	const uint64_t id = strata_identity_add(strata_identity_add(domain, pending->port), sender);
	struct row *row = strata_id_rows_find(&report->rows, id);

	if (row)
		return row;
	if (!strata_shares_take(&report->shares, domain, ROWS_MAX))
		return row_of_others(report, &pending->to, domain);
	row = add_row(report, &pending->to, id);
	if (!row)
		return NULL;
	row->port = pending->port;
	row->sender = sender;
	return row;
}

static bool is_within(const struct evtchn_report *report, uint64_t from_ns, uint64_t to_ns)
{
	return from_ns >= report->report.from_ns && to_ns <= report->report.to_ns;
}

static void take_link(struct strata_span_listener *listener, const struct strata_link *link)
{
	struct evtchn_report *report = (struct evtchn_report *)listener;
	struct row *row;

	if (!is_within(report, link->from.at.ns, link->to.at.ns))
		return;
	if (link->kind == STRATA_LINK_PENDING) {
		row = row_of(report, link);
		if (row)
			row->signals++;
	} else if (link->kind == STRATA_LINK_HANDLER && link->cause) {
		row = row_of(report, link->cause->cause);
		if (!row)
			return;
		row->delays++;
		row->delay_ns += strata_moments_between(&link->from.at, &link->to.at);
	}
}

static void take_handler(struct row *row, const struct strata_span *span)
{
	char copy[NAME / 4] = "", name[NAME / 2];

	if (row->handlers.count || row->is_of_others)
		return;
	if (span->name && span->name_bytes)
		memcpy(copy, span->name,
		       span->name_bytes < sizeof(copy) ? span->name_bytes : sizeof(copy) - 1);
	strata_escape_name(name, sizeof(name), copy);
	snprintf(row->handler, sizeof(row->handler), "irq %" PRIu64 "%s%.40s", span->number,
		 name[0] ? " " : "", name);
}

static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct evtchn_report *report = (struct evtchn_report *)listener;
	const struct strata_link *pending = span->wake;
	struct row *row;

	if (!pending || !is_within(report, span->from_ns, span->to_ns))
		return;
	/* For an interrupt's span the cause is its DELIVERY. */
	if (span->kind == STRATA_SPAN_IRQ)
		pending = pending->cause;
	row = pending ? row_of(report, pending) : NULL;
	if (!row)
		return;
	if (span->kind == STRATA_SPAN_IRQ) {
		take_handler(row, span);
		report->rows.no_memory |=
			strata_histogram_add(&row->handlers, span->to_ns - span->from_ns) != 0;
		return;
	}
	report->rows.no_memory |=
		strata_histogram_add(&row->pendings, span->to_ns - span->from_ns) != 0;
	strata_parts_add(row->parts, span->split);
	if (span->bound_ns > row->bound_ns)
		row->bound_ns = span->bound_ns;
}

enum {
	COLUMN_OF,
	COLUMN_PORT,
	COLUMN_BY,
	COLUMN_HANDLER,
	COLUMN_SIGNALS,
	COLUMN_UPCALLS,
	COLUMN_TOTAL,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_GREATEST,
	COLUMN_BOUND,
	COLUMN_RUNS,
	COLUMN_XEN,
	COLUMN_STOLEN,
	COLUMN_ASLEEP,
	COLUMN_PAUSED,
	COLUMN_UNKNOWN,
	COLUMN_DELAY,
	COLUMN_HANDLER_TOTAL,
	COLUMN_HANDLER_P99,
	NR_COLUMNS,
};

static const struct strata_table_column columns[NR_COLUMNS] = {
	[COLUMN_OF] = { "of", "of", STRATA_CELL_TEXT },
	[COLUMN_PORT] = { "port", "port", STRATA_CELL_COUNT },
	[COLUMN_BY] = { "by", "by", STRATA_CELL_TEXT },
	[COLUMN_HANDLER] = { "handler", "handler", STRATA_CELL_TEXT },
	[COLUMN_SIGNALS] = { "signals", "signals", STRATA_CELL_COUNT },
	[COLUMN_UPCALLS] = { "upcalls", "upcalls", STRATA_CELL_COUNT },
	[COLUMN_TOTAL] = { "pending_ns", "pending", STRATA_CELL_NS },
	[COLUMN_P50] = { "pending_p50_ns", "p50", STRATA_CELL_NS },
	[COLUMN_P99] = { "pending_p99_ns", "p99", STRATA_CELL_NS },
	[COLUMN_GREATEST] = { "pending_greatest_ns", "greatest", STRATA_CELL_NS },
	[COLUMN_BOUND] = { "bound_ns", "bound", STRATA_CELL_BOUND },
	[COLUMN_RUNS] = { "running_ns", "vCPU runs", STRATA_CELL_NS },
	[COLUMN_XEN] = { "in_xen_ns", "in Xen", STRATA_CELL_NS },
	[COLUMN_STOLEN] = { "stolen_ns", "stolen", STRATA_CELL_NS },
	[COLUMN_ASLEEP] = { "vcpu_asleep_ns", "vCPU asleep", STRATA_CELL_NS },
	[COLUMN_PAUSED] = { "vcpu_paused_ns", "paused", STRATA_CELL_NS },
	[COLUMN_UNKNOWN] = { "unknown_ns", "unknown", STRATA_CELL_NS },
	[COLUMN_DELAY] = { "to_handler_ns", "to handler", STRATA_CELL_NS },
	[COLUMN_HANDLER_TOTAL] = { "handler_ns", "in handler", STRATA_CELL_NS },
	[COLUMN_HANDLER_P99] = { "handler_p99_ns", "p99", STRATA_CELL_NS },
};

/* Sets the cells that need recorded upcalls. */
static void set_pendings(struct strata_cell *cells, struct row *row)
{
	struct strata_histogram *pendings = &row->pendings;

	strata_cell_set(&cells[COLUMN_TOTAL], pendings->sum);
	strata_cell_set(&cells[COLUMN_P50], strata_histogram_percentile(pendings, 500000));
	strata_cell_set(&cells[COLUMN_P99], strata_histogram_percentile(pendings, 990000));
	strata_cell_set(&cells[COLUMN_GREATEST], pendings->greatest);
	if (row->bound_ns != UINT64_MAX)
		strata_cell_set(&cells[COLUMN_BOUND], row->bound_ns);
	strata_cell_set(&cells[COLUMN_RUNS], row->parts[STRATA_PART_RUNS]);
	strata_cell_set(&cells[COLUMN_XEN], row->parts[STRATA_PART_XEN]);
	strata_cell_set(&cells[COLUMN_STOLEN], row->parts[STRATA_PART_STOLEN]);
	strata_cell_set(&cells[COLUMN_ASLEEP], row->parts[STRATA_PART_ASLEEP]);
	strata_cell_set(&cells[COLUMN_PAUSED], row->parts[STRATA_PART_PAUSED]);
	strata_cell_set(&cells[COLUMN_UNKNOWN], row->parts[STRATA_PART_UNKNOWN]);
}

static const char *sender_name(char *text, const struct evtchn_report *report,
			       const struct row *row)
{
	if (row->is_of_others)
		return "others";
	if (row->sender == NO_SENDER)
		return "Xen";
	return strata_report_domain_name(text, report->report.shown, row->trace, row->sender);
}

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct evtchn_report *report = (struct evtchn_report *)base;
	struct strata_table *table = &tables[0];
	char name[NAME];
	size_t i;

	*nr = 1;
	strata_table_init(table, "evtchn", "Event channels, by port and who signals it", columns,
			  NR_COLUMNS);
	for (i = 0; i < report->rows.nr; i++) {
		struct row *row = report->rows.all[i];
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return -1;
		strata_table_text(table, &cells[COLUMN_OF],
				  strata_report_domain_name(name, report->report.shown, row->trace,
							    row->domain));
		if (!row->is_of_others)
			strata_cell_set(&cells[COLUMN_PORT], row->port);
		strata_table_text(table, &cells[COLUMN_BY], sender_name(name, report, row));
		strata_table_text(table, &cells[COLUMN_HANDLER], row->handler);
		strata_cell_set(&cells[COLUMN_SIGNALS], row->signals);
		strata_cell_set(&cells[COLUMN_UPCALLS], row->pendings.count);
		if (row->pendings.count)
			set_pendings(cells, row);
		if (row->delays)
			strata_cell_set(&cells[COLUMN_DELAY], row->delay_ns);
		if (!row->handlers.count)
			continue;
		strata_cell_set(&cells[COLUMN_HANDLER_TOTAL], row->handlers.sum);
		strata_cell_set(&cells[COLUMN_HANDLER_P99],
				strata_histogram_percentile(&row->handlers, 990000));
	}
	strata_table_sort(table, COLUMN_SIGNALS);
	return table->no_memory || report->rows.no_memory ? -1 : 0;
}

static void clear_row(void *data)
{
	struct row *row = data;

	strata_histogram_clear(&row->pendings);
	strata_histogram_clear(&row->handlers);
}

static void free_report(struct strata_report *base)
{
	struct evtchn_report *report = (struct evtchn_report *)base;

	strata_id_rows_clear(&report->rows, clear_row);
	strata_shares_clear(&report->shares);
	free(report);
}

struct strata_report *strata_report_evtchn(void)
{
	struct evtchn_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.kinds = 1u << STRATA_SPAN_EVTCHN | 1u << STRATA_SPAN_IRQ;
	report->report.listener.span = take_span;
	report->report.listener.link = take_link;
	report->report.make = make;
	report->report.free = free_report;
	return &report->report;
}
