/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bounds.h - by how much each source's times may be off, as a step function of time with a bounded
 * number of steps: where steps are joined, the greatest bound stays.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_BOUND_STEPS 1000u

struct strata_bounds {
	size_t nr;
	uint64_t least_ns; /* between steps */
	struct strata_bound_step {
		uint64_t from_ns, bound_ns;
	} steps[STRATA_BOUND_STEPS];
};

/* Adds a bound at a time, no earlier than those before. */
void strata_bounds_add(struct strata_bounds *bounds, uint64_t ns, uint64_t bound_ns);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H */
