// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * history.c - merges hulls, and limits their length.
 */
#include <string.h>

#include "clock_sync/hulls/history.h"

void strata_history_empty(struct strata_history *history)
{
	history->points[STRATA_ABOVE].nr = 0;
	history->points[STRATA_BELOW].nr = 0;
}

void strata_history_clear(struct strata_history *history)
{
	strata_points_clear(&history->points[STRATA_ABOVE]);
	strata_points_clear(&history->points[STRATA_BELOW]);
}

bool strata_history_join(struct strata_history *history,
			 const struct strata_points first[STRATA_SIDES],
			 const struct strata_points second[STRATA_SIDES],
			 const struct strata_points third[STRATA_SIDES])
{
	int side;

	strata_history_empty(history);
	for (side = 0; side < STRATA_SIDES; side++) {
		if ((first && !strata_points_append(&history->points[side], &first[side])) ||
		    (second && !strata_points_append(&history->points[side], &second[side])) ||
		    (third && !strata_points_append(&history->points[side], &third[side])))
			return false;
	}
	return true;
}

bool strata_history_copy(struct strata_history *history, const struct strata_history *other)
{
	return strata_history_join(history, other->points, NULL, NULL);
}

bool strata_history_append(struct strata_history *history,
			   const struct strata_points next[STRATA_SIDES],
			   const struct strata_model *model, int64_t centre)
{
	int side;

	for (side = 0; side < STRATA_SIDES; side++) {
		struct strata_points *points = &history->points[side];

		if (!strata_points_append(points, &next[side]))
			return false;
		strata_points_hull(points, (enum strata_side)side, model, centre);
		if (points->nr > STRATA_HISTORY_POINTS) {
			memmove(points->at, points->at + points->nr - STRATA_HISTORY_POINTS,
				STRATA_HISTORY_POINTS * sizeof(*points->at));
			points->nr = STRATA_HISTORY_POINTS;
		}
	}
	return true;
}

bool strata_history_prepend(struct strata_history *history,
			    const struct strata_points earlier[STRATA_SIDES],
			    const struct strata_model *model, int64_t centre)
{
	int side;

	for (side = 0; side < STRATA_SIDES; side++) {
		struct strata_points *points = &history->points[side];
		size_t i, nr = points->nr;

		if (!earlier[side].nr)
			continue;
		/* Grow it, move what is there to the end, and put the earlier ones in front. */
		if (!strata_points_append(points, &earlier[side]))
			return false;
		memmove(points->at + earlier[side].nr, points->at, nr * sizeof(*points->at));
		for (i = 0; i < earlier[side].nr; i++)
			points->at[i] = earlier[side].at[i];
		strata_points_hull(points, (enum strata_side)side, model, centre);
		if (points->nr > STRATA_HISTORY_POINTS)
			points->nr = STRATA_HISTORY_POINTS;
	}
	return true;
}
