// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * polygon.c - the polygon by its dual: two hulls and a sweep over slopes.
 *
 * Of lines with slope a, those below every upper point pass u = 0 (the centre) at
 *     top(a) = min(v - a u)  over the points above,
 * and those above every lower point at
 *     floor(a) = max(v - a u)  over the points below.
 * top is concave and touches the lower hull of its points, one vertex after another from
 * left to right as a grows; floor is convex and touches the upper hull of its points from
 * right to left.  A slope is feasible where top(a) - floor(a), which is concave, is not
 * negative.  Between two slopes at which a vertex changes, both are straight: one sweep
 * over the edges of both hulls, in order of slope, finds the feasible slopes, the greatest
 * top and the least floor among them.  Slopes are fractions; all comparisons are exact.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/hulls/polygon.h"
#include "clock_sync/hulls/units.h"

struct strata_chain_point {
	int64_t u; /* relative to the centre */
	int64_t v; /* lifted */
	size_t index;
};

/* The denominator is positive. */
struct slope {
	int64_t numerator;
	int64_t denominator;
};

/* Where a straight piece of top or floor is at its best. */
struct best {
	struct slope slope;
	const struct strata_chain_point *touched;
};

struct sweep {
	const struct strata_chain_point *above; /* touched now */
	const struct strata_chain_point *below;
	const struct strata_chain_point *above_last;
	const struct strata_chain_point *below_first;
	struct slope from; /* of this straight piece */
	struct slope to;
	int at_from; /* the sign of top - floor there */
	struct best top;
	struct best floor;
	bool feasible;
	bool falling; /* top - floor no longer grows */
};

void strata_polygon_scratch_clear(struct strata_polygon_scratch *scratch)
{
	free(scratch->chain[STRATA_ABOVE]);
	free(scratch->chain[STRATA_BELOW]);
	memset(scratch, 0, sizeof(*scratch));
}

static bool room_for(struct strata_polygon_scratch *scratch, size_t nr)
{
	int side;

	if (nr <= scratch->capacity)
		return true;
	for (side = 0; side < STRATA_SIDES; side++) {
		void *chain = reallocarray(scratch->chain[side], nr, sizeof(*scratch->chain[side]));

		if (!chain)
			return false;
		scratch->chain[side] = chain;
	}
	scratch->capacity = nr;
	return true;
}

/* Builds the hull of the points, lifted for this centre. Returns the number of points on it. */
static size_t make_chain(struct strata_chain_point *chain, const struct strata_points *points,
			 enum strata_side side, const struct strata_model *model, int64_t centre)
{
	int sign = side == STRATA_ABOVE ? 1 : -1;
	size_t i, nr = 0;

	for (i = 0; i < points->nr; i++) {
		struct strata_chain_point new = { .u = points->at[i].u - centre, .index = i };
		int64_t lift = strata_least_lift(model, new.u);

		if (lift == STRATA_LIFT_LIMIT)
			continue;
		new.v = points->at[i].v + sign *lift;
		if (nr && chain[nr - 1].u == new.u) {
			if (sign * chain[nr - 1].v <= sign * new.v)
				continue;
			nr--;
		}
		while (nr >= 2) {
			const struct strata_chain_point *a = &chain[nr - 2], *b = &chain[nr - 1];
			strata_wide turn = (strata_wide)(b->u - a->u) * (new.v - a->v) -
					   (strata_wide)(new.u - a->u) * (b->v - a->v);

			if (sign > 0 ? turn > 0 : turn < 0)
				break;
			nr--;
		}
		chain[nr++] = new;
	}
	return nr;
}

static struct slope slope_between(const struct strata_chain_point *a,
				  const struct strata_chain_point *b)
{
	struct slope slope = { b->v - a->v, b->u - a->u };

	if (slope.denominator < 0) {
		slope.numerator = -slope.numerator;
		slope.denominator = -slope.denominator;
	}
	return slope;
}

static bool less_or_equal(struct slope a, struct slope b)
{
	return (strata_wide)a.numerator * b.denominator <= (strata_wide)b.numerator * a.denominator;
}

/* The sign of top - floor at a slope, between the points touched now. */
static int gap_sign(const struct sweep *sweep, struct slope slope)
{
	strata_wide gap = (strata_wide)slope.denominator * (sweep->above->v - sweep->below->v) -
			  (strata_wide)slope.numerator * (sweep->above->u - sweep->below->u);

	return (gap > 0) - (gap < 0);
}

/* Records the feasible part of this straight piece.  The next one begins where it ends, with the
 * same top and floor. */
static void take_piece(struct sweep *sweep)
{
	const int at_from = sweep->at_from, at_to = gap_sign(sweep, sweep->to);
	struct slope from = sweep->from, to = sweep->to;

	sweep->at_from = at_to;
	if (at_from < 0 && at_to < 0)
		return;
	if (at_from < 0)
		from = slope_between(sweep->below, sweep->above);
	if (at_to < 0)
		to = slope_between(sweep->below, sweep->above);
	if (!sweep->feasible) {
		sweep->feasible = true;
		sweep->top = (struct best){ from, sweep->above };
		sweep->floor = (struct best){ from, sweep->below };
	}
	if (sweep->above->u < 0)
		sweep->top = (struct best){ to, sweep->above };
	if (sweep->below->u > 0)
		sweep->floor = (struct best){ to, sweep->below };
}

