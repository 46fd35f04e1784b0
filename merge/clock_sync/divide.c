// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * divide.c - finds windows in which the model fails, and explains them.
 *
 * Some line must satisfy each window's constraints and all those before it since the last step.  If
 * none does, explanations are tried from the weakest to the strongest:
 *
 *   drift         a rate that differs more than was assumed explains it: the assumption is raised
 *   wander        a rate that changes faster than was assumed does, likewise, if an oscillator can
 *                 change that fast
 *   false pairs   a few constraints contradict the rest: they are dropped
 *   step          both sides of some instant have a line, but not the same one: the stretch is
 *                 divided there
 *   unexplained   constraints are loosened until there is a line, which proves nothing
 *
 * Look-ahead comes first: it distinguishes a step from a false pair, and both from what an
 * oscillator does in some seconds.
 */
#include <string.h>

#include "clock_sync/edge.h"
#include "clock_sync/hulls/repair.h"
#include "clock_sync/edge_scratch.h"

#define AHEAD          4u         /* windows examined after the failing one */
#define BACK           64u        /* windows from which a history is rebuilt */
#define FALSE_LIMIT    16u        /* limit of false pairs in a window */
#define DRIFT_FACTOR   8u         /* times the assumed drift: more is not drift */
#define DRIFT_LIMIT    100000000u /* ppb */
#define SLEW_LIMIT     100000000u /* 1e-12 a second: no oscillator changes by 100 ppm a second */
#define SLEW_LIKELY    10000000u  /* 10 ppm a second: one that is being heated */
#define BREACHES_LIMIT 100000u

struct division {
	struct strata_edge *edge;
	/* @past: from the window first up to before the window at */
	struct strata_edge_scratch *scratch;
	size_t first;
	size_t at;
	unsigned int nr_false; /* in this window */
};

static struct strata_window *now(const struct division *division)
{
	return &division->edge->windows.at[division->at];
}

static bool note(struct division *division, enum strata_clock_breach_kind kind, int64_t from,
		 int64_t to, int64_t size, uint64_t cookie)
{
	struct strata_breach breach = {
		.kind = kind, .from = from, .to = to, .size = size, .cookie = cookie
	};

	return division->edge->breaches.nr >= BREACHES_LIMIT ||
	       strata_breach_add(&division->edge->breaches, &breach);
}

/* The past and the window, and @ahead windows after it up to the next step. */
static bool look_at(struct division *division, size_t ahead)
{
	const struct strata_windows *windows = &division->edge->windows;
	size_t i;
	int side;

	if (!strata_history_join(&division->scratch->all, division->scratch->past.points,
				 now(division)->points, NULL))
		return false;
	for (i = division->at + 1; i < windows->nr && i <= division->at + ahead; i++) {
		if (windows->at[i].after_step)
			break;
		for (side = 0; side < STRATA_SIDES; side++) {
			if (!strata_points_append(&division->scratch->all.points[side],
						  &windows->at[i].points[side]))
				return false;
		}
	}
	return true;
}

/* Rebuilds the past after windows in it were changed. */
static bool remember(struct division *division)
{
	const struct strata_windows *windows = &division->edge->windows;
	size_t i = division->at > BACK ? division->at - BACK : 0;

	if (i < division->first)
		i = division->first;
	strata_history_empty(&division->scratch->past);
	for (; i < division->at; i++) {
		if (!strata_history_append(&division->scratch->past, windows->at[i].points,
					   &division->edge->model,
					   strata_window_middle(&windows->at[i])))
			return false;
	}
	return true;
}

/* Removes a point from its window. */
static bool drop(struct division *division, enum strata_side side, const struct strata_point *point)
{
	struct strata_windows *windows = &division->edge->windows;
	struct strata_window *window = &windows->at[strata_windows_at(windows, point->u)];
	struct strata_points *points = &window->points[side];
	size_t i;

	for (i = 0; i < points->nr; i++) {
		if (points->at[i].u != point->u || points->at[i].v != point->v ||
		    points->at[i].cookie != point->cookie)
			continue;
		memmove(&points->at[i], &points->at[i + 1],
			(points->nr - i - 1) * sizeof(*points->at));
		points->nr--;
		return strata_window_settle(window, &division->scratch->polygon,
					    &division->edge->model);
	}
	return true;
}

static enum strata_answer try_false(struct division *division)
{
	struct strata_suspects suspects;
	enum strata_answer answer;
	unsigned int i;

