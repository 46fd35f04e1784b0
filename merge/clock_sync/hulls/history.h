/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history.h - keeps the constraints of many windows in few points.
 *
 * The hull of everything before a window, or after it, takes part in the window's polygon.
 * If drift is constant, the hull is small however long the recording. Otherwise its far end is
 * lifted so high that it hardly matters, and points beyond a limit are dropped: dropping a
 * constraint makes a bound wider, never wrong.
 */
#ifndef STRATA_CLOCK_SYNC_HISTORY_H
#define STRATA_CLOCK_SYNC_HISTORY_H

#include "clock_sync/hulls/windows.h"

#define STRATA_HISTORY_POINTS 96u /* of each side */

/* Zero-initialised is empty. */
struct strata_history {
	struct strata_points points[STRATA_SIDES];
};

/* Adds later points.  False: out of memory. */
bool strata_history_append(struct strata_history *history,
			   const struct strata_points next[STRATA_SIDES],
			   const struct strata_model *model, int64_t centre);

/* Adds earlier points.  False: out of memory. */
bool strata_history_prepend(struct strata_history *history,
			    const struct strata_points earlier[STRATA_SIDES],
			    const struct strata_model *model, int64_t centre);

/* @history: all of @first, @second and @third, one after the other, as they are. */
bool strata_history_join(struct strata_history *history,
			 const struct strata_points first[STRATA_SIDES],
			 const struct strata_points second[STRATA_SIDES],
			 const struct strata_points third[STRATA_SIDES]);

bool strata_history_copy(struct strata_history *history, const struct strata_history *other);
void strata_history_empty(struct strata_history *history);
void strata_history_clear(struct strata_history *history);

#endif /* STRATA_CLOCK_SYNC_HISTORY_H */
