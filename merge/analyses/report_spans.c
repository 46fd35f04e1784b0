// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_spans.c - reports on spans: VM exits, hypercalls, system calls, interrupts, wake-ups,
 * requests. One row for each name and source: how often, how long, and where that time went.
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
#include "linux/linux_names.h"
#include "linux/syscall_names.h"
#include "state/parts.h"
#include "timeline/event_names.h"
#include "xen/exit_reasons.h"
#include "xen/hypercall_names.h"

#define NAME STRATA_REPORT_NAME

/* A hostile trace may have a new name in each span: beyond its share of the rows, which is half of
 * them if no other has many, its further ones share a row. */
#define ROWS_MAX 32768u

struct row {
	char *of, *what;   /* escaped for output */
	uint64_t bound_ns; /* the largest of a single span */
	uint64_t parts[STRATA_NR_PARTS];
	bool has_parts;
	uint64_t others_waited_ns; /* see struct strata_span */
	struct strata_histogram lengths;
};

struct span_report {
	struct strata_report report;
	const char *key, *title;
	bool is_of_locks;           /* only VM exits of vCPUs that spin on a lock */
	struct strata_id_rows rows; /* by id_of(); others of an owner by row_of_others() */
	struct strata_shares shares;
};

static void put_number(char *text, const struct strata_number_names *names, uint64_t number)
{
	const char *name = names ? strata_number_name(names, number) : NULL;

	if (name)
		snprintf(text, NAME, "%s", name);
	else
		snprintf(text, NAME, "%" PRIu64, number);
}

/* Returns the names of VM exit reasons in a trace; NULL: the trace does not say whether its numbers
 * are Intel's or AMD's. */
static const struct strata_number_names *exit_names(const struct strata_ctf_trace *trace)
{
	enum strata_exits exits = STRATA_EXITS_UNKNOWN;
	size_t i;

	for (i = 0; exits == STRATA_EXITS_UNKNOWN && i < trace->metadata.nr_streams; i++)
		exits = strata_event_exits(trace, i);
	return strata_exit_names(exits);
}

void strata_report_span_name(char *text, const struct strata_shown *shown,
			     const struct strata_span *span)
{
	const struct strata_ctf_trace *trace = shown->set->traces[span->trace];
	char name[NAME] = "";

	if (span->name && span->name_bytes) {
		/* Arbitrary bytes of any length. */
		char copy[NAME / 2] = "";

		memcpy(copy, span->name,
		       span->name_bytes < sizeof(copy) ? span->name_bytes : sizeof(copy) - 1);
		strata_escape_name(name, sizeof(name), copy);
	}
	switch (span->kind) {
	case STRATA_SPAN_EXIT:
		put_number(text, exit_names(trace), span->number);
		break;
	case STRATA_SPAN_HYPERCALL:
		put_number(text, &strata_xen_hypercalls, span->number);
		break;
	case STRATA_SPAN_SYSCALL:
		if (name[0])
			snprintf(text, NAME, "%s", name);
		else
			put_number(text, &strata_linux_syscalls, span->number);
		break;
	case STRATA_SPAN_IRQ:
		snprintf(text, NAME, "irq %" PRIu64 "%s%.100s", span->number, name[0] ? " " : "",
			 name);
		break;
	case STRATA_SPAN_SOFTIRQ:
		put_number(name, &strata_linux_softirqs, span->number);
		snprintf(text, NAME, "softirq %.110s", name);
		break;
	case STRATA_SPAN_EVTCHN:
		snprintf(text, NAME, "port %" PRIu64, span->number);
		break;
	case STRATA_SPAN_GRANT:
		snprintf(text, NAME, "grant %" PRIu64, span->number);
		break;
	case STRATA_SPAN_GRANT_COPY:
		snprintf(text, NAME, "%" PRIu64 " bytes copied", span->number);
		break;
	case STRATA_SPAN_LOCK:
		snprintf(text, NAME, "%.100s 0x%" PRIx64, name, span->number);
		break;
	case STRATA_SPAN_WAKEUP:
	case STRATA_SPAN_PREEMPTED:
		strata_report_task_name(name, span->task);
		snprintf(text, NAME, "%.100s%s", name,
			 span->kind == STRATA_SPAN_PREEMPTED ? " preempted" : "");
		break;
	default:
		snprintf(text, NAME, "%s", name);
	}
}

uint64_t strata_report_owner(const struct strata_shown *shown, size_t trace,
			     const struct strata_vcpu *vcpu)
{
	const uint64_t domain = vcpu ? (vcpu->domain & 0xffff) + 1 : 0;

	return (uint64_t)shown->holders.of[trace] << 32 | domain;
}

uint64_t strata_report_span_owner(const struct strata_shown *shown, const struct strata_span *span)
{
	return strata_report_owner(shown, span->trace, span->vcpu);
}

static void put_of(char *text, const struct span_report *report, const struct strata_span *span)
{
	const struct strata_shown *shown = report->report.shown;

	if (span->vcpu)
		strata_report_vcpu_name(text, shown, span->trace, span->vcpu);
	else
		snprintf(text, NAME, "%s", shown->sources[span->trace].name);
}

