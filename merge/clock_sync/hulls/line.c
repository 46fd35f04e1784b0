// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * line.c - searches and interpolates pieces.
 */
#include <stdlib.h>

#include "clock_sync/hulls/line.h"
#include "base/array.h"
#include "base/partition.h"
#include "clock_sync/hulls/units.h"

static int64_t middle(const struct strata_interval *interval)
{
	return interval->low + (interval->high - interval->low) / 2;
}

bool strata_line_add(struct strata_line *line, const struct strata_piece *piece)
{
	int64_t reached = piece->u0 + middle(&piece->at0);

	if (!STRATA_GROW(line->pieces, line->nr, line->capacity))
		return false;
	line->pieces[line->nr] = *piece;
	if (line->nr && line->pieces[line->nr - 1].reached > reached)
		reached = line->pieces[line->nr - 1].reached;
	line->pieces[line->nr++].reached = reached;
	return true;
}

void strata_line_clear(struct strata_line *line)
{
	free(line->pieces);
	line->pieces = NULL;
	line->nr = 0;
	line->capacity = 0;
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

void strata_line_steps(const struct strata_line *line, int64_t sum, unsigned int *flags,
		       strata_wide *half)
{
	strata_wide around = (*half >> STRATA_FINE_GRAIN) + 1;
	size_t i;

	for (i = 0; i < line->nr; i++) {
		const struct strata_piece *piece = &line->pieces[i];
		strata_wide all =
			(strata_wide)(piece->u1 - piece->u0) + (piece->at0.high - piece->at0.low);

		if (!(piece->flags & STRATA_PIECE_STEP) ||
		    sum + around < piece->u0 + piece->at0.low ||
		    sum - around > piece->u1 + piece->at0.high)
			continue;
		*flags |= STRATA_PIECE_STEP;
		*half = strata_wide_max(*half, 2 * strata_fine_of(all));
	}
}
