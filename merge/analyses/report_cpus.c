// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report_cpus.c - reports on CPUs: who ran on each physical CPU, in which states vCPUs and tasks
 * were, and behind whom vCPUs waited.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/report.h"
#include "base/histogram.h"
#include "base/value_hash.h"

#define NAME STRATA_REPORT_NAME

/* Sums of times by two numbers that are the row, e.g. who waited and who ran. */
struct sum {
	const void *a, *b;
	size_t trace;
	uint64_t ns[STRATA_NR_VCPU_STATES];
	uint64_t switches;
	struct strata_histogram waits;
};

struct sums {
	struct strata_id_map map;
	struct sum **all;
	size_t nr, room;
	bool no_memory;
};

struct cpu_report {
	struct strata_report report;
	bool is_steal;
	struct sums vcpus, behind, pcpus, tasks;
	struct sums whole_pcpus; /* of each, whoever ran */
};

static struct sum *sum_of(struct sums *sums, const void *a, const void *b, size_t trace)
{
	const uint64_t hash = strata_hash_number(strata_hash_number(0, (uintptr_t)a), (uintptr_t)b);
	const uint64_t id = hash ^ hash >> 32;
	struct sum *sum = strata_id_map_find(&sums->map, id), **larger = sums->all;

	if (sum)
		return sum;
	if (sums->nr == sums->room) {
		sums->room = sums->room ? 2 * sums->room : 64;
		larger = reallocarray(sums->all, sums->room, sizeof(*larger));
		if (larger)
			sums->all = larger;
	}
	sum = calloc(1, sizeof(*sum));
	if (!sum || !larger || strata_id_map_add(&sums->map, id, sum)) {
		free(sum);
		sums->no_memory = true;
		return NULL;
	}
	sum->a = a;
	sum->b = b;
	sum->trace = trace;
	sums->all[sums->nr++] = sum;
	return sum;
}

static void clear_sums(struct sums *sums)
{
	size_t i;

	for (i = 0; i < sums->nr; i++) {
		strata_histogram_clear(&sums->all[i]->waits);
		free(sums->all[i]);
	}
	free(sums->all);
	strata_id_map_clear(&sums->map);
}

static void take_steal(struct cpu_report *report, const struct strata_span *span, uint64_t length)
{
	struct sum *sum;

	if (span->vcpu && span->vcpu->domain == STRATA_DOMID_IDLE)
		return;
	if (span->kind == STRATA_SPAN_VCPU) {
		sum = sum_of(&report->vcpus, span->vcpu, NULL, span->trace);
		if (!sum)
			return;
		sum->ns[span->number] += length;
		if (span->number == STRATA_VCPU_RUNNABLE && length == span->to_ns - span->from_ns &&
		    strata_histogram_add(&sum->waits, length))
			report->vcpus.no_memory = true;
	} else if (span->kind == STRATA_SPAN_BEHIND) {
		sum = sum_of(&report->behind, span->vcpu, span->other, span->trace);
		if (sum) {
			sum->ns[0] += length;
			sum->switches++;
		}
	}
}

static void take_schedule(struct cpu_report *report, const struct strata_span *span,
			  uint64_t length)
{
	struct sum *sum = NULL;
	size_t i;

	if (span->kind == STRATA_SPAN_PCPU)
		sum = sum_of(&report->pcpus, span->pcpu, span->vcpu, span->trace);
	if (sum) {
		sum->ns[0] += length;
		sum->switches++;
		sum = sum_of(&report->whole_pcpus, span->pcpu, NULL, span->trace);
	}
	if (sum)
		sum->ns[0] += length;
	if (span->kind != STRATA_SPAN_TASK || span->task->tid == 0)
		return;
	sum = sum_of(&report->tasks, span->task, NULL, span->trace);
	if (!sum)
		return;
	if (span->number == STRATA_TASK_UNKNOWN) {
		sum->ns[STRATA_VCPU_UNKNOWN] += length;
	} else if (span->number == STRATA_TASK_RUNNABLE) {
		sum->ns[STRATA_VCPU_OFFLINE] += length;
	} else if (span->number == STRATA_TASK_RUNNING && length != span->to_ns - span->from_ns) {
		/* A part of a span has a part of each of its times, which nobody knows. */
		sum->ns[STRATA_VCPU_UNKNOWN] += length;
	} else if (span->number == STRATA_TASK_RUNNING) {
		for (i = 0; i < STRATA_NR_VCPU_STATES; i++)
			sum->ns[i == STRATA_VCPU_OFFLINE ? STRATA_VCPU_RUNNABLE : i] +=
				span->split->ns[STRATA_TASK_RUNNING][i];
		sum->switches++;
	}
}

