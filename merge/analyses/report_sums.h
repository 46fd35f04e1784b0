/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report_sums.h - sums of times for reports, by a key of one or two objects: a vCPU, a task, or a
 * waiter and what it waited behind.
 */
#ifndef STRATA_MERGE_REPORT_SUMS_H
#define STRATA_MERGE_REPORT_SUMS_H

#include "base/histogram.h"
#include "base/id_rows.h"
#include "state/vcpus.h"

struct strata_sum {
	const void *a, *b; /* the key */
	size_t trace;      /* index in the set of the trace that contains their events */
	uint64_t ns;
	uint64_t by_state[STRATA_NR_VCPU_STATES];
	uint64_t waiting_ns; /* of a task: for a CPU of its kernel */
	uint64_t times;
	struct strata_histogram *lengths; /* NULL: no length was added */
};

/*
 * Finds or adds the sum for a key (@b may be NULL).  NULL: out of memory.
 * @sums: rows of struct strata_sum; all-zero is empty
 */
struct strata_sum *strata_sums_get(struct strata_id_rows *sums, const void *a, const void *b,
				   size_t trace);

/* Adds a length to the histogram of a sum. */
void strata_sums_add_length(struct strata_id_rows *sums, struct strata_sum *sum, uint64_t length);

void strata_sums_clear(struct strata_id_rows *sums);

#endif /* STRATA_MERGE_REPORT_SUMS_H */
