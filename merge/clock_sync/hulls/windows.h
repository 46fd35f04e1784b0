/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * windows.h - the constraints of an edge, window by window of time.
 *
 * A window keeps the hulls that its polygon needs.  It accepts constraints in any order, in
 * amortised constant time each, and drops points inside the hulls. While its constraints contradict
 * each other it drops nothing, so that false ones can be identified.
 */
#ifndef STRATA_CLOCK_SYNC_WINDOWS_H
#define STRATA_CLOCK_SYNC_WINDOWS_H

#include "clock_sync/hulls/points.h"
#include "clock_sync/hulls/polygon.h"

struct strata_window {
	int64_t start; /* grains; all its points are in [start, end) */
	int64_t end;
	struct strata_points points[STRATA_SIDES];
	size_t settle_at; /* points at which some are dropped */
	bool settled;     /* points are in order, and on the hull unless contrary */
	bool contrary;    /* no line obeys them all */
	bool after_step;  /* the clock was set between the previous window and this one */
	bool unproven;    /* its constraints were loosened until there was a line */
};

/* Zero-initialised but for the length is empty. */
struct strata_windows {
	int64_t length; /* grains */
	struct strata_window *at;
	size_t nr;
	size_t capacity;
	size_t *slots; /* windows by start: a hash table; index + 1, 0 is free */
	size_t nr_slots;
	size_t last; /* the window that was used last */
	bool in_order;
};

/* False: out of memory. */
bool strata_windows_add(struct strata_windows *windows, struct strata_polygon_scratch *scratch,
			const struct strata_model *model, enum strata_side side,
			const struct strata_point *point);

/* Brings windows in order of time and settles each. */
bool strata_windows_settle(struct strata_windows *windows, struct strata_polygon_scratch *scratch,
			   const struct strata_model *model);

/* Makes the table of windows anew after they were moved. */
bool strata_windows_reindex(struct strata_windows *windows);

/* Settles one window anew after its points were changed. */
bool strata_window_settle(struct strata_window *window, struct strata_polygon_scratch *scratch,
			  const struct strata_model *model);

/* The last window that starts at or before @u, or the first one; windows are in order. */
size_t strata_windows_at(const struct strata_windows *windows, int64_t u);

/* Moves the points of a window from @cut on to a new window, after a step; @cut is within the
 * window. Windows must be settled afterwards. */
bool strata_windows_split(struct strata_windows *windows, size_t index, int64_t cut);

void strata_windows_clear(struct strata_windows *windows);

static inline bool strata_window_empty(const struct strata_window *window)
{
	return !window->points[STRATA_ABOVE].nr && !window->points[STRATA_BELOW].nr;
}

static inline int64_t strata_window_middle(const struct strata_window *window)
{
	return window->start + (window->end - window->start) / 2;
}

#endif /* STRATA_CLOCK_SYNC_WINDOWS_H */