/* Identifies the row of a span without building its names. */
static uint64_t id_of(const struct strata_span *span)
{
	uint64_t id = strata_identity_add(strata_identity_add(0, span->kind), span->trace);

	id = strata_identity_add(id, (uintptr_t)span->vcpu);
	if (span->kind == STRATA_SPAN_WAKEUP || span->kind == STRATA_SPAN_PREEMPTED)
		id = strata_identity_add(id, (uintptr_t)span->task);
	else if (span->kind != STRATA_SPAN_REQUEST)
		id = strata_identity_add(id, span->number);
	if (span->name)
		id = strata_identity_add_text(id, span->name, span->name_bytes);
	return id;
}

static struct row *add_row(struct span_report *report, const char *of, const char *what,
			   uint64_t id)
{
	struct row *row = strata_id_rows_add(&report->rows, id, sizeof(*row));

	if (!row)
		return NULL;
	row->of = strdup(of);
	row->what = strdup(what);
	report->rows.no_memory |= !row->of || !row->what;
	return row;
}

/* Returns the row of an owner's spans beyond its share. */
static struct row *row_of_others(struct span_report *report, const struct strata_span *span,
				 uint64_t owner)
{
	/* No span has an id of two parts. */
	const uint64_t id = strata_identity_add(strata_identity_add(0, owner), ROWS_MAX);
	struct row *row = strata_id_rows_find(&report->rows, id);

	return row ? row
		   : add_row(report, report->report.shown->sources[span->trace].name, "others", id);
}

/* Adds a row for a span, or returns the shared row of its owner. */
static struct row *new_row(struct span_report *report, const struct strata_span *span, uint64_t id)
{
	const uint64_t owner = strata_report_span_owner(report->report.shown, span);
	char of[NAME], what[NAME];

	if (!strata_shares_take(&report->shares, owner, ROWS_MAX))
		return row_of_others(report, span, owner);
	put_of(of, report, span);
	strata_report_span_name(what, report->report.shown, span);
	return add_row(report, of, what, id);
}

/* Whether this is the VM exit of a vCPU that spun for long. */
static bool is_pause(const struct span_report *report, const struct strata_span *span)
{
	const struct strata_number_names *names;
	const char *name;

	/* PAUSE exits in Intel's and AMD's numbering. */
	if (span->number != 40 && span->number != 0x77)
		return false;
	names = exit_names(report->report.shown->set->traces[span->trace]);
	name = names ? strata_number_name(names, span->number) : NULL;
	return name && strcmp(name, "pause") == 0;
}

static void span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct span_report *report = (struct span_report *)listener;
	struct row *row;
	uint64_t id;

	/* The length of a partial span would be misleading. */
	if (span->from_ns < report->report.from_ns || span->to_ns > report->report.to_ns)
		return;
	if (report->is_of_locks && span->kind == STRATA_SPAN_EXIT && !is_pause(report, span))
		return;
	id = id_of(span);
	row = strata_id_rows_find(&report->rows, id);
	if (!row)
		row = new_row(report, span, id);
	if (!row)
		return;
	if (strata_histogram_add(&row->lengths, span->to_ns - span->from_ns))
		report->rows.no_memory = true;
	if (span->bound_ns > row->bound_ns)
		row->bound_ns = span->bound_ns;
	if (span->split && span->task)
		strata_parts_add(row->parts, span->split);
	else if (span->split)
		strata_parts_add_vcpu(row->parts, span->split);
	/* The parts must sum to the whole. */
	if (!span->split)
		row->parts[STRATA_PART_UNKNOWN] += span->to_ns - span->from_ns;
	row->has_parts |= span->split != NULL;
	row->others_waited_ns += span->others_waited_ns;
}

enum {
	COLUMN_OF,
	COLUMN_WHAT,
	COLUMN_COUNT,
	COLUMN_TOTAL,
	COLUMN_LEAST,
	COLUMN_MEAN,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_GREATEST,
	COLUMN_BOUND,
	COLUMN_PARTS,
	COLUMN_OTHERS = COLUMN_PARTS + STRATA_NR_PARTS, /* in the report on locks only */
	NR_COLUMNS,
};