static void span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct cpu_report *report = (struct cpu_report *)listener;
	const uint64_t length = strata_report_length(&report->report, span);

	if (length == 0)
		return;
	if (report->is_steal)
		take_steal(report, span, length);
	else
		take_schedule(report, span, length);
}

/* Millionths of a whole. */
static uint64_t share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((unsigned __int128)part * 1000000u / whole) : 0;
}

static const struct strata_table_column vcpu_columns[] = {
	{ "vcpu", "vCPU", STRATA_CELL_TEXT },
	{ "running_ns", "running", STRATA_CELL_NS },
	{ "runnable_ns", "waiting", STRATA_CELL_NS },
	{ "runnable_share", "share", STRATA_CELL_SHARE },
	{ "blocked_ns", "blocked", STRATA_CELL_NS },
	{ "offline_ns", "offline", STRATA_CELL_NS },
	{ "unknown_ns", "unknown", STRATA_CELL_NS },
	{ "waits", "waits", STRATA_CELL_COUNT },
	{ "wait_p50_ns", "p50", STRATA_CELL_NS },
	{ "wait_p99_ns", "p99", STRATA_CELL_NS },
	{ "wait_greatest_ns", "greatest", STRATA_CELL_NS },
};

static void make_vcpus(const struct cpu_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "vcpus", "vCPUs: waiting is for a physical CPU", vcpu_columns,
			  sizeof(vcpu_columns) / sizeof(vcpu_columns[0]));
	for (i = 0; i < report->vcpus.nr; i++) {
		const struct sum *sum = report->vcpus.all[i];
		const uint64_t running = sum->ns[STRATA_VCPU_GUEST],
			       waiting = sum->ns[STRATA_VCPU_RUNNABLE];
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(
			table, &cells[0],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->a));
		strata_cell_set(&cells[1], running);
		strata_cell_set(&cells[2], waiting);
		/* Of the time in which it wanted to run. */
		strata_cell_set(&cells[3], share(waiting, running + waiting));
		strata_cell_set(&cells[4], sum->ns[STRATA_VCPU_BLOCKED]);
		strata_cell_set(&cells[5], sum->ns[STRATA_VCPU_OFFLINE]);
		strata_cell_set(&cells[6], sum->ns[STRATA_VCPU_UNKNOWN]);
		strata_cell_set(&cells[7], sum->waits.count);
		if (!sum->waits.count)
			continue;
		strata_cell_set(&cells[8], strata_histogram_percentile(&sum->waits, 500000));
		strata_cell_set(&cells[9], strata_histogram_percentile(&sum->waits, 990000));
		strata_cell_set(&cells[10], sum->waits.greatest);
	}
	strata_table_sort(table, 2);
}

static const struct strata_table_column behind_columns[] = {
	{ "waiter", "vCPU", STRATA_CELL_TEXT },
	{ "ran", "waited while there ran", STRATA_CELL_TEXT },
	{ "ns", "for", STRATA_CELL_NS },
	{ "share", "share", STRATA_CELL_SHARE },
	{ "times", "times", STRATA_CELL_COUNT },
};

static void make_behind(struct cpu_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "behind", "Behind whom they waited", behind_columns,
			  sizeof(behind_columns) / sizeof(behind_columns[0]));
	for (i = 0; i < report->behind.nr; i++) {
		const struct sum *sum = report->behind.all[i];
		const struct sum *whole = sum_of(&report->vcpus, sum->a, NULL, sum->trace);
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(
			table, &cells[0],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->a));
		strata_table_text(
			table, &cells[1],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->b));
		strata_cell_set(&cells[2], sum->ns[0]);
		if (whole)
			strata_cell_set(&cells[3],
					share(sum->ns[0], whole->ns[STRATA_VCPU_RUNNABLE]));
		strata_cell_set(&cells[4], sum->switches);
	}
	strata_table_sort(table, 2);
}

