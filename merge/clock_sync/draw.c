// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * draw.c - the line of an edge: knots joined to pieces, stretches joined at steps.
 */
#include "clock_sync/edge.h"
#include "clock_sync/edge_scratch.h"

#define REDRAWS    12u   /* with twice the wander each */
#define LEAST_SLEW 1000u /* 1e-12 a second: where there was to be none */

/*
 * If neighbours differ by more than drift allows, the enclosure of one, widened by the drift,
 * narrows the other's.  Then the middle moves by no more than drift allows, so that converted time
 * never runs backwards.
 */
static void agree(const struct strata_model *model, struct strata_knot *from,
		  struct strata_knot *to)
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
static bool emit(struct strata_edge *edge, const struct strata_knots *knots)
{
	size_t i;

	for (i = 1; i < knots->nr; i++)
		agree(&edge->model, &knots->at[i - 1], &knots->at[i]);
	for (i = knots->nr; i-- > 1;)
		agree(&edge->model, &knots->at[i], &knots->at[i - 1]);
	for (i = 0; i < knots->nr; i++) {
		const struct strata_knot *a = &knots->at[i];
		const struct strata_knot *b = i + 1 < knots->nr ? a + 1 : a;
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
		if (piece.u1 <= knots->inner_from || piece.u0 >= knots->inner_to)
			piece.flags |= STRATA_PIECE_OUTSIDE;
		if (!strata_line_add(&edge->line, &piece))
			return false;
	}
	return true;
}

/*
 * Between two stretches the clock was set, at an unknown instant: until the first constraint after
 * it, the enclosure covers the deviations before and after.
 */
static bool bridge(struct strata_edge *edge, size_t last_before)
{
	struct strata_line *line = &edge->line;
	const struct strata_piece *before = &line->pieces[last_before];
	const struct strata_piece *after = &line->pieces[last_before + 1];
	struct strata_piece step = { .u0 = before->u1,
				     .u1 = after->u0,
				     .flags = STRATA_PIECE_STEP };
	int64_t more = strata_drift_over(&line->model, step.u1 - step.u0);
	int64_t middle = before->at1.low + (before->at1.high - before->at1.low) / 2;
	int64_t half = before->at1.high - middle;

	if (after->at0.high - middle > half)
		half = after->at0.high - middle;
	if (middle - after->at0.low > half)
		half = middle - after->at0.low;
	step.at0 = (struct strata_interval){ middle - half - more, middle + half + more };
	step.at1 = step.at0;
	return strata_line_add_step(line, last_before + 1, &step);
}

/* Draws all stretches.  Between @failed_from and @failed_to there was an instant without a line;
 * if the former is greater, there was none. */
static bool draw(struct strata_edge *edge, struct strata_edge_scratch *scratch,
		 int64_t *failed_from, int64_t *failed_to)
{
	const struct strata_windows *windows = &edge->windows;
	const struct strata_knots *knots = &scratch->knots;
	bool good = true;
	size_t next = 0;

	*failed_from = INT64_MAX;
	*failed_to = INT64_MIN;
	strata_line_clear(&edge->line);
	edge->line.model = edge->model;
	while (good && next < windows->nr) {
		const size_t nr = edge->line.nr;
		size_t first = next++, end;

		while (next < windows->nr && !windows->at[next].after_step)
			next++;
		/* Windows without points do not limit a stretch. */
		for (end = next; first < end && strata_window_empty(&windows->at[first]);)
			first++;
		while (first < end && strata_window_empty(&windows->at[end - 1]))
			end--;
		if (first == end)
			continue;
		good = strata_knots_find(edge, scratch, first, end, !nr, next == windows->nr) &&
		       emit(edge, knots);
		if (good && nr && edge->line.nr > nr)
			good = bridge(edge, nr - 1);
		if (knots->failed_from < *failed_from)
			*failed_from = knots->failed_from;
		if (knots->failed_to > *failed_to)
			*failed_to = knots->failed_to;
	}
	return good;
}

/*
 * If windows have a line with those before them, but not with all that follow, the rate changes
 * faster than assumed: raises the limit until a line exists.
 */
bool strata_edge_draw(struct strata_edge *edge, struct strata_edge_scratch *scratch)
{
	struct strata_breach breach = { .kind = STRATA_BREACH_WANDER, .from = INT64_MAX };
	unsigned int tries = 0;
	int64_t from, to;

	for (;;) {
		uint64_t slew = edge->model.slew < LEAST_SLEW ? LEAST_SLEW
							      : 2 * (uint64_t)edge->model.slew;

		if (!draw(edge, scratch, &from, &to))
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
	return !tries || strata_breach_add(&edge->breaches, &breach);
}
