/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * polygon.h - the set of lines (offset, drift) that satisfy all constraints, and its bounds at one
 * instant.
 *
 * Each constraint is a half-plane of lines; so is each end of the prior on drift.  What
 * they have in common is a convex polygon, and the deviation at the centre lies between
 * the least and the greatest offset in it.
 */
#ifndef STRATA_CLOCK_SYNC_POLYGON_H
#define STRATA_CLOCK_SYNC_POLYGON_H

#include "clock_sync/hulls/points.h"

enum strata_polygon_state {
	STRATA_POLYGON_BOUNDED,
	STRATA_POLYGON_UNBOUNDED, /* nothing above, or nothing below */
	STRATA_POLYGON_EMPTY,     /* the model failed */
	STRATA_POLYGON_NO_MEMORY,
};

struct strata_interval {
	int64_t low;
	int64_t high;
};

/* Points that prove a polygon empty: at least one of them must be dropped. */
struct strata_witness {
	struct {
		enum strata_side side;
		size_t index; /* in the list given */
	} point[4];
	unsigned int nr;
};

/* Scratch memory; all-zero is ready. */
struct strata_polygon_scratch {
	struct strata_chain_point *chain[STRATA_SIDES];
	size_t capacity;
};

void strata_polygon_scratch_clear(struct strata_polygon_scratch *scratch);

/*
 * The deviation at @centre (grains) that all @points (in order, a list for each side) allow,
 * rounded outwards, in @interval. If the polygon is empty and @witness is not NULL, @witness
 * receives the contradicting points. The result is exact, except that each lift is rounded up and
 * the result outwards.
 */
enum strata_polygon_state strata_polygon_at(struct strata_polygon_scratch *scratch,
					    const struct strata_points points[STRATA_SIDES],
					    const struct strata_model *model, int64_t centre,
					    struct strata_interval *interval,
					    struct strata_witness *witness);

#endif /* STRATA_CLOCK_SYNC_POLYGON_H */
