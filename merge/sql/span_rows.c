// SPDX-License-Identifier: GPL-2.0-or-later
/* span_rows.c - see span_rows.h. */
#include "sql/span_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void copy_vcpu(struct sql_span_row *row, const struct strata_vcpu *vcpu)
{
	row->domain = vcpu->domain;
	row->vcpu = vcpu->number;
}

static void copy_task(struct sql_span_row *row, const struct strata_task *task)
{
	row->tid = task->tid;
	memcpy(row->comm, task->comm, sizeof(row->comm));
	row->cpu = task->cpu;
	if (task->kernel->domain != STRATA_NO_DOMAIN)
		row->domain = task->kernel->domain;
}

static void copy_parts(struct sql_span_row *row, const struct strata_split *split)
{
	size_t i, j;

	row->has_parts = true;
	for (i = 0; i < STRATA_NR_TASK_STATES; i++) {
		for (j = 0; j < STRATA_NR_VCPU_STATES; j++)
			row->parts[strata_part_of(i, j)] += split->ns[i][j];
	}
}

static void copy(struct sql_span_row *row, const struct strata_shown *shown,
		 const struct strata_span *span)
{
	*row = (struct sql_span_row){
		.kind = span->kind,
		.from_ns = span->from_ns,
		.to_ns = span->to_ns,
		.bound_ns = span->bound_ns,
		.trace = span->trace,
		.domain = STRATA_SHOWN_UNKNOWN,
		.vcpu = STRATA_SHOWN_UNKNOWN,
		.pcpu = span->pcpu ? span->pcpu->number : STRATA_SHOWN_UNKNOWN,
		.cpu = STRATA_SHOWN_UNKNOWN,
		.other_domain = span->other ? span->other->domain : STRATA_SHOWN_UNKNOWN,
		.other_vcpu = span->other ? span->other->number : STRATA_SHOWN_UNKNOWN,
		.tid = STRATA_SHOWN_UNKNOWN,
		.number = span->number,
	};
	if (span->task)
		copy_task(row, span->task);
	if (span->vcpu)
		copy_vcpu(row, span->vcpu);
	if (span->kind == STRATA_SPAN_IRQ || span->kind == STRATA_SPAN_SOFTIRQ) {
		row->cpu = span->cpu;
		row->domain = shown->sources[span->trace].domain;
	}
	if (row->cpu == STRATA_NO_PCPU)
		row->cpu = STRATA_SHOWN_UNKNOWN;
	strata_report_span_name(row->name, shown, span);
	if (span->split) {
		copy_parts(row, span->split);
	} else if (span->kind == STRATA_SPAN_REQUEST) {
		/* No task is known that did it. */
		row->has_parts = true;
		row->parts[STRATA_PART_UNKNOWN] = span->to_ns - span->from_ns;
	}
}

static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct sql_span_rows *rows = (struct sql_span_rows *)listener;

	if (!(rows->kinds & 1u << span->kind))
		return;
	if (!STRATA_GROW(rows->rows, rows->nr, rows->room)) {
		rows->no_memory = true;
		return;
	}
	copy(&rows->rows[rows->nr++], rows->shown, span);
}

void sql_span_rows_init(struct sql_span_rows *rows, const struct strata_shown *shown,
			unsigned int kinds)
{
	memset(rows, 0, sizeof(*rows));
	rows->listener.span = take_span;
	rows->shown = shown;
	rows->kinds = kinds;
}

void sql_span_rows_clear(struct sql_span_rows *rows)
{
	free(rows->rows);
	memset(rows, 0, sizeof(*rows));
}

const struct sql_span_row *sql_span_rows_take(struct sql_span_rows *rows)
{
	if (rows->next == rows->nr) {
		rows->next = rows->nr = 0;
		return NULL;
	}
	return &rows->rows[rows->next++];
}
