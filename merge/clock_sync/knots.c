// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * knots.c - where the line of an edge is pinned down.
 *
 * The polygon of an instant takes in everything before it, the window around it and
 * everything after it, each constraint lifted for its distance.  That is done at knots:
 * the ends of windows, and in between wherever the chord of two knots would claim
 * noticeably less than the polygon of the instant in their middle.  Beyond the first and
 * the last constraint a few knots follow, ever farther apart, since a drift that is
 * known is not forgotten at once; then the prior alone is left.
 */
#include <stdlib.h>
#include <string.h>

#include "edge.h"

#define LEVELS      12    /* a stretch is halved at most so often */
#define TOLERANCE   32    /* a bound may be wider by a part in so many than the polygon's */
#define LEAST_GRAIN 8     /* and by half a nanosecond */
#define CHECKPOINT  32u   /* windows between two histories that are kept */
#define OUTER       8     /* knots beyond the ends */
#define REDRAWS     12u   /* with twice the wander each */
#define LEAST_SLEW  1000u /* 1e-12 a second: where there was to be none */

struct knot {
	int64_t u;
	struct strata_interval at;
	bool unproven; /* no room for what this one and its neighbour say */
};

struct knots {
	struct knot *at;
	size_t nr;
	size_t capacity;
};

/* One stretch of windows without a step. */
struct drawing {
	struct strata_edge *edge;
	struct strata_polygon_room *room;
	struct knots knots;
	struct strata_history past;                  /* before the window */
	struct strata_history after[CHECKPOINT + 1]; /* from each of some windows on */
	struct strata_history *kept;                 /* from every so many-th window on */
	struct strata_history all;                   /* what applies to the instants asked for */
	size_t first;                                /* windows */
	size_t end;
	int64_t inner_from;  /* the first constraint */
	int64_t inner_to;    /* the last */
	bool failed;         /* at an instant since the last knot there was no line */
	int64_t failed_from; /* where that was first */
	int64_t failed_to;   /* and last */
};

static bool add_knot(struct drawing *drawing, int64_t u, const struct strata_interval *interval)
{
	struct knots *knots = &drawing->knots;

	if (knots->nr == knots->capacity) {
		size_t capacity = knots->capacity ? knots->capacity * 2 : 64;
		void *at = reallocarray(knots->at, capacity, sizeof(*knots->at));

		if (!at)
			return false;
		knots->at = at;
		knots->capacity = capacity;
	}
	knots->at[knots->nr++] = (struct knot){ u, *interval, drawing->failed };
	drawing->failed = false;
	return true;
}

static enum strata_polygon_state ask(struct drawing *drawing, int64_t u, struct knot *knot)
{
	enum strata_polygon_state state = strata_polygon_at(
		drawing->room, drawing->all.points, &drawing->edge->model, u, &knot->at, NULL);

	knot->u = u;
	if (state == STRATA_POLYGON_EMPTY) {
		drawing->failed = true;
		if (u < drawing->failed_from)
			drawing->failed_from = u;
		if (u > drawing->failed_to)
			drawing->failed_to = u;
	}
	return state;
}

/* Whether the chord between two knots claims almost as much as the polygon in the middle. */
static bool close_enough(const struct strata_model *model, const struct knot *a,
			 const struct knot *b, const struct knot *middle)
{
	int64_t sag = strata_sag(model, b->u - a->u);
	int64_t room = (middle->at.high - middle->at.low) / TOLERANCE + LEAST_GRAIN;

	return (a->at.high + b->at.high) / 2 + sag - middle->at.high <= room &&
	       middle->at.low - (a->at.low + b->at.low) / 2 + sag <= room;
}

/* Adds the knots after @a up to and including @b. */
static bool refine(struct drawing *drawing, const struct knot *a, const struct knot *b, int level)
{
	struct knot middle;
	enum strata_polygon_state state;

	if (level < LEVELS && b->u - a->u >= 2 * LEAST_GRAIN) {
		state = ask(drawing, a->u + (b->u - a->u) / 2, &middle);
		if (state == STRATA_POLYGON_NO_MEMORY)
			return false;
		if (state == STRATA_POLYGON_BOUNDED &&
		    !close_enough(&drawing->edge->model, a, b, &middle))
			return refine(drawing, a, &middle, level + 1) &&
			       refine(drawing, &middle, b, level + 1);
	}
	return add_knot(drawing, b->u, &b->at);
}

