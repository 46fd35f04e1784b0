/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * span_rows.h - turns spans of the state of hosts (state/span.h) into rows: a listener that queues
 * copies of the spans of some kinds.
 */
#ifndef STRATA_MERGE_SQL_SPAN_ROWS_H
#define STRATA_MERGE_SQL_SPAN_ROWS_H

#include "analyses/report.h"
#include "state/parts.h"

struct sql_span_row {
	enum strata_span_kind kind;
	uint64_t from_ns, to_ns, bound_ns;
	size_t trace;
	uint32_t domain, vcpu, pcpu, cpu; /* STRATA_SHOWN_UNKNOWN: none; likewise */
	uint32_t other_domain, other_vcpu;
	uint32_t granter;
	uint32_t tid;
	char comm[STRATA_TASK_COMM_BYTES];
	uint64_t number;
	uint64_t others_waited_ns; /* of a LOCK */
	char name[STRATA_REPORT_NAME];
	char blocked_in[STRATA_REPORT_NAME]; /* "": none, or not known */
	bool has_parts;
	uint64_t parts[STRATA_NR_PARTS];
};

struct sql_span_rows {
	struct strata_span_listener listener;
	const struct strata_shown *shown;
	struct sql_span_row *rows; /* a queue, from `next` on */
	size_t next, nr, room;
	bool no_memory;
};

/* @kinds: which spans to queue, as bits of enum strata_span_kind */
void sql_span_rows_init(struct sql_span_rows *rows, const struct strata_shown *shown,
			uint32_t kinds);
void sql_span_rows_clear(struct sql_span_rows *rows);

/* Dequeues a row, valid until the next call; NULL: the queue is empty. */
const struct sql_span_row *sql_span_rows_take(struct sql_span_rows *rows);

#endif /* STRATA_MERGE_SQL_SPAN_ROWS_H */
