// SPDX-License-Identifier: GPL-2.0-or-later
/* report_steal.c - the report on vCPUs: how long each waited for a physical CPU, and behind
 * whom. */
#include <stdlib.h>

#include "analyses/report.h"
#include "analyses/report_sums.h"

#define NAME STRATA_REPORT_NAME

struct steal_report {
	struct strata_report report;
	struct strata_id_rows vcpus, behind;
};

static void span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct steal_report *report = (struct steal_report *)listener;
	struct strata_sum *sum;
	const uint64_t length = strata_report_length(&report->report, span->from_ns, span->to_ns);

	if (length == 0 || span->vcpu->domain == STRATA_DOMID_IDLE)
		return;
	if (span->kind == STRATA_SPAN_BEHIND) {
		sum = strata_sums_get(&report->behind, span->vcpu, span->other, span->trace);
		if (!sum)
			return;
		sum->ns += length;
		sum->times++;
		return;
	}
	sum = strata_sums_get(&report->vcpus, span->vcpu, NULL, span->trace);
	if (!sum)
		return;
	sum->by_state[span->number] += length;
	if (span->number == STRATA_VCPU_RUNNABLE && length == span->to_ns - span->from_ns)
		strata_sums_add_length(&report->vcpus, sum, length);
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

static void make_vcpus(const struct steal_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "vcpus", "vCPUs: waiting is for a physical CPU", vcpu_columns,
			  sizeof(vcpu_columns) / sizeof(vcpu_columns[0]));
	for (i = 0; i < report->vcpus.nr; i++) {
		struct strata_sum *sum = report->vcpus.all[i];
		const uint64_t running = sum->by_state[STRATA_VCPU_GUEST],
			       waiting = sum->by_state[STRATA_VCPU_RUNNABLE];
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(
			table, &cells[0],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->a));
		strata_cell_set(&cells[1], running);
		strata_cell_set(&cells[2], waiting);
		/* Share of the time in which it wanted to run. */
		strata_cell_set(&cells[3], strata_share(waiting, running + waiting));
		strata_cell_set(&cells[4], sum->by_state[STRATA_VCPU_BLOCKED]);
		strata_cell_set(&cells[5], sum->by_state[STRATA_VCPU_OFFLINE]);
		strata_cell_set(&cells[6], sum->by_state[STRATA_VCPU_UNKNOWN]);
		strata_cell_set(&cells[7], sum->lengths ? sum->lengths->count : 0);
		if (!sum->lengths)
			continue;
		strata_cell_set(&cells[8], strata_histogram_percentile(sum->lengths, 500000));
		strata_cell_set(&cells[9], strata_histogram_percentile(sum->lengths, 990000));
		strata_cell_set(&cells[10], sum->lengths->greatest);
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

static void make_behind(struct steal_report *report, struct strata_table *table)
{
	char name[NAME];
	size_t i;

	strata_table_init(table, "behind", "Behind whom they waited", behind_columns,
			  sizeof(behind_columns) / sizeof(behind_columns[0]));
	for (i = 0; i < report->behind.nr; i++) {
		struct strata_sum *sum = report->behind.all[i];
		const struct strata_sum *whole =
			strata_sums_get(&report->vcpus, sum->a, NULL, sum->trace);
		struct strata_cell *cells = strata_table_add(table);

		if (!cells)
			return;
		strata_table_text(
			table, &cells[0],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->a));
		strata_table_text(
			table, &cells[1],
			strata_report_vcpu_name(name, report->report.shown, sum->trace, sum->b));
		strata_cell_set(&cells[2], sum->ns);
		if (whole)
			strata_cell_set(
				&cells[3],
				strata_share(sum->ns, whole->by_state[STRATA_VCPU_RUNNABLE]));
		strata_cell_set(&cells[4], sum->times);
	}
	strata_table_sort(table, 2);
}

static int make(struct strata_report *base, struct strata_table *tables, size_t *nr)
{
	struct steal_report *report = (struct steal_report *)base;

	*nr = 2;
	make_vcpus(report, &tables[0]);
	make_behind(report, &tables[1]);
	return tables[0].no_memory || tables[1].no_memory || report->vcpus.no_memory ||
			       report->behind.no_memory
		       ? -1
		       : 0;
}

static void free_report(struct strata_report *base)
{
	struct steal_report *report = (struct steal_report *)base;

	strata_sums_clear(&report->vcpus);
	strata_sums_clear(&report->behind);
	free(report);
}

struct strata_report *strata_report_steal(void)
{
	struct steal_report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->report.listener.span = span;
	report->report.listener.kinds = 1u << STRATA_SPAN_VCPU | 1u << STRATA_SPAN_BEHIND;
	report->report.make = make;
	report->report.free = free_report;
	return &report->report;
}
