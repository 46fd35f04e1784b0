/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * points.h - constraints as points, reduced to their hulls.
 *
 * With u the nominal time of clock A and d(u) the deviation of clock B (its nominal
 * time less A's), "x of A before y of B" says d(u) <= v, "y of B before x of A" says
 * d(u) >= v.  The first kind are points above the curve, the second points below it.
 *
 * The curve is not a line.  But where its slope changes by at most s a unit of time,
 * it stays within s (u - c)^2 / 2 of its tangent at c (Taylor), so the tangent obeys every
 * constraint that is loosened ("lifted") by that amount. Lifts for two centres c differ by a
 * function that is linear in u: they have the same hull. So the set of points that matter does not
 * depend on the centre, and hulls of parts merge into hulls of the whole: a point inside a hull can
 * be dropped at once.
 */
#ifndef STRATA_CLOCK_SYNC_POINTS_H
#define STRATA_CLOCK_SYNC_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strata_side {
	STRATA_ABOVE, /* d(u) <= v */
	STRATA_BELOW, /* d(u) >= v */
	STRATA_SIDES,
};

struct strata_point {
	int64_t u; /* grains */
	int64_t v; /* grains */
	uint64_t cookie;
};

/* Zero-initialised is empty. */
struct strata_points {
	struct strata_point *at;
	size_t nr;
	size_t capacity;
};

/* False: out of memory. */
bool strata_points_add(struct strata_points *points, const struct strata_point *point);
bool strata_points_append(struct strata_points *points, const struct strata_points *other);
void strata_points_clear(struct strata_points *points);

/* In order of u; of equal u, the stricter first. */
void strata_points_sort(struct strata_points *points, enum strata_side side);

/* The assumptions about the deviation of one clock from another. */
struct strata_model {
	uint32_t drift_ppb; /* its slope is at most this, up or down; 1e-9 */
	uint32_t slew;      /* its slope changes by at most this in a second; 1e-12 */
	uint64_t lift;      /* slew / 2 for grains, times 2^96, rounded up */
	int64_t far;        /* grains from where on drift limits the curve more than slew does */
};

struct strata_model strata_model_make(uint32_t drift_ppb, uint32_t slew);

/*
 * The lift that a constraint needs: by how much it is loosened, rounded up (grains).
 * @distance: from the centre (grains)
 * The slope is bounded, so the curve is never farther than 2 * drift * |u - c| from its tangent at
 * c.  Beyond model->far, that is less than the lift that keeps hulls.
 */
int64_t strata_least_lift(const struct strata_model *model, int64_t distance);

/* The most that the deviation differs from its chord over @length grains: line.h. */
int64_t strata_sag(const struct strata_model *model, int64_t length);

/* How far the deviation can move in @distance grains by drift alone, rounded up (grains). */
int64_t strata_drift_over(const struct strata_model *model, int64_t distance);

/*
 * Keeps only the points on the hull of the lifted points, which are sorted: the lower hull of those
 * above the curve, the upper hull of those below. @centre only decides how the rounding error (less
 * than a grain) is distributed.
 */
void strata_points_hull(struct strata_points *points, enum strata_side side,
			const struct strata_model *model, int64_t centre);

#endif /* STRATA_CLOCK_SYNC_POINTS_H */