	if (division->nr_false >= FALSE_LIMIT)
		return STRATA_NO;
	answer = strata_find_false(&division->scratch->polygon, &division->scratch->all,
				   &division->edge->model, strata_window_middle(now(division)),
				   &suspects);
	if (answer != STRATA_YES)
		return answer;
	for (i = 0; i < suspects.nr; i++) {
		const struct strata_point *point = &suspects.at[i].point;

		if (!note(division, STRATA_BREACH_FALSE_PAIR, point->u, point->u,
			  suspects.at[i].size, point->cookie) ||
		    !drop(division, suspects.at[i].side, point))
			return STRATA_OUT_OF_MEMORY;
	}
	division->nr_false += suspects.nr;
	return remember(division) ? STRATA_YES : STRATA_OUT_OF_MEMORY;
}

/* Whether the examined windows have a line under another limit of the model. */
static enum strata_answer feasible_with(struct division *division, bool drift, uint32_t limit)
{
	const struct strata_model *model = &division->edge->model;
	struct strata_model wider = drift ? strata_model_make(limit, model->slew)
					  : strata_model_make(model->drift_ppb, limit);

	return strata_feasible(&division->scratch->polygon, division->scratch->all.points, &wider,
			       strata_window_middle(now(division)));
}

/* Returns the least sufficient limit, to within a part in 64: @fails is too small, @most may
 * suffice. */
static enum strata_answer least_limit(struct division *division, bool drift, uint32_t fails,
				      uint32_t most, uint32_t *least)
{
	enum strata_answer answer = feasible_with(division, drift, most);

	if (answer != STRATA_YES)
		return answer;
	*least = most;
	while (*least - fails > *least / 64 + 1) {
		uint32_t half = fails + (*least - fails) / 2;

		answer = feasible_with(division, drift, half);
		if (answer == STRATA_OUT_OF_MEMORY)
			return answer;
		if (answer == STRATA_YES)
			*least = half;
		else
			fails = half;
	}
	return STRATA_YES;
}

static enum strata_answer try_drift(struct division *division)
{
	struct strata_edge *edge = division->edge;
	uint64_t most = (uint64_t)edge->asked.drift_ppb * DRIFT_FACTOR;
	uint32_t least = 0;
	enum strata_answer answer;

	if (most > DRIFT_LIMIT)
		most = DRIFT_LIMIT;
	if (most <= edge->model.drift_ppb)
		return STRATA_NO;
	answer = least_limit(division, true, edge->model.drift_ppb, (uint32_t)most, &least);
	if (answer != STRATA_YES)
		return answer;
	if (!note(division, STRATA_BREACH_DRIFT, now(division)->start, now(division)->end, least,
		  0))
		return STRATA_OUT_OF_MEMORY;
	/* This is a lower limit; the true drift may be larger. */
	edge->model = strata_model_make((uint32_t)most, edge->model.slew);
	return STRATA_YES;
}

/* Whether a rate that changes faster explains it, up to @most. */
static enum strata_answer try_wander(struct division *division, uint32_t most)
{
	struct strata_edge *edge = division->edge;
	uint32_t least = 0;
	enum strata_answer answer;

	if (edge->model.slew >= most)
		return STRATA_NO;
	answer = least_limit(division, false, edge->model.slew, most, &least);
	if (answer != STRATA_YES)
		return answer;
	if (!note(division, STRATA_BREACH_WANDER, now(division)->start, now(division)->end, least,
		  0))
		return STRATA_OUT_OF_MEMORY;
	least = least > SLEW_LIMIT / 2 ? SLEW_LIMIT : 2 * least;
	edge->model = strata_model_make(edge->model.drift_ppb, least);
	return STRATA_YES;
}

/* Divides windows at a step; constraints within it belong to neither side. */
static bool divide_at(struct division *division, const struct strata_step *step)
{
	struct strata_windows *windows = &division->edge->windows;
	size_t i, index = strata_windows_at(windows, step->to);
	int side;

	for (i = strata_windows_at(windows, step->from); i <= index; i++) {
		for (side = 0; side < STRATA_SIDES; side++) {
			struct strata_points *points = &windows->at[i].points[side];
			size_t j, keep = 0;

			for (j = 0; j < points->nr; j++) {
				if (points->at[j].u <= step->from || points->at[j].u >= step->to)
					points->at[keep++] = points->at[j];
			}
			points->nr = keep;
		}
	}
	if (step->to > windows->at[index].start) {
		if (!strata_windows_split(windows, index, step->to))
			return false;
		index++;
	}
	windows->at[index].after_step = true;
	if (!strata_windows_reindex(windows))
		return false;
	for (i = strata_windows_at(windows, step->from); i <= index; i++) {
		if (!strata_window_settle(&windows->at[i], &division->scratch->polygon,
					  &division->edge->model))
			return false;
	}
	if (division->at > index)
		division->at = index;
	return true;
}