static const struct strata_table_column pcpu_columns[] = {
	{ "pcpu", "pCPU", STRATA_CELL_COUNT },   { "vcpu", "runs", STRATA_CELL_TEXT },
	{ "ns", "for", STRATA_CELL_NS },         { "share", "share", STRATA_CELL_SHARE },
	{ "times", "times", STRATA_CELL_COUNT },
};

static void make_pcpus(struct cpu_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "pcpus", "Physical CPUs", pcpu_columns,
			  sizeof(pcpu_columns) / sizeof(pcpu_columns[0]));
	for (i = 0; i < report->pcpus.nr; i++) {
		const struct sum *sum = report->pcpus.all[i];
		const struct sum *whole = sum_of(&report->whole_pcpus, sum->a, NULL, sum->trace);
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_cell_set(&cells[0], ((const struct strata_pcpu *)sum->a)->number);
		strata_table_text(
			table, &cells[1],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->b));
		strata_cell_set(&cells[2], sum->ns[0]);
		if (whole)
			strata_cell_set(&cells[3], share(sum->ns[0], whole->ns[0]));
		strata_cell_set(&cells[4], sum->switches);
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
	{ "queued_ns", "waiting", STRATA_CELL_NS },
	{ "unknown_ns", "unknown", STRATA_CELL_NS },
	{ "times", "times", STRATA_CELL_COUNT },
};

static void make_tasks(const struct cpu_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "tasks", "Tasks that have a CPU of their kernel, or wait for one",
			  task_columns, sizeof(task_columns) / sizeof(task_columns[0]));
	for (i = 0; i < report->tasks.nr; i++) {
		const struct sum *sum = report->tasks.all[i];
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(table, &cells[0], report->report.shown->sources[sum->trace].name);
		strata_table_text(table, &cells[1], strata_report_task_name(name, sum->a));
		strata_cell_set(&cells[2], sum->ns[STRATA_VCPU_GUEST]);
		strata_cell_set(&cells[3], sum->ns[STRATA_VCPU_XEN]);
		strata_cell_set(&cells[4], sum->ns[STRATA_VCPU_RUNNABLE]);
		strata_cell_set(&cells[5], sum->ns[STRATA_VCPU_BLOCKED]);
		strata_cell_set(&cells[6], sum->ns[STRATA_VCPU_OFFLINE]);
		strata_cell_set(&cells[7], sum->ns[STRATA_VCPU_UNKNOWN]);
		strata_cell_set(&cells[8], sum->switches);
	}
	strata_table_sort(table, 2);
}

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct cpu_report *report = (struct cpu_report *)base;

	if (report->is_steal) {
		make_vcpus(report, &tables[(*nr)++]);
		make_behind(report, &tables[(*nr)++]);
	} else {
		make_pcpus(report, &tables[(*nr)++]);
		make_tasks(report, &tables[(*nr)++]);
	}
	return tables[0].no_memory || tables[1].no_memory || report->vcpus.no_memory ||
			       report->behind.no_memory || report->pcpus.no_memory ||
			       report->tasks.no_memory || report->whole_pcpus.no_memory
		       ? -1
		       : 0;
}

static void free_report(struct strata_report *base)
{
	struct cpu_report *report = (struct cpu_report *)base;

	clear_sums(&report->vcpus);
	clear_sums(&report->behind);
	clear_sums(&report->pcpus);
	clear_sums(&report->tasks);
	clear_sums(&report->whole_pcpus);
	free(report);
}

static struct strata_report *new_report(bool is_steal)
{
	struct cpu_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.span = span;
	report->report.make = make;
	report->report.free = free_report;
	report->is_steal = is_steal;
	return &report->report;
}

struct strata_report *strata_report_steal(void)
{
	return new_report(true);
}

struct strata_report *strata_report_schedule(void)
{
	return new_report(false);
}