static const struct strata_table_column columns[NR_COLUMNS] = {
	[COLUMN_OF] = { "of", "of", STRATA_CELL_TEXT },
	[COLUMN_WHAT] = { "what", "what", STRATA_CELL_TEXT },
	[COLUMN_COUNT] = { "count", "count", STRATA_CELL_COUNT },
	[COLUMN_TOTAL] = { "total_ns", "total", STRATA_CELL_NS },
	[COLUMN_LEAST] = { "least_ns", "least", STRATA_CELL_NS },
	[COLUMN_MEAN] = { "mean_ns", NULL, STRATA_CELL_NS },
	[COLUMN_P50] = { "p50_ns", "p50", STRATA_CELL_NS },
	[COLUMN_P99] = { "p99_ns", "p99", STRATA_CELL_NS },
	[COLUMN_GREATEST] = { "greatest_ns", "greatest", STRATA_CELL_NS },
	[COLUMN_BOUND] = { "bound_ns", "bound", STRATA_CELL_BOUND },
	[COLUMN_PARTS + STRATA_PART_RUNS] = { "runs_ns", "runs", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_QUEUED] = { "queued_ns", "queued", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_XEN] = { "in_xen_ns", "in Xen", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_STOLEN] = { "stolen_ns", "stolen", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_ASLEEP] = { "vcpu_asleep_ns", "vCPU asleep", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_PAUSED] = { "vcpu_paused_ns", "paused", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_BLOCKED] = { "blocked_ns", "blocked", STRATA_CELL_NS },
	[COLUMN_PARTS + STRATA_PART_UNKNOWN] = { "unknown_ns", "unknown", STRATA_CELL_NS },
	[COLUMN_OTHERS] = { "others_stolen_ns", "others stolen", STRATA_CELL_NS },
};

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct span_report *report = (struct span_report *)base;
	struct strata_table *table = &tables[0];
	size_t i, j;

	*nr = 1;
	if (report->rows.no_memory)
		return -1;
	strata_table_init(table, report->key, report->title, columns,
			  report->is_of_locks ? NR_COLUMNS : COLUMN_OTHERS);
	for (i = 0; i < report->rows.nr; i++) {
		struct row *row = report->rows.all[i];
		struct strata_histogram *lengths = &row->lengths;
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return -1;
		strata_table_text(table, &cells[COLUMN_OF], row->of);
		strata_table_text(table, &cells[COLUMN_WHAT], row->what);
		strata_cell_set(&cells[COLUMN_COUNT], lengths->count);
		strata_cell_set(&cells[COLUMN_TOTAL], lengths->sum);
		strata_cell_set(&cells[COLUMN_LEAST], lengths->least);
		strata_cell_set(&cells[COLUMN_MEAN], lengths->sum / lengths->count);
		strata_cell_set(&cells[COLUMN_P50], strata_histogram_percentile(lengths, 500000));
		strata_cell_set(&cells[COLUMN_P99], strata_histogram_percentile(lengths, 990000));
		strata_cell_set(&cells[COLUMN_GREATEST], lengths->greatest);
		if (row->bound_ns != UINT64_MAX)
			strata_cell_set(&cells[COLUMN_BOUND], row->bound_ns);
		for (j = 0; row->has_parts && j < STRATA_NR_PARTS; j++)
			strata_cell_set(&cells[COLUMN_PARTS + j], row->parts[j]);
		if (report->is_of_locks && row->others_waited_ns)
			strata_cell_set(&cells[COLUMN_OTHERS], row->others_waited_ns);
	}
	strata_table_sort(table, COLUMN_TOTAL);
	return table->no_memory ? -1 : 0;
}

static void clear_row(void *data)
{
	struct row *row = data;

	free(row->of);
	free(row->what);
	strata_histogram_clear(&row->lengths);
}

static void free_report(struct strata_report *base)
{
	struct span_report *report = (struct span_report *)base;

	strata_id_rows_clear(&report->rows, clear_row);
	strata_shares_clear(&report->shares);
	free(report);
}

static struct strata_report *new_report(unsigned int kinds, const char *key, const char *title)
{
	struct span_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.span = span;
	report->report.make = make;
	report->report.free = free_report;
	report->report.listener.kinds = kinds;
	report->key = key;
	report->title = title;
	return &report->report;
}

struct strata_report *strata_report_exits(void)
{
	return new_report(1u << STRATA_SPAN_EXIT, "exits", "VM exits, from exit to entry");
}

struct strata_report *strata_report_hypercalls(void)
{
	return new_report(1u << STRATA_SPAN_HYPERCALL, "hypercalls",
			  "Hypercalls, from the call to its return");
}

struct strata_report *strata_report_syscalls(void)
{
	return new_report(1u << STRATA_SPAN_SYSCALL, "syscalls", "System calls");
}

struct strata_report *strata_report_irqs(void)
{
	return new_report(1u << STRATA_SPAN_IRQ | 1u << STRATA_SPAN_SOFTIRQ, "irqs",
			  "Handlers of interrupts and softirqs");
}

struct strata_report *strata_report_wakeups(void)
{
	return new_report(1u << STRATA_SPAN_WAKEUP | 1u << STRATA_SPAN_PREEMPTED, "wakeups",
			  "From a wake-up, or a preemption, until the task runs");
}

struct strata_report *strata_report_requests(void)
{
	return new_report(1u << STRATA_SPAN_REQUEST, "requests", "Requests, from begin to end");
}

struct strata_report *strata_report_locks(void)
{
	struct strata_report *report =
		new_report(1u << STRATA_SPAN_LOCK | 1u << STRATA_SPAN_EXIT, "locks",
			   "Locks that tasks waited for, and VM exits of vCPUs that spun");

	if (report)
		((struct span_report *)report)->is_of_locks = true;
	return report;
}