static void add_witness(struct strata_witness *witness, enum strata_side side, size_t index)
{
	unsigned int i;

	for (i = 0; i < witness->nr; i++) {
		if (witness->point[i].side == side && witness->point[i].index == index)
			return;
	}
	witness->point[witness->nr].side = side;
	witness->point[witness->nr++].index = index;
}

/*
 * If no line is feasible, the lines that come closest are limited by the points touched just before
 * and just after the gap stops growing: these points alone already exclude every line.
 */
static void note_witness(struct sweep *sweep, struct strata_witness *witness)
{
	bool falling = sweep->below->u <= sweep->above->u;

	if (!witness || sweep->falling)
		return;
	if (!falling)
		witness->nr = 0;
	add_witness(witness, STRATA_ABOVE, sweep->above->index);
	add_witness(witness, STRATA_BELOW, sweep->below->index);
	sweep->falling = falling;
}

/* Returns the slope up to which the touched points do not change; then moves on to the next
 * points. */
static struct slope next_slope(struct sweep *sweep, struct slope limit,
			       const struct strata_chain_point **above,
			       const struct strata_chain_point **below)
{
	struct slope next = limit, edge;

	*above = sweep->above;
	*below = sweep->below;
	if (sweep->above < sweep->above_last) {
		edge = slope_between(sweep->above, sweep->above + 1);
		if (less_or_equal(edge, next)) {
			next = edge;
			*above = sweep->above + 1;
		}
	}
	if (sweep->below > sweep->below_first) {
		edge = slope_between(sweep->below - 1, sweep->below);
		if (less_or_equal(edge, next)) {
			*above = less_or_equal(next, edge) ? *above : sweep->above;
			next = edge;
			*below = sweep->below - 1;
		}
	}
	return next;
}

static void run_sweep(struct sweep *sweep, struct slope limit, struct strata_witness *witness)
{
	const struct strata_chain_point *above, *below;

	if (witness)
		witness->nr = 0;
	/* Up to the lowest slope, nothing counts. */
	for (;;) {
		next_slope(sweep, sweep->from, &above, &below);
		if (above == sweep->above && below == sweep->below)
			break;
		sweep->above = above;
		sweep->below = below;
	}
	sweep->at_from = gap_sign(sweep, sweep->from);
	for (;;) {
		sweep->to = next_slope(sweep, limit, &above, &below);
		take_piece(sweep);
		note_witness(sweep, witness);
		if (above == sweep->above && below == sweep->below)
			break;
		sweep->above = above;
		sweep->below = below;
		sweep->from = sweep->to;
	}
}

/* v - slope * u */
static int64_t value_at(const struct best *best, bool up)
{
	strata_wide product = (strata_wide)best->slope.numerator * best->touched->u;

	if (up)
		return (int64_t)(best->touched->v -
				 strata_floor_div(product, best->slope.denominator));
	return (int64_t)(best->touched->v - strata_ceil_div(product, best->slope.denominator));
}

enum strata_polygon_state strata_polygon_at(struct strata_polygon_scratch *scratch,
					    const struct strata_points points[STRATA_SIDES],
					    const struct strata_model *model, int64_t centre,
					    struct strata_interval *interval,
					    struct strata_witness *witness)
{
	const size_t most = points[STRATA_ABOVE].nr > points[STRATA_BELOW].nr
				    ? points[STRATA_ABOVE].nr
				    : points[STRATA_BELOW].nr;
	const struct slope limit = { model->drift_ppb, 1000000000 };
	struct sweep sweep = { .from = { -limit.numerator, limit.denominator } };
	size_t nr[STRATA_SIDES];
	int side;

	if (!room_for(scratch, most))
		return STRATA_POLYGON_NO_MEMORY;
	for (side = 0; side < STRATA_SIDES; side++) {
		nr[side] = make_chain(scratch->chain[side], &points[side], (enum strata_side)side,
				      model, centre);
		if (!nr[side])
			return STRATA_POLYGON_UNBOUNDED;
	}
	sweep.above = scratch->chain[STRATA_ABOVE];
	sweep.above_last = sweep.above + nr[STRATA_ABOVE] - 1;
	sweep.below_first = scratch->chain[STRATA_BELOW];
	sweep.below = sweep.below_first + nr[STRATA_BELOW] - 1;
	run_sweep(&sweep, limit, witness);
	if (!sweep.feasible)
		return STRATA_POLYGON_EMPTY;
	interval->low = value_at(&sweep.floor, false);
	interval->high = value_at(&sweep.top, true);
	return STRATA_POLYGON_BOUNDED;
}
