// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repair.c - distinguishes false pairs from steps.
 *
 * False pairs: of the points that prove a polygon empty (three at most, by Helly's
 * theorem, or four where two vertices change at once) at least one must be dropped. A search that
 * branches over these points, with one level per false pair, finds every smallest set. Steps: if a
 * line obeys the first m constraints it obeys fewer, so the longest beginning and the longest end
 * that have a line are found by halving.
 */
#include <string.h>

#include "clock_sync/hulls/repair.h"
#include "base/partition.h"
#include "clock_sync/hulls/units.h"

enum strata_answer strata_feasible(struct strata_polygon_scratch *scratch,
				   const struct strata_points points[STRATA_SIDES],
				   const struct strata_model *model, int64_t centre)
{
	struct strata_interval interval;

	switch (strata_polygon_at(scratch, points, model, centre, &interval, NULL)) {
	case STRATA_POLYGON_EMPTY:
		return STRATA_NO;
	case STRATA_POLYGON_NO_MEMORY:
		return STRATA_OUT_OF_MEMORY;
	default:
		return STRATA_YES;
	}
}

/* A search for sets of points to be taken out. */
struct search {
	struct strata_polygon_scratch *scratch;
	struct strata_history *history;
	const struct strata_model *model;
	int64_t centre;
	struct strata_suspects *suspects;
	struct {
		enum strata_side side;
		struct strata_point point;
	} out[STRATA_FEW];
	unsigned int nr_out;
};

static void take_out(struct strata_points *points, size_t index)
{
	memmove(&points->at[index], &points->at[index + 1],
		(points->nr - index - 1) * sizeof(*points->at));
	points->nr--;
}

static void put_back(struct strata_points *points, size_t index, const struct strata_point *point)
{
	memmove(&points->at[index + 1], &points->at[index],
		(points->nr - index) * sizeof(*points->at));
	points->at[index] = *point;
	points->nr++;
}

static bool same(const struct strata_point *a, const struct strata_point *b)
{
	return a->u == b->u && a->v == b->v && a->cookie == b->cookie;
}

/* Enters the points that are out now, with their distance from what the rest allows. */
static void suspect_all(struct search *search)
{
	struct strata_suspects *suspects = search->suspects;
	unsigned int i, j;

	for (i = 0; i < search->nr_out; i++) {
		const struct strata_point *point = &search->out[i].point;
		struct strata_interval interval;
		int64_t size = 0;

		if (strata_polygon_at(search->scratch, search->history->points, search->model,
				      point->u, &interval, NULL) == STRATA_POLYGON_BOUNDED)
			size = search->out[i].side == STRATA_ABOVE ? interval.low - point->v
								   : point->v - interval.high;
		for (j = 0; j < suspects->nr; j++) {
			if (suspects->at[j].side == search->out[i].side &&
			    same(&suspects->at[j].point, point))
				break;
		}
		if (j == sizeof(suspects->at) / sizeof(suspects->at[0]))
			continue;
		if (j == suspects->nr) {
			suspects->at[j].side = search->out[i].side;
			suspects->at[j].point = *point;
			suspects->at[j].size = 0;
			suspects->nr++;
		}
		if (size > suspects->at[j].size)
			suspects->at[j].size = size;
	}
}

/* Takes out up to @more points; enters each set whose removal leaves a line. */
static enum strata_answer search_sets(struct search *search, unsigned int more)
{
	enum strata_answer answer = STRATA_NO;
	struct strata_witness witness = { .nr = 0 };
	struct strata_interval interval;
	enum strata_polygon_state state;
	unsigned int i;

	state = strata_polygon_at(search->scratch, search->history->points, search->model,
				  search->centre, &interval, &witness);
	if (state == STRATA_POLYGON_NO_MEMORY)
		return STRATA_OUT_OF_MEMORY;
	if (state != STRATA_POLYGON_EMPTY) {
		suspect_all(search);
		return STRATA_YES;
	}
	if (!more)
		return STRATA_NO;
	for (i = 0; i < witness.nr && answer != STRATA_OUT_OF_MEMORY; i++) {
		enum strata_side side = witness.point[i].side;
		struct strata_points *points = &search->history->points[side];
		struct strata_point point = points->at[witness.point[i].index];
		enum strata_answer one;

		take_out(points, witness.point[i].index);
		search->out[search->nr_out].side = side;
		search->out[search->nr_out++].point = point;
		one = search_sets(search, more - 1);
		search->nr_out--;
		put_back(points, witness.point[i].index, &point);
		if (one != STRATA_NO)
			answer = one;
	}
	return answer;
}

enum strata_answer strata_find_false(struct strata_polygon_scratch *scratch,
				     struct strata_history *history,
				     const struct strata_model *model, int64_t centre,
				     struct strata_suspects *suspects)
{
	struct search search = { .scratch = scratch,
				 .history = history,
				 .model = model,
				 .centre = centre,
				 .suspects = suspects };
	unsigned int most;

	suspects->nr = 0;
	for (most = 1; most <= STRATA_FEW; most++) {
		enum strata_answer answer = search_sets(&search, most);

		if (answer != STRATA_NO)
			return answer;
	}
	return STRATA_NO;
}

