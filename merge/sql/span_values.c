// SPDX-License-Identifier: GPL-2.0-or-later
/* span_values.c - see span_values.h. */
#include "sql/span_values.h"

#include <string.h>

#include "sql/value.h"

/* Spans of vCPUs count STRATA_VCPU_XEN as STRATA_VCPU_GUEST. */
static const char *const vcpu_states[STRATA_NR_VCPU_STATES] = {
	[STRATA_VCPU_GUEST] = "running",   [STRATA_VCPU_RUNNABLE] = "runnable",
	[STRATA_VCPU_BLOCKED] = "blocked", [STRATA_VCPU_OFFLINE] = "offline",
	[STRATA_VCPU_UNKNOWN] = "unknown",
};

static const char *const task_states[STRATA_NR_TASK_STATES] = {
	[STRATA_TASK_RUNNING] = "running",
	[STRATA_TASK_RUNNABLE] = "runnable",
	[STRATA_TASK_BLOCKED] = "blocked",
	[STRATA_TASK_UNKNOWN] = "unknown",
};

static void put_text(sqlite3_context *context, const char *text)
{
	if (text && *text)
		sql_result_text(context, text, strlen(text));
}

static void put_domain_name(sqlite3_context *context, const struct strata_sql *sql,
			    const struct sql_span_row *row, uint32_t domain)
{
	char text[STRATA_REPORT_NAME];

	if (domain != STRATA_SHOWN_UNKNOWN)
		put_text(context,
			 strata_report_domain_name(text, sql->options.shown, row->trace, domain));
}

static void put_state(sqlite3_context *context, const struct sql_span_row *row)
{
	if (row->kind == STRATA_SPAN_VCPU && row->number < STRATA_NR_VCPU_STATES)
		put_text(context, vcpu_states[row->number]);
	else if (row->kind == STRATA_SPAN_TASK && row->number < STRATA_NR_TASK_STATES)
		put_text(context, task_states[row->number]);
}

/* The other vCPU or task of a span: which had the pCPU, or which signalled. */
static void put_other(sqlite3_context *context, const struct sql_span_row *row,
		      enum strata_span_kind kind, uint32_t number)
{
	if (row->kind == kind)
		sql_result_u32(context, number);
}

static void put_part(sqlite3_context *context, const struct sql_span_row *row, unsigned int column)
{
	if (row->has_parts)
		sql_result_u64(context, row->parts[column - SPAN_PARTS]);
}

void sql_span_value(sqlite3_context *context, const struct strata_sql *sql,
		    const struct sql_span_row *row, enum sql_span_column column)
{
	switch (column) {
	case SPAN_TIME:
		sql_result_u64(context, row->from_ns);
		break;
	case SPAN_END:
		sql_result_u64(context, row->to_ns);
		break;
	case SPAN_NS:
		sql_result_u64(context, row->to_ns > row->from_ns ? row->to_ns - row->from_ns : 0);
		break;
	case SPAN_BOUND:
		sql_result_bound(context, row->bound_ns);
		break;
	case SPAN_TIME_BOUND:
		sql_result_bound(context, row->from_bound_ns);
		break;
	case SPAN_END_BOUND:
		sql_result_bound(context, row->to_bound_ns);
		break;
	case SPAN_HOST:
		put_text(context, sql->hosts[row->trace]);
		break;
	case SPAN_SOURCE:
		put_text(context, sql->sources[row->trace]);
		break;
	case SPAN_DOMAIN:
		sql_result_u32(context, row->domain);
		break;
	case SPAN_DOMAIN_NAME:
		put_domain_name(context, sql, row, row->domain);
		break;
	case SPAN_VCPU:
		sql_result_u32(context, row->vcpu);
		break;
	case SPAN_PCPU:
		sql_result_u32(context, row->pcpu);
		break;
	case SPAN_CPU:
		sql_result_u32(context, row->cpu);
		break;
	case SPAN_TID:
		sql_result_u32(context, row->tid);
		break;
	case SPAN_TASK:
		if (row->comm[0])
			sql_result_text(context, row->comm, strnlen(row->comm, sizeof(row->comm)));
		break;
	case SPAN_KIND:
		put_text(context, sql_span_kind_name(row->kind));
		break;
	case SPAN_STATE:
		put_state(context, row);
		break;
	case SPAN_NUMBER:
		if (sql_span_has_number(row->kind))
			sql_result_u64(context, row->number);
		break;
	case SPAN_NAME:
		put_text(context, row->name);
		break;
	case SPAN_BLOCKED_IN:
		put_text(context, row->blocked_in);
		break;
	case SPAN_BYTES:
		if (row->kind == STRATA_SPAN_GRANT_COPY)
			sql_result_u64(context, row->number);
		break;
	case SPAN_BEHIND_DOMAIN:
		put_other(context, row, STRATA_SPAN_BEHIND, row->other_domain);
		break;
	case SPAN_BEHIND_DOMAIN_NAME:
		if (row->kind == STRATA_SPAN_BEHIND)
			put_domain_name(context, sql, row, row->other_domain);
		break;
	case SPAN_BEHIND_VCPU:
		put_other(context, row, STRATA_SPAN_BEHIND, row->other_vcpu);
		break;
	case SPAN_SENDER_DOMAIN:
		put_other(context, row, STRATA_SPAN_EVTCHN, row->other_domain);
		break;
	case SPAN_SENDER_DOMAIN_NAME:
		if (row->kind == STRATA_SPAN_EVTCHN)
			put_domain_name(context, sql, row, row->other_domain);
		break;
	case SPAN_SENDER_VCPU:
		put_other(context, row, STRATA_SPAN_EVTCHN, row->other_vcpu);
		break;
	case SPAN_GRANTER:
		sql_result_u32(context, row->granter);
		break;
	case SPAN_GRANTER_NAME:
		put_domain_name(context, sql, row, row->granter);
		break;
	case SPAN_OTHERS_WAITED:
		if (row->kind == STRATA_SPAN_LOCK)
			sql_result_u64(context, row->others_waited_ns);
		break;
	default:
		put_part(context, row, column);
	}
}
