// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * points.c - lists of constraints, and their hulls (Andrew's monotone chain).
 *
 * Arithmetic: see units.h; the cross product of three lifted points is a difference
 * of two products below 2^124.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/hulls/points.h"
#include "base/array.h"
#include "clock_sync/hulls/units.h"

bool strata_points_add(struct strata_points *points, const struct strata_point *point)
{
	if (!STRATA_GROW(points->at, points->nr, points->capacity))
		return false;
	points->at[points->nr++] = *point;
	return true;
}

bool strata_points_append(struct strata_points *points, const struct strata_points *other)
{
	size_t i;

	for (i = 0; i < other->nr; i++) {
		if (!strata_points_add(points, &other->at[i]))
			return false;
	}
	return true;
}

void strata_points_clear(struct strata_points *points)
{
	free(points->at);
	memset(points, 0, sizeof(*points));
}

/* Compares all members, so that the order does not depend on the order in which points were
 * added. */
static int compare(const struct strata_point *a, const struct strata_point *b, int sign)
{
	if (a->u != b->u)
		return a->u < b->u ? -1 : 1;
	if (a->v != b->v)
		return a->v < b->v ? -sign : sign;
	return a->cookie < b->cookie ? -1 : a->cookie > b->cookie;
}

static int compare_above(const void *a, const void *b)
{
	return compare(a, b, 1);
}

static int compare_below(const void *a, const void *b)
{
	return compare(a, b, -1);
}

void strata_points_sort(struct strata_points *points, enum strata_side side)
{
	int sign = side == STRATA_ABOVE ? 1 : -1;
	size_t i;

	for (i = 1; i < points->nr; i++) {
		if (compare(&points->at[i - 1], &points->at[i], sign) > 0)
			break;
	}
	if (i < points->nr)
		qsort(points->at, points->nr, sizeof(*points->at),
		      side == STRATA_ABOVE ? compare_above : compare_below);
}

/*
 * slew * 1e-12 / s * distance^2 / 2 with distance in grains of 1/16 ns: distance^2 is divided
 * by 3.2e22 / slew.  The factor is below 2^32 * 2^96 / 2^74.7 < 2^54.
 */
struct strata_model strata_model_make(uint32_t drift_ppb, uint32_t slew)
{
	const unsigned __int128 divisor = 7450580596923ull; /* 3.2e22 / 2^32, rounded down */
	struct strata_model model = { .drift_ppb = drift_ppb, .slew = slew };

	model.lift = (uint64_t)((((unsigned __int128)slew << 64) + divisor - 1) / divisor);
	model.far = INT64_MAX;
	/* slew * far^2 / 2 = 2 * drift * far, in seconds: far = 4000 * drift_ppb / slew. */
	if (slew)
		model.far = (int64_t)strata_wide_min(INT64_MAX, (strata_wide)drift_ppb * 4000 *
									STRATA_GRAIN_SECOND / slew);
	return model;
}

/* The lift that keeps hulls: by how much a constraint at distance @distance (grains) from the
 * centre is loosened, rounded up (grains). */
static int64_t lift_at(const struct strata_model *model, int64_t distance)
{
	unsigned __int128 square, lift;

	if (!model->slew)
		return 0;
	square = (unsigned __int128)((strata_wide)distance * distance);
	if (square >> 96 == 0)
		lift = (((square >> 32) + 1) * model->lift >> 64) + 1;
	else
		lift = (((square >> 64) + 1) * model->lift >> 32) + 1;
	return lift > (uint64_t)STRATA_LIFT_LIMIT ? STRATA_LIFT_LIMIT : (int64_t)lift;
}

int64_t strata_least_lift(const struct strata_model *model, int64_t distance)
{
	if (distance > model->far || distance < -model->far)
		return 2 * strata_drift_over(model, distance);
	return lift_at(model, distance);
}

int64_t strata_sag(const struct strata_model *model, int64_t length)
{
	int64_t bent = lift_at(model, length / 2 + 1);
	int64_t most = strata_drift_over(model, length / 2 + 1);

	return bent < most ? bent : most;
}

int64_t strata_drift_over(const struct strata_model *model, int64_t distance)
{
	strata_wide most = (strata_wide)distance * model->drift_ppb;

	return (int64_t)strata_ceil_div(most < 0 ? -most : most, 1000000000);
}

/* Whether the middle one of three points in order is of no use to the hull. */
static bool within(int64_t u0, int64_t v0, int64_t u1, int64_t v1, int64_t u2, int64_t v2, int sign)
{
	strata_wide turn = (strata_wide)(u1 - u0) * (v2 - v0) - (strata_wide)(u2 - u0) * (v1 - v0);

	return sign > 0 ? turn <= 0 : turn >= 0;
}

void strata_points_hull(struct strata_points *points, enum strata_side side,
			const struct strata_model *model, int64_t centre)
{
	int sign = side == STRATA_ABOVE ? 1 : -1;
	struct strata_point *at = points->at;
	size_t i, nr = 0;

	for (i = 0; i < points->nr; i++) {
		int64_t v = at[i].v + sign * lift_at(model, at[i].u - centre);

		/* Of equal u, the first is the strictest. */
		if (nr && at[nr - 1].u == at[i].u)
			continue;
		while (nr >= 2) {
			int64_t v0 = at[nr - 2].v + sign * lift_at(model, at[nr - 2].u - centre);
			int64_t v1 = at[nr - 1].v + sign * lift_at(model, at[nr - 1].u - centre);

			if (!within(at[nr - 2].u, v0, at[nr - 1].u, v1, at[i].u, v, sign))
				break;
			nr--;
		}
		at[nr++] = at[i];
	}
	points->nr = nr;
}