/* Knots of [from, to], for which drawing->all holds.  The first one may be there already. */
static bool draw_span(struct drawing *drawing, int64_t from, int64_t to)
{
	struct knot a, b;
	enum strata_polygon_state state_a, state_b;

	state_b = ask(drawing, to, &b);
	if (drawing->knots.nr && drawing->knots.at[drawing->knots.nr - 1].u == from) {
		a = drawing->knots.at[drawing->knots.nr - 1];
		state_a = STRATA_POLYGON_BOUNDED;
	} else {
		state_a = ask(drawing, from, &a);
		if (state_a == STRATA_POLYGON_BOUNDED && !add_knot(drawing, from, &a.at))
			return false;
	}
	if (state_a == STRATA_POLYGON_NO_MEMORY || state_b == STRATA_POLYGON_NO_MEMORY)
		return false;
	if (state_b != STRATA_POLYGON_BOUNDED || from == to)
		return true;
	if (state_a != STRATA_POLYGON_BOUNDED)
		return add_knot(drawing, to, &b.at);
	return refine(drawing, &a, &b, 0);
}

static bool is_empty(const struct strata_window *window)
{
	return !window->points[STRATA_ABOVE].nr && !window->points[STRATA_BELOW].nr;
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

/* Histories from each of the windows [@from, @from + CHECKPOINT] on. */
static bool fill_after(struct drawing *drawing, size_t from)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	size_t to = from + CHECKPOINT < drawing->end ? from + CHECKPOINT : drawing->end;
	size_t i;

	if (!strata_history_copy(
		    &drawing->after[to - from],
		    &drawing->kept[(to - drawing->first + CHECKPOINT - 1) / CHECKPOINT]))
		return false;
	for (i = to; i-- > from;) {
		const struct strata_window *window = &windows->at[i];

		if (!strata_history_copy(&drawing->after[i - from],
					 &drawing->after[i - from + 1]) ||
		    !strata_history_prepend(&drawing->after[i - from], window->points,
					    &drawing->edge->model, strata_window_middle(window)))
			return false;
	}
	return true;
}

/* Histories from every so many-th window on; the last one is that of the end: empty. */
static bool keep_some(struct drawing *drawing)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	size_t nr = (drawing->end - drawing->first + CHECKPOINT - 1) / CHECKPOINT;
	struct strata_history running = { 0 };
	bool good;
	size_t i;

	drawing->kept = calloc(nr + 1, sizeof(*drawing->kept));
	good = drawing->kept;
	for (i = drawing->end; good && i-- > drawing->first;) {
		good = strata_history_prepend(&running, windows->at[i].points,
					      &drawing->edge->model,
					      strata_window_middle(&windows->at[i]));
		if (good && (i - drawing->first) % CHECKPOINT == 0)
			good = strata_history_copy(
				&drawing->kept[(i - drawing->first) / CHECKPOINT], &running);
	}
	strata_history_clear(&running);
	return good;
}

static void forget_kept(struct drawing *drawing)
{
	size_t i, nr = (drawing->end - drawing->first + CHECKPOINT - 1) / CHECKPOINT;

	for (i = 0; drawing->kept && i <= nr; i++)
		strata_history_clear(&drawing->kept[i]);
	free(drawing->kept);
	drawing->kept = NULL;
}

static bool draw_outer(struct drawing *drawing, int64_t at, int sign)
{
	int64_t distance = drawing->edge->windows.length;
	struct strata_interval interval[OUTER];
	struct knot knot;
	int64_t u[OUTER];
	int i, nr = 0;

	for (i = 0; i < OUTER; i++, distance *= 2) {
		enum strata_polygon_state state;

		if (distance > STRATA_GRAIN_LIMIT - 1 - sign * at)
			break;
		state = ask(drawing, at + sign * distance, &knot);
		if (state == STRATA_POLYGON_NO_MEMORY)
			return false;
		if (state != STRATA_POLYGON_BOUNDED)
			break;
		u[nr] = knot.u;
		interval[nr++] = knot.at;
	}
	for (i = 0; i < nr; i++) {
		int j = sign > 0 ? i : nr - 1 - i;

		if (!add_knot(drawing, u[j], &interval[j]))
			return false;
	}
	return true;
}

