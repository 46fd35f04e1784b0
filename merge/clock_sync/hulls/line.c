// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - searches and interpolates pieces.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/hulls/line.h"
#include "base/array.h"
#include "base/partition.h"
#include "clock_sync/hulls/units.h"

static int64_t middle(const struct strata_interval *interval)
{
	return interval->low + (interval->high - interval->low) / 2;
}

static void find_reached(struct strata_line *line, size_t at)
{
	struct strata_piece *piece = &line->pieces[at];

	piece->reached = piece->u0 + middle(&piece->at0);
	if (at && piece[-1].reached > piece->reached)
		piece->reached = piece[-1].reached;
}

bool strata_line_add(struct strata_line *line, const struct strata_piece *piece)
{
	if (!STRATA_GROW(line->pieces, line->nr, line->capacity))
		return false;
	line->pieces[line->nr] = *piece;
	find_reached(line, line->nr++);
	return true;
}

/* Notes which sums a step may have shown. */
static bool note_step(struct strata_line *line, const struct strata_piece *piece)
{
	struct strata_line_step *step;
	size_t i;

	if (!STRATA_GROW(line->steps, line->nr_steps, line->steps_capacity))
		return false;
	step = &line->steps[line->nr_steps++];
	step->low = step->lowest = piece->u0 + piece->at0.low;
	step->high = step->highest = piece->u1 + piece->at0.high;
	step->width = (strata_wide)(piece->u1 - piece->u0) + (piece->at0.high - piece->at0.low);
	if (line->nr_steps > 1 && step[-1].highest > step->highest)
		step->highest = step[-1].highest;
	for (i = line->nr_steps - 1; i-- > 0 && line->steps[i].lowest > step->low;)
		line->steps[i].lowest = step->low;
	return true;
}

bool strata_line_add_step(struct strata_line *line, size_t at, const struct strata_piece *step)
{
	size_t i;

	if (!STRATA_GROW(line->pieces, line->nr, line->capacity) || !note_step(line, step))
		return false;
	memmove(&line->pieces[at + 1], &line->pieces[at], (line->nr - at) * sizeof(*line->pieces));
	line->pieces[at] = *step;
	line->nr++;
	for (i = at; i < line->nr; i++)
		find_reached(line, i);
	return true;
}

void strata_line_clear(struct strata_line *line)
{
	free(line->pieces);
	free(line->steps);
	memset(line, 0, sizeof(*line));
}

/* The last piece that begins at or before @u; the first, if none does. */
static const struct strata_piece *piece_at(const struct strata_line *line, int64_t u)
{
	return &line->pieces[STRATA_LAST_OF(i, line->nr, line->pieces[i].u0 <= u)];
}

/* Between two values: exact but for the last rounding. */
static int64_t chord(int64_t from, int64_t to, int64_t part, int64_t whole)
{
	return from + (int64_t)strata_round_div((strata_wide)(to - from) * part, whole);
}

struct strata_deviation strata_line_at(const struct strata_line *line, int64_t u)
{
	const struct strata_piece *piece = piece_at(line, u);
	const int64_t length = piece->u1 - piece->u0;
	struct strata_deviation result = { .flags = piece->flags, .sag = piece->sag };
	struct strata_interval now;
	int64_t beyond = 0;

	if (u < piece->u0) {
		now = piece->at0;
		beyond = piece->u0 - u;
	} else if (u >= piece->u1) {
		now = piece->at1;
		beyond = u - piece->u1;
	} else {
		now.low = chord(piece->at0.low, piece->at1.low, u - piece->u0, length) - 1;
		now.high = chord(piece->at0.high, piece->at1.high, u - piece->u0, length) + 1;
	}
	result.estimate = middle(&now);
	result.half = now.high - result.estimate;
	if (beyond || length == 0)
		result.sag = 0;
	if (beyond) {
		result.half += strata_drift_over(&line->model, beyond);
		result.flags |= STRATA_PIECE_OUTSIDE;
	}
	return result;
}

int64_t strata_line_reach(const struct strata_line *line, int64_t sum)
{
	size_t low = STRATA_LAST_OF(i, line->nr, line->pieces[i].reached <= sum);
	int64_t u0, u1;

	/* After a step back, pieces that have not caught up yet. */
	while (low > 0 && line->pieces[low].u0 + middle(&line->pieces[low].at0) > sum)
		low--;
	u0 = line->pieces[low].u0;
	u1 = low + 1 < line->nr ? line->pieces[low].u1 : INT64_MAX;
	if (low == 0 && u0 + middle(&line->pieces[0].at0) > sum) {
		u1 = u0;
		u0 = INT64_MIN;
	}
	/* The deviation moves by less than half of what u does: twice the way is far enough. */
	if (u0 == INT64_MIN || u1 == INT64_MAX) {
		int64_t at = u0 == INT64_MIN ? u1 : u0;
		int64_t way = sum - (at + strata_line_at(line, at).estimate);

		u0 = u0 == INT64_MIN ? at + 2 * way - 2 : u0;
		u1 = u1 == INT64_MAX ? at + 2 * way + 2 : u1;
	}
	while (u1 - u0 > 1) {
		int64_t half = u0 + (u1 - u0) / 2;

		if (half + strata_line_at(line, half).estimate <= sum)
			u0 = half;
		else
			u1 = half;
	}
	return u0;
}

size_t strata_line_steps_near(const struct strata_line *line, strata_wide low, strata_wide high,
			      size_t *end)
{
	const size_t first = STRATA_PARTITION(i, 0, line->nr_steps, line->steps[i].highest < low);

	*end = STRATA_PARTITION(j, first, line->nr_steps, line->steps[j].lowest <= high);
	return first;
}

void strata_line_steps(const struct strata_line *line, int64_t sum, unsigned int *flags,
		       strata_wide *half)
{
	const strata_wide around = (*half >> STRATA_FINE_GRAIN) + 1;
	size_t i, end;

	for (i = strata_line_steps_near(line, sum - around, sum + around, &end); i < end; i++) {
		const struct strata_line_step *step = &line->steps[i];

		if (sum + around < step->low || sum - around > step->high)
			continue;
		*flags |= STRATA_PIECE_STEP;
		*half = strata_wide_max(*half, 2 * strata_fine_of(step->width));
	}
}