/* The @nr first (or, @end, last) points of both sides, in order of u. */
static void part_of(const struct strata_history *history, size_t nr, bool end,
		    struct strata_points part[STRATA_SIDES])
{
	const struct strata_points *above = &history->points[STRATA_ABOVE];
	const struct strata_points *below = &history->points[STRATA_BELOW];
	size_t low = nr > below->nr ? nr - below->nr : 0, high = nr < above->nr ? nr : above->nr;

	/* How many of them are above: of the two that come next, the one above is later. */
	if (end)
		low = STRATA_PARTITION(a, low, high,
				       nr > a && below->at[below->nr - (nr - a)].u <
							 above->at[above->nr - 1 - a].u);
	else
		low = STRATA_PARTITION(a, low, high,
				       nr > a && above->at[a].u <= below->at[nr - a - 1].u);
	part[STRATA_ABOVE] = *above;
	part[STRATA_BELOW] = *below;
	part[STRATA_ABOVE].nr = low;
	part[STRATA_BELOW].nr = nr - low;
	if (end) {
		part[STRATA_ABOVE].at += above->nr - low;
		part[STRATA_BELOW].at += below->nr - (nr - low);
	}
}

static int64_t last_of(const struct strata_points part[STRATA_SIDES])
{
	int64_t last = INT64_MIN;
	int side;

	for (side = 0; side < STRATA_SIDES; side++) {
		if (part[side].nr && part[side].at[part[side].nr - 1].u > last)
			last = part[side].at[part[side].nr - 1].u;
	}
	return last;
}

static int64_t first_of(const struct strata_points part[STRATA_SIDES])
{
	int64_t first = INT64_MAX;
	int side;

	for (side = 0; side < STRATA_SIDES; side++) {
		if (part[side].nr && part[side].at[0].u < first)
			first = part[side].at[0].u;
	}
	return first;
}

/* Returns the largest number of points at the beginning (or the end) that a line obeys. */
static enum strata_answer longest(struct strata_polygon_scratch *scratch,
				  const struct strata_history *history,
				  const struct strata_model *model, bool end, size_t *nr)
{
	size_t low = 1, high = history->points[STRATA_ABOVE].nr + history->points[STRATA_BELOW].nr;

	while (high - low > 1) {
		size_t half = low + (high - low) / 2;
		struct strata_points part[STRATA_SIDES];
		enum strata_answer answer;

		part_of(history, half, end, part);
		answer =
			strata_feasible(scratch, part, model, end ? first_of(part) : last_of(part));
		if (answer == STRATA_OUT_OF_MEMORY)
			return answer;
		if (answer == STRATA_YES)
			low = half;
		else
			high = half;
	}
	*nr = low;
	return STRATA_YES;
}

/*
 * A clock that is set back (the other one's deviation from it grows) shows some readings twice: as
 * many as it was set back by. @old: the last constraint known to be from before that, @new: the
 * first one known to be from after it.
 */
static void widen(struct strata_step *step, int64_t old, int64_t new, int64_t unsure)
{
	const int64_t size = step->size + unsure;

	if (step->from > old - size)
		step->from = old - size;
	if (step->to < new + size)
		step->to = new + size;
}

enum strata_answer strata_find_step(struct strata_polygon_scratch *scratch,
				    const struct strata_history *history,
				    const struct strata_model *model, struct strata_step *step)
{
	const size_t all = history->points[STRATA_ABOVE].nr + history->points[STRATA_BELOW].nr;
	struct strata_points before[STRATA_SIDES], after[STRATA_SIDES];
	struct strata_interval was, is;
	enum strata_polygon_state state_was, state_is;
	size_t nr_before, nr_after;
	int64_t most;
	bool twice;

	if (all < 4 || longest(scratch, history, model, false, &nr_before) != STRATA_YES ||
	    longest(scratch, history, model, true, &nr_after) != STRATA_YES)
		return STRATA_NO;
	/* The constraints that both lines obey lie between the two sides, and so does the step. */
	twice = nr_before + nr_after < all;
	part_of(history, twice ? nr_before : all - nr_after, false, before);
	part_of(history, twice ? nr_after : all - nr_before, true, after);
	step->from = last_of(before);
	step->to = first_of(after);
	if (step->from >= step->to)
		return STRATA_NO;
	state_was = strata_polygon_at(scratch, before, model, step->from, &was, NULL);
	state_is = strata_polygon_at(scratch, after, model, step->to, &is, NULL);
	if (state_was == STRATA_POLYGON_NO_MEMORY || state_is == STRATA_POLYGON_NO_MEMORY)
		return STRATA_OUT_OF_MEMORY;
	if (state_was != STRATA_POLYGON_BOUNDED || state_is != STRATA_POLYGON_BOUNDED)
		return STRATA_NO;
	most = strata_drift_over(model, step->to - step->from);
	if (was.low - most <= is.high && is.low <= was.high + most)
		return STRATA_NO;
	step->size = (is.low + is.high) / 2 - (was.low + was.high) / 2;
	if (twice && step->size < (step->to - step->from) / 8 * 7)
		return STRATA_NO;
	if (step->size > 0) {
		part_of(history, all - nr_after, false, before);
		part_of(history, all - nr_before, true, after);
		widen(step, last_of(before), first_of(after),
		      (is.high - is.low) + (was.high - was.low) + most);
	}
	return STRATA_YES;
}
