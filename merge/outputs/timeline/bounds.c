// SPDX-License-Identifier: GPL-2.0-or-later
/* bounds.c - see bounds.h. */
#include "outputs/timeline/bounds.h"

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Joins each pair of neighbouring steps. */
static void halve(struct strata_bounds *bounds)
{
	size_t i;

	for (i = 0; i < bounds->nr / 2; i++) {
		const struct strata_bound_step *a = &bounds->steps[2 * i], *b = a + 1;

		bounds->steps[i] = (struct strata_bound_step){
			a->from_ns,
			greater(a->bound_ns, b->bound_ns),
		};
	}
	bounds->nr /= 2;
	bounds->least_ns = (bounds->steps[bounds->nr - 1].from_ns - bounds->steps[0].from_ns) /
			   (STRATA_BOUND_STEPS / 2);
}

void strata_bounds_add(struct strata_bounds *bounds, uint64_t ns, uint64_t bound_ns)
{
	struct strata_bound_step *last = bounds->nr ? &bounds->steps[bounds->nr - 1] : NULL;

	if (last && last->bound_ns == bound_ns)
		return;
	if (last && ns - last->from_ns <= bounds->least_ns) {
		last->bound_ns = greater(last->bound_ns, bound_ns);
		return;
	}
	if (bounds->nr == STRATA_BOUND_STEPS)
		halve(bounds);
	bounds->steps[bounds->nr++] = (struct strata_bound_step){ ns, bound_ns };
}
