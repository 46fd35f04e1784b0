// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knots.c - chooses the instants at which the line of an edge is computed.
 *
 * The polygon of an instant uses all constraints before, around and after it, each lifted by its
 * distance.  It is computed at knots: the ends of windows, and in between wherever the chord of two
 * knots would be noticeably wider than the polygon in their middle.  Beyond the first and the last
 * constraint a few knots follow at growing distances, because a known drift remains useful for a
 * while; beyond these, only the assumed drift applies.
 */
#include <stdlib.h>

#include "base/array.h"

#include "clock_sync/edge.h"
#include "clock_sync/edge_scratch.h"

#define LEVELS      12  /* largest number of halvings of a stretch */
#define TOLERANCE   200 /* a bound may exceed the polygon's by 2 / TOLERANCE of it */
#define LEAST_GRAIN 8   /* and by half a nanosecond */
#define OUTER       8   /* knots beyond the ends */
#define SPARSE      8   /* a window with at most this many constraints gets a knot at each */

/* One stretch of windows without a step. */
struct drawing {
	const struct strata_edge *edge;
	struct strata_edge_scratch *scratch; /* @all: what applies to the instants asked for */
	size_t first;                        /* windows */
	size_t end;
	bool failed; /* there was an instant without a line since the last knot */
};

static bool add_knot(struct drawing *drawing, int64_t u, const struct strata_interval *interval)
{
	struct strata_knots *knots = &drawing->scratch->knots;

	if (!STRATA_GROW(knots->at, knots->nr, knots->capacity))
		return false;
	knots->at[knots->nr++] = (struct strata_knot){ u, *interval, drawing->failed };
	drawing->failed = false;
	return true;
}

static enum strata_polygon_state ask(struct drawing *drawing, int64_t u, struct strata_knot *knot)
{
	struct strata_edge_scratch *scratch = drawing->scratch;
	enum strata_polygon_state state = strata_polygon_at(
		&scratch->polygon, scratch->all.points, &drawing->edge->model, u, &knot->at, NULL);

	knot->u = u;
	if (state == STRATA_POLYGON_EMPTY) {
		drawing->failed = true;
		if (u < scratch->knots.failed_from)
			scratch->knots.failed_from = u;
		if (u > scratch->knots.failed_to)
			scratch->knots.failed_to = u;
	}
	return state;
}

/* Whether the bound by the chord between two knots is almost that of the polygon at a quarter, half
 * and three quarters of the way. */
static bool close_enough(int64_t sag, const struct strata_knot *a, const struct strata_knot *b,
			 const struct strata_knot *between, int quarters)
{
	int64_t room = (between->at.high - between->at.low) / TOLERANCE + LEAST_GRAIN;
	int64_t high = a->at.high + (b->at.high - a->at.high) / 4 * quarters;
	int64_t low = a->at.low + (b->at.low - a->at.low) / 4 * quarters;

	return high + sag - between->at.high <= room && between->at.low - low + sag <= room;
}

/* Adds the knots after @a up to and including @b. */
static bool refine(struct drawing *drawing, const struct strata_knot *a,
		   const struct strata_knot *b, int level)
{
	static const int order[] = { 2, 1, 3 };
	const int64_t sag = strata_sag(&drawing->edge->model, b->u - a->u);
	struct strata_knot middle, knot;
	bool have_middle = false, split = false;
	int i;

	for (i = 0; i < 3 && !split && level < LEVELS && b->u - a->u >= 4 * LEAST_GRAIN; i++) {
		enum strata_polygon_state state =
			ask(drawing, a->u + (b->u - a->u) / 4 * order[i], &knot);

		if (state == STRATA_POLYGON_NO_MEMORY)
			return false;
		if (state != STRATA_POLYGON_BOUNDED)
			continue;
		if (order[i] == 2) {
			middle = knot;
			have_middle = true;
		}
		split = !close_enough(sag, a, b, &knot, order[i]);
	}
	if (split && have_middle)
		return refine(drawing, a, &middle, level + 1) &&
		       refine(drawing, &middle, b, level + 1);
	return add_knot(drawing, b->u, &b->at);
}