static enum strata_answer try_step(struct division *division)
{
	struct strata_step step;
	enum strata_answer answer = strata_find_step(&division->scratch->polygon,
						     &division->scratch->all,
						     &division->edge->model, &step);

	if (answer != STRATA_YES)
		return answer;
	if (!note(division, STRATA_BREACH_STEP, step.from, step.to, step.size, 0) ||
	    !divide_at(division, &step) || !remember(division))
		return STRATA_OUT_OF_MEMORY;
	return STRATA_YES;
}

/* Loosens the window's constraints until there is a line. */
static bool loosen(struct division *division)
{
	struct strata_window *window = now(division);
	int64_t by = 1, sum = 0;
	enum strata_answer answer;
	size_t i;

	do {
		for (i = 0; i < window->points[STRATA_ABOVE].nr; i++)
			window->points[STRATA_ABOVE].at[i].v += by;
		for (i = 0; i < window->points[STRATA_BELOW].nr; i++)
			window->points[STRATA_BELOW].at[i].v -= by;
		sum += by;
		by *= 2;
		if (!look_at(division, 0))
			return false;
		answer = strata_feasible(&division->scratch->polygon, division->scratch->all.points,
					 &division->edge->model, strata_window_middle(window));
	} while (answer == STRATA_NO && sum < STRATA_GRAIN_LIMIT / 4);
	if (answer == STRATA_OUT_OF_MEMORY)
		return false;
	window->unproven = true;
	if (answer == STRATA_NO) {
		window->points[STRATA_ABOVE].nr = window->points[STRATA_BELOW].nr = 0;
		strata_history_empty(&division->scratch->past);
	}
	return note(division, STRATA_BREACH_UNEXPLAINED, window->start, window->end, sum, 0) &&
	       strata_window_settle(window, &division->scratch->polygon, &division->edge->model);
}

/* Explains a failing window, which is then examined again. */
static bool explain(struct division *division)
{
	static const size_t aheads[] = { AHEAD, 1, 0 };
	enum strata_answer answer = STRATA_NO;
	size_t i;

	for (i = 0; i < sizeof(aheads) / sizeof(aheads[0]); i++) {
		if (!look_at(division, aheads[i]))
			return false;
		if (i == 0)
			answer = try_drift(division);
		if (i == 0 && answer == STRATA_NO)
			answer = try_wander(division, SLEW_LIKELY);
		if (answer == STRATA_NO)
			answer = try_false(division);
		if (answer == STRATA_NO)
			answer = try_step(division);
		if (answer != STRATA_NO)
			return answer == STRATA_YES;
	}
	answer = try_wander(division, SLEW_LIMIT);
	if (answer != STRATA_NO)
		return answer == STRATA_YES;
	return loosen(division);
}

static bool divide(struct division *division)
{
	struct strata_windows *windows = &division->edge->windows;
	unsigned int tries = 0;

	while (division->at < windows->nr) {
		enum strata_answer answer;

		if (now(division)->after_step && division->at != division->first) {
			division->first = division->at;
			strata_history_empty(&division->scratch->past);
		}
		if (!look_at(division, 0))
			return false;
		answer = strata_feasible(&division->scratch->polygon, division->scratch->all.points,
					 &division->edge->model,
					 strata_window_middle(now(division)));
		if (answer == STRATA_OUT_OF_MEMORY)
			return false;
		if (answer == STRATA_NO) {
			/* Any explanation but the last may be insufficient. */
			if (tries++ < 4 * FALSE_LIMIT ? !explain(division) : !loosen(division))
				return false;
			continue;
		}
		if (!strata_history_append(&division->scratch->past, now(division)->points,
					   &division->edge->model,
					   strata_window_middle(now(division))))
			return false;
		division->at++;
		division->nr_false = 0;
		tries = 0;
	}
	return true;
}

bool strata_edge_divide(struct strata_edge *edge, struct strata_edge_scratch *scratch)
{
	struct division division = { .edge = edge, .scratch = scratch };

	strata_history_empty(&scratch->past);
	return strata_windows_settle(&edge->windows, &scratch->polygon, &edge->model) &&
	       divide(&division);
}
