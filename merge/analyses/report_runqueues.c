// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_runqueues.c - the report on queues: how many tasks wait for each CPU of a kernel, how many
 * vCPUs wait for physical CPUs, and for how long.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyses/report.h"
#include "base/id_rows.h"

/* Queue lengths that have a column: 0, 1, 2, and all longer ones. */
#define LENGTHS 4u

struct row {
	size_t trace, machine;
	uint32_t cpu; /* STRATA_NO_CPU: the physical CPUs */
	uint64_t ns[LENGTHS];
	uint64_t waited_ns; /* of all waiters */
	uint64_t greatest;
};

struct queues_report {
	struct strata_report report;
	struct strata_id_rows rows;
};

static struct row *row_of(struct queues_report *report, const struct strata_queue_span *queue)
{
	const bool of_vcpus = queue->cpu == STRATA_NO_CPU;
	/* vCPUs are counted per machine, whichever of its traces reports them. */
	const uint64_t id = (uint64_t)(of_vcpus ? queue->machine : queue->trace) << 32 | queue->cpu;
	struct row *row = strata_id_rows_find(&report->rows, id);

	if (row)
		return row;
	row = strata_id_rows_add(&report->rows, id, sizeof(*row));
	if (!row)
		return NULL;
	row->trace = queue->trace;
	row->machine = queue->machine;
	row->cpu = queue->cpu;
	return row;
}

static void take(struct strata_span_listener *listener, const struct strata_queue_span *queue)
{
	struct queues_report *report = (struct queues_report *)listener;
	const uint64_t length = strata_report_length(&report->report, queue->from_ns, queue->to_ns);
	struct row *row = length ? row_of(report, queue) : NULL;

	if (!row)
		return;
	row->ns[queue->waiting < LENGTHS ? queue->waiting : LENGTHS - 1] += length;
	row->waited_ns += length * queue->waiting;
	if (queue->waiting > row->greatest)
		row->greatest = queue->waiting;
}

/* The report uses only queue changes, no spans. */
static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	(void)listener;
	(void)span;
}

static const struct strata_table_column columns[] = {
	{ "of", "of", STRATA_CELL_TEXT },
	{ "cpu", "for", STRATA_CELL_TEXT },
	{ "waited_ns", "waited", STRATA_CELL_NS },
	{ "greatest", "most", STRATA_CELL_COUNT },
	{ "waiting_share", "any wait", STRATA_CELL_SHARE },
	{ "none_ns", "none", STRATA_CELL_NS },
	{ "one_ns", "one", STRATA_CELL_NS },
	{ "two_ns", "two", STRATA_CELL_NS },
	{ "more_ns", "longer", STRATA_CELL_NS },
};

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct queues_report *report = (struct queues_report *)base;
	struct strata_table *table = &tables[0];
	char text[STRATA_REPORT_NAME];
	size_t i, j;

	*nr = 1;
	strata_table_init(table, "runqueues", "How many wait for a CPU", columns,
			  sizeof(columns) / sizeof(columns[0]));
	for (i = 0; i < report->rows.nr; i++) {
		const struct row *row = report->rows.all[i];
		struct strata_cell *cells = strata_table_add(table);
		uint64_t whole = 0;

		if (!cells)
			return -1;
		for (j = 0; j < LENGTHS; j++)
			whole += row->ns[j];
		strata_table_text(table, &cells[0], report->report.shown->sources[row->trace].name);
		if (row->cpu == STRATA_NO_CPU)
			snprintf(text, sizeof(text), "physical CPUs");
		else
			snprintf(text, sizeof(text), "CPU %" PRIu32, row->cpu);
		strata_table_text(table, &cells[1], text);
		strata_cell_set(&cells[2], row->waited_ns);
		strata_cell_set(&cells[3], row->greatest);
		strata_cell_set(&cells[4], strata_share(whole - row->ns[0], whole));
		for (j = 0; j < LENGTHS; j++)
			strata_cell_set(&cells[5 + j], row->ns[j]);
	}
	strata_table_sort(table, 2);
	return table->no_memory || report->rows.no_memory ? -1 : 0;
}

static void free_report(struct strata_report *base)
{
	struct queues_report *report = (struct queues_report *)base;

	strata_id_rows_clear(&report->rows, NULL);
	free(report);
}

struct strata_report *strata_report_runqueues(void)
{
	struct queues_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	/* This bit belongs to no kind: the report wants no spans. */
	report->report.listener.kinds = 1u << STRATA_NR_SPANS;
	report->report.listener.span = take_span;
	report->report.listener.queue = take;
	report->report.make = make;
	report->report.free = free_report;
	return &report->report;
}