/* The knots of a stretch.  @before, @behind: whether nothing comes before it, or after it. */
static bool draw_stretch(struct drawing *drawing, bool before, bool behind)
{
	const struct strata_windows *windows = &drawing->edge->windows;
	int64_t first, last, start, end = 0;
	size_t i, nr, base = 0;

	for (i = drawing->first; i < drawing->end; i++) {
		const struct strata_window *window = &windows->at[i];

		if ((i - drawing->first) % CHECKPOINT == 0) {
			base = i;
			if (!fill_after(drawing, base))
				return false;
		}
		if (is_empty(window))
			continue;
		extent(window, &first, &last);
		start = i == drawing->first ? first : window->start;
		/* What lies between two windows that do not meet. */
		if (i > drawing->first && start > end) {
			if (!strata_history_join(&drawing->all, drawing->past.points,
						 drawing->after[i - base].points, NULL) ||
			    !draw_span(drawing, end, start))
				return false;
		}
		end = i + 1 == drawing->end ? last : window->end;
		if (!strata_history_join(&drawing->all, drawing->past.points, window->points,
					 drawing->after[i + 1 - base].points))
			return false;
		if (i == drawing->first)
			drawing->inner_from = before ? start : INT64_MIN;
		if (i == drawing->first && before && !draw_outer(drawing, start, -1))
			return false;
		nr = drawing->knots.nr;
		if (!draw_span(drawing, start, end))
			return false;
		for (; nr < drawing->knots.nr; nr++)
			drawing->knots.at[nr].unproven |= window->unproven;
		if (!strata_history_append(&drawing->past, window->points, &drawing->edge->model,
					   strata_window_middle(window)))
			return false;
	}
	drawing->inner_to = behind ? end : INT64_MAX;
	return !behind || draw_outer(drawing, end, 1);
}

/*
 * Neighbours that differ by more than drift allows know more of each other than they say: what
 * one of them encloses, and the drift, enclose the other.  After that, the middle moves by no
 * more than drift allows, so that converted time never runs backwards.
 */
static void agree(const struct strata_model *model, struct knot *from, struct knot *to)
{
	int64_t most = strata_drift_over(model, to->u - from->u);
	struct strata_interval both = to->at;

	if (both.high > from->at.high + most)
		both.high = from->at.high + most;
	if (both.low < from->at.low - most)
		both.low = from->at.low - most;
	if (both.low <= both.high)
		to->at = both;
	else
		from->unproven = to->unproven = true;
}

/* Turns knots into pieces. */
static bool emit(struct drawing *drawing)
{
	struct strata_edge *edge = drawing->edge;
	struct knots *knots = &drawing->knots;
	size_t i;

	for (i = 1; i < knots->nr; i++)
		agree(&edge->model, &knots->at[i - 1], &knots->at[i]);
	for (i = knots->nr; i-- > 1;)
		agree(&edge->model, &knots->at[i], &knots->at[i - 1]);
	for (i = 0; i < knots->nr; i++) {
		const struct knot *a = &knots->at[i];
		const struct knot *b = i + 1 < knots->nr ? a + 1 : a;
		struct strata_piece piece = {
			.u0 = a->u,
			.u1 = b->u,
			.at0 = a->at,
			.at1 = b->at,
			.sag = strata_sag(&edge->model, b->u - a->u),
			.flags = a->unproven || b->unproven ? STRATA_PIECE_UNPROVEN : 0,
		};

		if (a == b && i > 0)
			break;
		if (piece.u1 <= drawing->inner_from || piece.u0 >= drawing->inner_to)
			piece.flags |= STRATA_PIECE_OUTSIDE;
		if (!strata_line_add(&edge->line, &piece))
			return false;
	}
	return true;
}

/*
 * Between two stretches the clock was set.  When exactly is not known: until the first constraint
 * after it, its deviation is what it was or what it became, and the enclosure holds both.
 */
