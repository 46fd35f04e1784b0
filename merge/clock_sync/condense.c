// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * condense.c - what a live merge forgets, so that it can go on for ever.
 *
 * Windows long before the last reading that was fixed become one, which keeps the points of
 * their hull: they still have their say in the polygons of later windows, but no knots of their
 * own.  The maps of that time are fixed; they do not need them.
 */
#include <string.h>

#include "edge.h"

#define KEEP 64u /* windows that stay as they are */

bool strata_edge_condense(struct strata_edge *edge, int64_t until)
{
	struct strata_windows *windows = &edge->windows;
	size_t i, first = 0, end = strata_windows_at(windows, until);
	struct strata_history history = { 0 };
	struct strata_window one;
	int side;

	/* Not a few at a time. */
	if (!windows->nr || end < 2 * KEEP)
		return true;
	end -= KEEP;
	for (i = 0; i < end; i++) {
		if (windows->at[i].after_step)
			first = i;
	}
	one = windows->at[first];
	one.end = windows->at[end - 1].end;
	one.after_step = false;
	one.condensed = true;
	for (i = first; i < end; i++) {
		one.unproven |= windows->at[i].unproven;
		if (!strata_history_append(&history, windows->at[i].points, &edge->model,
					   strata_window_middle(&windows->at[i]))) {
			strata_history_clear(&history);
			return false;
		}
	}
	for (i = 0; i < end; i++) {
		for (side = 0; side < STRATA_SIDES; side++)
			strata_points_clear(&windows->at[i].points[side]);
	}
	memcpy(one.points, history.points, sizeof(one.points));
	windows->at[0] = one;
	memmove(&windows->at[1], &windows->at[end], (windows->nr - end) * sizeof(*windows->at));
	windows->nr -= end - 1;
	windows->condensed_until = one.end;
	windows->is_condensed = true;
	edge->first = edge->origin + strata_fine_of(one.end);
	return strata_windows_reindex(windows);
}
