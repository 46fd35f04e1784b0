/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * times.h - arithmetic on times that are divided by the state of a vCPU: a row of nanoseconds has
 * one number for each state, and a split has one row for each state of a task.
 *
 * Each span divides its time in this way, and each event adds to such rows: two numbers at once,
 * which every processor can that this is compiled for.
 */
#ifndef STRATA_MERGE_STATE_TIMES_H
#define STRATA_MERGE_STATE_TIMES_H

#include "state/span.h"

/* Two of the numbers of a row. */
typedef uint64_t strata_times_pair __attribute__((vector_size(16), aligned(8), may_alias));

#define STRATA_TIMES_PAIRS (STRATA_NR_VCPU_STATES / 2u)
_Static_assert(STRATA_NR_VCPU_STATES % 2 == 0, "a row is whole pairs");

static inline void strata_times_add(uint64_t *ns, const uint64_t *more)
{
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < STRATA_TIMES_PAIRS; i++)
		((strata_times_pair *)ns)[i] += ((const strata_times_pair *)more)[i];
}

static inline void strata_times_subtract(uint64_t *ns, const uint64_t *less)
{
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < STRATA_TIMES_PAIRS; i++)
		((strata_times_pair *)ns)[i] -= ((const strata_times_pair *)less)[i];
}

/* Adds the time from @before to @after, and returns the sum of what it added. */
static inline uint64_t strata_times_add_between(uint64_t *ns, const uint64_t *before,
						const uint64_t *after)
{
	strata_times_pair sum = { 0 };
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < STRATA_TIMES_PAIRS; i++) {
		const strata_times_pair passed = ((const strata_times_pair *)after)[i] -
						 ((const strata_times_pair *)before)[i];

		((strata_times_pair *)ns)[i] += passed;
		sum += passed;
	}
	return sum[0] + sum[1];
}

/* The time since @before. */
static inline void strata_split_since(struct strata_split *split, const struct strata_split *before)
{
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < STRATA_NR_TASK_STATES; i++)
		strata_times_subtract(split->ns[i], before->ns[i]);
}

#endif /* STRATA_MERGE_STATE_TIMES_H */
