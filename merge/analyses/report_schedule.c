// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_schedule.c - the report on CPUs: which vCPUs ran on each physical CPU, and which tasks
 * had, or waited for, a CPU of their kernel.
 */
#include <stdlib.h>

#include "analyses/report.h"
#include "analyses/report_sums.h"

#define NAME STRATA_REPORT_NAME

struct schedule_report {
	struct strata_report report;
	struct strata_id_rows pcpus, tasks;
	struct strata_id_rows whole_pcpus; /* totals per pCPU, whatever ran */
};

static void take_pcpu(struct schedule_report *report, const struct strata_span *span,
		      uint64_t length)
{
	struct strata_sum *sum =
		strata_sums_get(&report->pcpus, span->pcpu, span->vcpu, span->trace);
	struct strata_sum *whole =
		strata_sums_get(&report->whole_pcpus, span->pcpu, NULL, span->trace);

	if (!sum || !whole)
		return;
	sum->ns += length;
	sum->times++;
	whole->ns += length;
}

static void take_task(struct schedule_report *report, const struct strata_span *span,
		      uint64_t length)
{
	struct strata_sum *sum = strata_sums_get(&report->tasks, span->task, NULL, span->trace);
	size_t i;

	if (!sum)
		return;
	if (span->number == STRATA_TASK_RUNNABLE) {
		sum->waiting_ns += length;
	} else if (span->number == STRATA_TASK_UNKNOWN) {
		sum->by_state[STRATA_VCPU_UNKNOWN] += length;
	} else if (span->number == STRATA_TASK_RUNNING && length != span->to_ns - span->from_ns) {
		/* How a partial span divides into its states is unknown. */
		sum->by_state[STRATA_VCPU_UNKNOWN] += length;
	} else if (span->number == STRATA_TASK_RUNNING) {
		for (i = 0; i < STRATA_NR_VCPU_STATES; i++)
			sum->by_state[i] += span->split->ns[STRATA_TASK_RUNNING][i];
		sum->times++;
	}
}

static void span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct schedule_report *report = (struct schedule_report *)listener;
	const uint64_t length = strata_report_length(&report->report, span->from_ns, span->to_ns);

	if (length == 0)
		return;
	if (span->kind == STRATA_SPAN_PCPU)
		take_pcpu(report, span, length);
	else if (span->task->tid != 0)
		take_task(report, span, length);
}

static const struct strata_table_column pcpu_columns[] = {
	{ "pcpu", "pCPU", STRATA_CELL_COUNT },   { "vcpu", "runs", STRATA_CELL_TEXT },
	{ "ns", "for", STRATA_CELL_NS },         { "share", "share", STRATA_CELL_SHARE },
	{ "times", "times", STRATA_CELL_COUNT },
};

static void make_pcpus(struct schedule_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "pcpus", "Physical CPUs", pcpu_columns,
			  sizeof(pcpu_columns) / sizeof(pcpu_columns[0]));
	for (i = 0; i < report->pcpus.nr; i++) {
		const struct strata_sum *sum = report->pcpus.all[i];
		const struct strata_sum *whole =
			strata_sums_get(&report->whole_pcpus, sum->a, NULL, sum->trace);
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_cell_set(&cells[0], ((const struct strata_pcpu *)sum->a)->number);
		strata_table_text(
			table, &cells[1],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->b));
		strata_cell_set(&cells[2], sum->ns);
		if (whole)
			strata_cell_set(&cells[3], strata_share(sum->ns, whole->ns));
		strata_cell_set(&cells[4], sum->times);
	}
	strata_table_sort(table, 2);
}

static const struct strata_table_column task_columns[] = {
	{ "source", "of", STRATA_CELL_TEXT },
	{ "task", "task", STRATA_CELL_TEXT },
	{ "runs_ns", "runs", STRATA_CELL_NS },
	{ "in_xen_ns", "in Xen", STRATA_CELL_NS },
	{ "stolen_ns", "stolen", STRATA_CELL_NS },
	{ "vcpu_asleep_ns", "vCPU asleep", STRATA_CELL_NS },
	{ "vcpu_paused_ns", "paused", STRATA_CELL_NS },
	{ "queued_ns", "waiting", STRATA_CELL_NS },
	{ "unknown_ns", "unknown", STRATA_CELL_NS },
	{ "times", "times", STRATA_CELL_COUNT },
};

static void make_tasks(const struct schedule_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "tasks", "Tasks that have a CPU of their kernel, or wait for one",
			  task_columns, sizeof(task_columns) / sizeof(task_columns[0]));
	for (i = 0; i < report->tasks.nr; i++) {
		const struct strata_sum *sum = report->tasks.all[i];
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(table, &cells[0], report->report.shown->sources[sum->trace].name);
		strata_table_text(table, &cells[1], strata_report_task_name(name, sum->a));
		strata_cell_set(&cells[2], sum->by_state[STRATA_VCPU_GUEST]);
		strata_cell_set(&cells[3], sum->by_state[STRATA_VCPU_XEN]);
		strata_cell_set(&cells[4], sum->by_state[STRATA_VCPU_RUNNABLE]);
		strata_cell_set(&cells[5], sum->by_state[STRATA_VCPU_BLOCKED]);
		strata_cell_set(&cells[6], sum->by_state[STRATA_VCPU_OFFLINE]);
		strata_cell_set(&cells[7], sum->waiting_ns);
		strata_cell_set(&cells[8], sum->by_state[STRATA_VCPU_UNKNOWN]);
		strata_cell_set(&cells[9], sum->times);
	}
	strata_table_sort(table, 2);
}

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct schedule_report *report = (struct schedule_report *)base;

	*nr = 2;
	make_pcpus(report, &tables[0]);
	make_tasks(report, &tables[1]);
	return tables[0].no_memory || tables[1].no_memory || report->pcpus.no_memory ||
			       report->tasks.no_memory || report->whole_pcpus.no_memory
		       ? -1
		       : 0;
}

static void free_report(struct strata_report *base)
{
	struct schedule_report *report = (struct schedule_report *)base;

	strata_sums_clear(&report->pcpus);
	strata_sums_clear(&report->tasks);
	strata_sums_clear(&report->whole_pcpus);
	free(report);
}

struct strata_report *strata_report_schedule(void)
{
	struct schedule_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.span = span;
	report->report.listener.kinds = 1u << STRATA_SPAN_PCPU | 1u << STRATA_SPAN_TASK;
	report->report.make = make;
	report->report.free = free_report;
	return &report->report;
}