/* As draw_span(), up to a knot that was asked for. */
static bool draw_span_to(struct drawing *drawing, int64_t from, const struct strata_knot *b,
			 enum strata_polygon_state state_b)
{
	const struct strata_knots *knots = &drawing->scratch->knots;
	struct strata_knot a;
	enum strata_polygon_state state_a;

	if (knots->nr && knots->at[knots->nr - 1].u == from) {
		a = knots->at[knots->nr - 1];
		state_a = STRATA_POLYGON_BOUNDED;
	} else {
		state_a = ask(drawing, from, &a);
		if (state_a == STRATA_POLYGON_BOUNDED && !add_knot(drawing, from, &a.at))
			return false;
	}
	if (state_a == STRATA_POLYGON_NO_MEMORY || state_b == STRATA_POLYGON_NO_MEMORY)
		return false;
	if (state_b != STRATA_POLYGON_BOUNDED || from == b->u)
		return true;
	if (state_a != STRATA_POLYGON_BOUNDED)
		return add_knot(drawing, b->u, &b->at);
	return refine(drawing, &a, b, 0);
}

/* Knots of [from, to], with the history in scratch->all.  The first one may exist. */
static bool draw_span(struct drawing *drawing, int64_t from, int64_t to)
{
	struct strata_knot b;
	const enum strata_polygon_state state_b = ask(drawing, to, &b);

	return draw_span_to(drawing, from, &b, state_b);
}

/* The least and the greatest u of a window's constraints. */
static void extent(const struct strata_window *window, int64_t *first, int64_t *last)
{
	int side;

	*first = INT64_MAX;
	*last = INT64_MIN;
	for (side = 0; side < STRATA_SIDES; side++) {
		const struct strata_points *points = &window->points[side];

		if (!points->nr)
			continue;
		if (points->at[0].u < *first)
			*first = points->at[0].u;
		if (points->at[points->nr - 1].u > *last)
			*last = points->at[points->nr - 1].u;
	}
}

/*
 * Knots of a window. With few constraints, the bound has a minimum at each of them, which halving
 * might miss, so there is a knot at each.
 */
static bool draw_window(struct drawing *drawing, const struct strata_window *window, int64_t start,
			int64_t end)
{
	const struct strata_points *above = &window->points[STRATA_ABOVE];
	const struct strata_points *below = &window->points[STRATA_BELOW];
	size_t i = 0, j = 0;

	if (above->nr + below->nr <= SPARSE) {
		while (i < above->nr || j < below->nr) {
			int64_t u = j == below->nr || (i < above->nr &&
						       above->at[i].u <= below->at[j].u)
					    ? above->at[i++].u
					    : below->at[j++].u;

			if (u > start && u < end) {
				if (!draw_span(drawing, start, u))
					return false;
				start = u;
			}
		}
	}
	return draw_span(drawing, start, end);
}

/* Histories from each of the windows [@from, @from + STRATA_CHECKPOINT] on. */
static bool fill_after(struct drawing *drawing, size_t from)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	size_t to = from + STRATA_CHECKPOINT < drawing->end ? from + STRATA_CHECKPOINT
							    : drawing->end;
	size_t i;

	if (!strata_history_copy(
		    &drawing->scratch->after[to - from],
		    &drawing->scratch->kept[(to - drawing->first + STRATA_CHECKPOINT - 1) /
					    STRATA_CHECKPOINT]))
		return false;
	for (i = to; i-- > from;) {
		const struct strata_window *window = &windows->at[i];

		if (!strata_history_copy(&drawing->scratch->after[i - from],
					 &drawing->scratch->after[i - from + 1]) ||
		    !strata_history_prepend(&drawing->scratch->after[i - from], window->points,
					    &drawing->edge->model, strata_window_middle(window)))
			return false;
	}
	return true;
}

/* Histories from every STRATA_CHECKPOINT-th window on; the last one, at the end, is empty. */
static bool keep_some(struct drawing *drawing)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	const size_t nr =
		(drawing->end - drawing->first + STRATA_CHECKPOINT - 1) / STRATA_CHECKPOINT;
	struct strata_edge_scratch *scratch = drawing->scratch;
	bool good = strata_edge_scratch_keep(scratch, nr + 1);
	size_t i;

	if (good)
		strata_history_empty(&scratch->kept[nr]);
	strata_history_empty(&scratch->running);
	for (i = drawing->end; good && i-- > drawing->first;) {
		good = strata_history_prepend(&scratch->running, windows->at[i].points,
					      &drawing->edge->model,
					      strata_window_middle(&windows->at[i]));
		if (good && (i - drawing->first) % STRATA_CHECKPOINT == 0)
			good = strata_history_copy(
				&scratch->kept[(i - drawing->first) / STRATA_CHECKPOINT],
				&scratch->running);
	}
	return good;
}

