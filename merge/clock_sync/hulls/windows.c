// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * windows.c - finds windows by a hash of their start, and reduces their points.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partition.h"
#include "clock_sync/hulls/units.h"
#include "clock_sync/hulls/windows.h"

#define SETTLE_AT 256u /* points: enough that sorting and hulls cost little for each */

static size_t hash(int64_t number, size_t nr_slots)
{
	return (size_t)(((uint64_t)number * 0x9e3779b97f4a7c15ull) >> 20) & (nr_slots - 1);
}

static void enter(struct strata_windows *windows, size_t index)
{
	size_t slot = hash(windows->at[index].start, windows->nr_slots);

	while (windows->slots[slot])
		slot = (slot + 1) & (windows->nr_slots - 1);
	windows->slots[slot] = index + 1;
}

bool strata_windows_reindex(struct strata_windows *windows)
{
	size_t i, nr_slots = windows->nr_slots ? windows->nr_slots : 64;

	windows->last = 0;
	while (nr_slots < windows->nr * 2 + 2)
		nr_slots *= 2;
	if (nr_slots != windows->nr_slots) {
		size_t *slots = calloc(nr_slots, sizeof(*slots));

		if (!slots)
			return false;
		free(windows->slots);
		windows->slots = slots;
		windows->nr_slots = nr_slots;
	} else {
		memset(windows->slots, 0, nr_slots * sizeof(*windows->slots));
	}
	for (i = 0; i < windows->nr; i++)
		enter(windows, i);
	return true;
}

static struct strata_window *find(struct strata_windows *windows, int64_t start)
{
	size_t slot;

	if (!windows->nr)
		return NULL;
	if (windows->at[windows->last].start == start)
		return &windows->at[windows->last];
	slot = hash(start, windows->nr_slots);
	while (windows->slots[slot]) {
		size_t index = windows->slots[slot] - 1;

		if (windows->at[index].start == start) {
			windows->last = index;
			return &windows->at[index];
		}
		slot = (slot + 1) & (windows->nr_slots - 1);
	}
	return NULL;
}

static struct strata_window *make(struct strata_windows *windows, int64_t start)
{
	struct strata_window *window;

	if (!STRATA_GROW(windows->at, windows->nr, windows->capacity))
		return NULL;
	if (windows->nr && start < windows->at[windows->nr - 1].start)
		windows->in_order = false;
	window = &windows->at[windows->nr];
	memset(window, 0, sizeof(*window));
	window->start = start;
	window->end = start + windows->length;
	window->settle_at = SETTLE_AT;
	windows->nr++;
	if (windows->nr * 2 > windows->nr_slots) {
		if (!strata_windows_reindex(windows)) {
			windows->nr--;
			return NULL;
		}
	} else {
		enter(windows, windows->nr - 1);
	}
	windows->last = windows->nr - 1;
	return window;
}

static size_t points_of(const struct strata_window *window)
{
	return window->points[STRATA_ABOVE].nr + window->points[STRATA_BELOW].nr;
}

bool strata_window_settle(struct strata_window *window, struct strata_polygon_scratch *scratch,
			  const struct strata_model *model)
{
	const int64_t middle = strata_window_middle(window);
	struct strata_interval interval;
	enum strata_polygon_state state;
	int side;

	for (side = 0; side < STRATA_SIDES; side++)
		strata_points_sort(&window->points[side], (enum strata_side)side);
	state = strata_polygon_at(scratch, window->points, model, middle, &interval, NULL);
	if (state == STRATA_POLYGON_NO_MEMORY)
		return false;
	window->contrary = state == STRATA_POLYGON_EMPTY;
	for (side = 0; !window->contrary && side < STRATA_SIDES; side++)
		strata_points_hull(&window->points[side], (enum strata_side)side, model, middle);
	window->settled = true;
	window->settle_at = 2 * points_of(window);
	if (window->settle_at < SETTLE_AT)
		window->settle_at = SETTLE_AT;
	return true;
}

bool strata_windows_add(struct strata_windows *windows, struct strata_polygon_scratch *scratch,
			const struct strata_model *model, enum strata_side side,
			const struct strata_point *point)
{
	int64_t start = (int64_t)strata_floor_div(point->u, windows->length) * windows->length;
	struct strata_window *window = find(windows, start);

	if (!window)
		window = make(windows, start);
	/* It may have been split at a step. */
	while (window && point->u >= window->end)
		window++;
	if (!window || !strata_points_add(&window->points[side], point))
		return false;
	window->settled = false;
	return points_of(window) < window->settle_at ||
	       strata_window_settle(window, scratch, model);
}

static int by_start(const void *a, const void *b)
{
	const struct strata_window *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

bool strata_windows_settle(struct strata_windows *windows, struct strata_polygon_scratch *scratch,
			   const struct strata_model *model)
{
	size_t i;

	if (!windows->in_order) {
		if (windows->nr > 1)
			qsort(windows->at, windows->nr, sizeof(*windows->at), by_start);
		windows->in_order = true;
		if (windows->nr && !strata_windows_reindex(windows))
			return false;
	}
	for (i = 0; i < windows->nr; i++) {
		if (!windows->at[i].settled &&
		    !strata_window_settle(&windows->at[i], scratch, model))
			return false;
	}
	return true;
}

void strata_windows_clear(struct strata_windows *windows)
{
	size_t i;
	int side;

	for (i = 0; i < windows->nr; i++) {
		for (side = 0; side < STRATA_SIDES; side++)
			strata_points_clear(&windows->at[i].points[side]);
	}
	free(windows->at);
	free(windows->slots);
	memset(windows, 0, sizeof(*windows));
}

size_t strata_windows_at(const struct strata_windows *windows, int64_t u)
{
	return STRATA_LAST_OF(i, windows->nr, windows->at[i].start <= u);
}

bool strata_windows_split(struct strata_windows *windows, size_t index, int64_t cut)
{
	struct strata_window *window, later = { .start = cut, .after_step = true };
	int side;
	size_t i;

	if (!STRATA_GROW(windows->at, windows->nr, windows->capacity))
		return false;
	window = &windows->at[index];
	later.end = window->end;
	later.settle_at = window->settle_at;
	window->end = cut;
	for (side = 0; side < STRATA_SIDES; side++) {
		struct strata_points *points = &window->points[side];
		size_t keep = 0;

		while (keep < points->nr && points->at[keep].u < cut)
			keep++;
		for (i = keep; i < points->nr; i++) {
			if (!strata_points_add(&later.points[side], &points->at[i])) {
				strata_points_clear(&later.points[STRATA_ABOVE]);
				strata_points_clear(&later.points[STRATA_BELOW]);
				return false;
			}
		}
		points->nr = keep;
	}
	memmove(&windows->at[index + 2], &windows->at[index + 1],
		(windows->nr - index - 1) * sizeof(*windows->at));
	windows->at[index + 1] = later;
	windows->nr++;
	windows->last = index;
	return true;
}