static bool bridge(struct strata_edge *edge, size_t last_before)
{
	struct strata_line *line = &edge->line;
	struct strata_piece *before = &line->pieces[last_before];
	const struct strata_piece *after = &line->pieces[last_before + 1];
	struct strata_piece step = { .u0 = before->u1,
				     .u1 = after->u0,
				     .flags = STRATA_PIECE_STEP };
	int64_t more = strata_drift_over(&line->model, step.u1 - step.u0);
	int64_t middle = before->at1.low + (before->at1.high - before->at1.low) / 2;
	int64_t half = before->at1.high - middle;
	size_t i;

	if (after->at0.high - middle > half)
		half = after->at0.high - middle;
	if (middle - after->at0.low > half)
		half = middle - after->at0.low;
	step.at0 = (struct strata_interval){ middle - half - more, middle + half + more };
	step.at1 = step.at0;
	if (!strata_line_add(line, &step))
		return false;
	step = line->pieces[line->nr - 1];
	for (i = line->nr - 1; i > last_before + 1; i--)
		line->pieces[i] = line->pieces[i - 1];
	line->pieces[last_before + 1] = step;
	for (i = last_before + 1; i < line->nr; i++) {
		struct strata_piece *piece = &line->pieces[i];
		int64_t reached =
			piece->u0 + piece->at0.low + (piece->at0.high - piece->at0.low) / 2;

		piece->reached = piece[-1].reached > reached ? piece[-1].reached : reached;
	}
	return true;
}

static void drawing_clear(struct drawing *drawing)
{
	size_t i;

	forget_kept(drawing);
	for (i = 0; i <= CHECKPOINT; i++)
		strata_history_clear(&drawing->after[i]);
	strata_history_clear(&drawing->past);
	strata_history_clear(&drawing->all);
	free(drawing->knots.at);
}

/* Draws all stretches.  Between @failed_from and @failed_to there was an instant without a line;
 * if the former is greater, there was none. */
static bool draw(struct strata_edge *edge, struct strata_polygon_room *room, int64_t *failed_from,
		 int64_t *failed_to)
{
	struct drawing drawing = {
		.edge = edge, .room = room, .failed_from = INT64_MAX, .failed_to = INT64_MIN
	};
	const struct strata_windows *windows = &edge->windows;
	bool good = true;
	size_t next = 0;

	strata_line_clear(&edge->line);
	edge->line.model = edge->model;
	while (good && next < windows->nr) {
		const size_t nr = edge->line.nr;

		drawing.first = next++;
		while (next < windows->nr && !windows->at[next].after_step)
			next++;
		drawing.end = next;
		/* Windows that lost their points have no say in where the stretch begins and ends.
		 */
		while (drawing.first < drawing.end && is_empty(&windows->at[drawing.first]))
			drawing.first++;
		while (drawing.first < drawing.end && is_empty(&windows->at[drawing.end - 1]))
			drawing.end--;
		if (drawing.first == drawing.end)
			continue;
		drawing.knots.nr = 0;
		strata_history_empty(&drawing.past);
		good = keep_some(&drawing) && draw_stretch(&drawing, !nr, next == windows->nr) &&
		       emit(&drawing);
		if (good && nr && edge->line.nr > nr)
			good = bridge(edge, nr - 1);
		forget_kept(&drawing);
	}
	*failed_from = drawing.failed_from;
	*failed_to = drawing.failed_to;
	drawing_clear(&drawing);
	return good;
}

/*
 * Where windows and what came before them left room, but all that comes after does not, the
 * rate changes faster than was assumed: it is assumed to, until there is a line.
 */
bool strata_edge_draw(struct strata_edge *edge, struct strata_polygon_room *room,
		      struct strata_breaches *breaches)
{
	struct strata_breach breach = { .kind = STRATA_BREACH_WANDER, .from = INT64_MAX };
	unsigned int tries = 0;
	int64_t from, to;

	for (;;) {
		uint64_t slew = edge->model.slew < LEAST_SLEW ? LEAST_SLEW
							      : 2 * (uint64_t)edge->model.slew;

		if (!draw(edge, room, &from, &to))
			return false;
		if (from > to)
			break;
		if (from < breach.from) {
			breach.from = from;
			breach.to = to;
		}
		if (tries++ == REDRAWS || slew > UINT32_MAX) {
			breach.kind = STRATA_BREACH_UNEXPLAINED;
			break;
		}
		edge->model = strata_model_make(edge->model.drift_ppb, (uint32_t)slew);
		breach.size = (int64_t)slew;
	}
	if (breach.kind == STRATA_BREACH_UNEXPLAINED)
		breach.size = 0;
	return !tries || strata_breach_add(breaches, &breach);
}
