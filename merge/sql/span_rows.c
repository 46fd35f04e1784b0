// SPDX-License-Identifier: GPL-2.0-or-later
/* span_rows.c - see span_rows.h. */
#include "sql/span_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/escape.h"
#include "linux/syscall_names.h"

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

/* Copies the system call in which the task is blocked. */
static void copy_block(struct sql_span_row *row, const struct strata_task_block *block)
{
	const char *name;

	if (!block->in_syscall)
		return;
	if (block->syscall_name) {
		strata_escape_name(row->blocked_in, sizeof(row->blocked_in), block->syscall_name);
		return;
	}
	name = strata_number_name(&strata_linux_syscalls, block->syscall);
	if (name)
		snprintf(row->blocked_in, sizeof(row->blocked_in), "%s", name);
	else
		snprintf(row->blocked_in, sizeof(row->blocked_in), "%" PRIu64, block->syscall);
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
		.granter = span->kind == STRATA_SPAN_GRANT || span->kind == STRATA_SPAN_GRANT_COPY
				   ? span->domain
				   : STRATA_SHOWN_UNKNOWN,
		.tid = STRATA_SHOWN_UNKNOWN,
		.number = span->number,
		.others_waited_ns = span->others_waited_ns,
	};
	if (span->task)
		copy_task(row, span->task);
	if (span->vcpu)
		copy_vcpu(row, span->vcpu);
	if (span->kind == STRATA_SPAN_IRQ || span->kind == STRATA_SPAN_SOFTIRQ) {
		row->cpu = span->cpu;
		row->domain = shown->sources[span->trace].domain;
	}
	if (span->kind == STRATA_SPAN_EVTCHN)
		row->cpu = span->cpu;
	if (span->block)
		copy_block(row, span->block);
	if (row->cpu == STRATA_NO_PCPU)
		row->cpu = STRATA_SHOWN_UNKNOWN;
	strata_report_span_name(row->name, shown, span);
	if (span->split) {
		row->has_parts = true;
		strata_parts_add(row->parts, span->split);
	} else if (span->kind == STRATA_SPAN_REQUEST) {
		/* The task that did it is not known. */
		row->has_parts = true;
		row->parts[STRATA_PART_UNKNOWN] = span->to_ns - span->from_ns;
	}
}

static void take_span(struct strata_span_listener *listener, const struct strata_span *span)
{
	struct sql_span_rows *rows = (struct sql_span_rows *)listener;

	if (!STRATA_GROW(rows->rows, rows->nr, rows->room)) {
		rows->no_memory = true;
		return;
	}
	copy(&rows->rows[rows->nr++], rows->shown, span);
}

void sql_span_rows_init(struct sql_span_rows *rows, const struct strata_shown *shown,
			uint32_t kinds)
{
	memset(rows, 0, sizeof(*rows));
	rows->listener = (struct strata_span_listener){ .kinds = kinds, .span = take_span };
	rows->shown = shown;
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