/* Knots beyond the last constraint, until only the assumed drift is left. */
static bool draw_outer(struct drawing *drawing, int64_t at, int sign)
{
	int64_t distance = drawing->edge->windows.length;
	struct strata_knot knots[OUTER + 1] = { { .u = at } };
	int i, nr = 1;

	for (i = 0; i < OUTER; i++, distance *= 2) {
		enum strata_polygon_state state;

		if (distance > STRATA_GRAIN_LIMIT - 1 - sign * at)
			break;
		state = ask(drawing, at + sign * distance, &knots[nr]);
		if (state == STRATA_POLYGON_NO_MEMORY)
			return false;
		if (state != STRATA_POLYGON_BOUNDED)
			break;
		nr++;
	}
	for (i = 1; sign > 0 && i < nr; i++) {
		if (!draw_span_to(drawing, knots[i - 1].u, &knots[i], STRATA_POLYGON_BOUNDED))
			return false;
	}
	for (i = nr - 1; sign < 0 && i > 1; i--) {
		if (!draw_span_to(drawing, knots[i].u, &knots[i - 1], STRATA_POLYGON_BOUNDED))
			return false;
	}
	return sign > 0 || nr == 1 || draw_span(drawing, knots[1].u, at);
}

/* The knots of a stretch.  @before, @behind: whether nothing comes before it, or after it. */
static bool draw_stretch(struct drawing *drawing, bool before, bool behind)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	int64_t first, last, start, end = 0;
	size_t i, nr, base = 0;
	bool drawn = false;

	for (i = drawing->first; i < drawing->end; i++) {
		const struct strata_window *window = &windows->at[i];

		if ((i - drawing->first) % STRATA_CHECKPOINT == 0) {
			base = i;
			if (!fill_after(drawing, base))
				return false;
		}
		if (strata_window_empty(window))
			continue;
		extent(window, &first, &last);
		start = !drawn ? first : window->start;
		/* The gap between two windows. */
		if (drawn && start > end) {
			if (!strata_history_join(&drawing->scratch->all,
						 drawing->scratch->past.points,
						 drawing->scratch->after[i - base].points, NULL) ||
			    !draw_span(drawing, end, start))
				return false;
		}
		end = i + 1 == drawing->end ? last : window->end;
		if (!strata_history_join(&drawing->scratch->all, drawing->scratch->past.points,
					 window->points,
					 drawing->scratch->after[i + 1 - base].points))
			return false;
		if (!drawn)
			drawing->scratch->knots.inner_from = before ? start : INT64_MIN;
		if (!drawn && before && !draw_outer(drawing, start, -1))
			return false;
		drawn = true;
		nr = drawing->scratch->knots.nr;
		if (!draw_window(drawing, window, start, end))
			return false;
		for (; nr < drawing->scratch->knots.nr; nr++)
			drawing->scratch->knots.at[nr].unproven |= window->unproven ||
								   drawing->edge->is_contested;
		if (!strata_history_append(&drawing->scratch->past, window->points,
					   &drawing->edge->model, strata_window_middle(window)))
			return false;
	}
	drawing->scratch->knots.inner_to = behind ? end : INT64_MAX;
	return !behind || draw_outer(drawing, end, 1);
}

bool strata_knots_find(const struct strata_edge *edge, struct strata_edge_scratch *scratch,
		       size_t first, size_t end, bool before, bool behind)
{
	struct drawing drawing = { .edge = edge, .scratch = scratch, .first = first, .end = end };

	scratch->knots.nr = 0;
	scratch->knots.failed_from = INT64_MAX;
	scratch->knots.failed_to = INT64_MIN;
	strata_history_empty(&scratch->past);
	return keep_some(&drawing) && draw_stretch(&drawing, before, behind);
}
