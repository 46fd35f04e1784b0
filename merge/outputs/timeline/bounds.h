/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bounds.h - the bound of each source's times as a step function of time. The number of steps is
 * limited: joined steps get the larger bound.
 */
#ifndef STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H
#define STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRATA_BOUND_STEPS 1000u

struct strata_bounds {
	size_t nr;
	uint64_t least_ns; /* least distance of steps */
	struct strata_bound_step {
		uint64_t from_ns, bound_ns;
	} steps[STRATA_BOUND_STEPS];
};

/* Adds a bound at a time, not before earlier ones. */
void strata_bounds_add(struct strata_bounds *bounds, uint64_t ns, uint64_t bound_ns);

#endif /* STRATA_MERGE_OUTPUTS_TIMELINE_BOUNDS_H */
