// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - what was assumed, found and broken, in the terms of the caller.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

static uint64_t ns_of(strata_wide grains)
{
	return (uint64_t)strata_ceil_shift(grains, STRATA_GRAIN_SHIFT);
}

static struct strata_clock_limits limits_of(const struct strata_edge *edge,
					    const struct strata_model *model)
{
	return (struct strata_clock_limits){
		.drift_ppb = model->drift_ppb,
		.slew_ppt = model->slew,
		.window_ms = (uint32_t)(edge->windows.length / (STRATA_GRAIN_SECOND / 1000)),
	};
}

static void report_edge(const struct strata_clock_sync *sync, size_t index,
			struct strata_clock_edge_report *report)
{
	const struct strata_edge *edge = sync->edges[index];
	size_t i;

	report->clock = edge->from;
	report->other = edge->to;
	report->exact = edge->is_exact;
	for (i = 0; i < sync->nr_clocks; i++)
		report->used |= sync->clocks[i].parent_edge == (int)index;
	report->one_sided = !edge->is_exact && !edge->line.nr;
	report->constraints[0] = edge->nr_constraints[STRATA_ABOVE];
	report->constraints[1] = edge->nr_constraints[STRATA_BELOW];
	report->late = edge->nr_late;
	report->pieces = edge->exact.nr;
	report->windows = edge->windows.nr;
	for (i = 0; i < edge->windows.nr; i++)
		report->kept += edge->windows.at[i].points[STRATA_ABOVE].nr +
				edge->windows.at[i].points[STRATA_BELOW].nr;
	report->asked = limits_of(edge, &edge->asked);
	report->used_limits = limits_of(edge, &edge->model);
	report->mean_bound_ns = sync->weights[index] == UINT64_MAX
					? UINT64_MAX
					: ns_of((strata_wide)sync->weights[index]);
}

static bool report_clock(struct strata_clock_sync *sync, size_t index,
			 struct strata_clock_report *report)
{
	struct strata_clock *clock = &sync->clocks[index];
	struct strata_clock_cursor cursor = { .map = clock->map };
	size_t i;

	free(clock->bounds);
	clock->bounds = calloc(clock->map->nr + 1, sizeof(*clock->bounds));
	if (!clock->bounds)
		return false;
	report->name = clock->name;
	report->reachable = clock->map->reachable;
	report->parent = -1;
	if (clock->parent_edge >= 0) {
		const struct strata_edge *edge = sync->edges[clock->parent_edge];

		report->parent = edge->from == (int)index ? edge->to : edge->from;
	}
	report->version = clock->map->version;
	report->bounds = clock->bounds;
	report->least_bound = UINT64_MAX;
	for (i = 0; i < clock->map->nr; i++) {
		struct strata_clock_time time =
			strata_clock_convert(&cursor, clock->map->pieces[i].from);

		clock->bounds[i].reading = clock->map->pieces[i].from;
		clock->bounds[i].bound = time.bound;
		clock->bounds[i].flags = time.flags;
		if (time.flags & STRATA_CLOCK_OUTSIDE || time.bound == STRATA_CLOCK_UNBOUNDED)
			continue;
		if (time.bound < report->least_bound)
			report->least_bound = time.bound;
		if (time.bound > report->greatest_bound)
			report->greatest_bound = time.bound;
	}
	report->nr_bounds = clock->map->nr;
	return true;
}

static int64_t reading_at(const struct strata_clock_sync *sync, const struct strata_edge *edge,
			  int64_t u)
{
	strata_wide reading =
		strata_fine_ticks(&sync->rates[edge->from], edge->origin + strata_fine_of(u), 0);

	strata_clamp_ticks(&reading);
	return (int64_t)reading;
}

static struct strata_clock_breach breach_of(const struct strata_clock_sync *sync,
					    const struct strata_edge *edge,
					    const struct strata_breach *breach)
{
	bool is_time = breach->kind != STRATA_BREACH_DRIFT && breach->kind != STRATA_BREACH_WANDER;

	return (struct strata_clock_breach){
		.kind = breach->kind,
		.clock = edge->from,
		.other = edge->to,
		.from = reading_at(sync, edge, breach->from),
		.to = reading_at(sync, edge, breach->to),
		.size = is_time ? breach->size >> STRATA_GRAIN_SHIFT : breach->size,
		.cookie = breach->cookie,
	};
}

const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err)
{
	struct strata_clock_sync_report *report = &sync->report;
	struct strata_clock_edge_report *edges;
	struct strata_clock_report *clocks;
	struct strata_clock_breach *breaches;
	size_t i, j, nr = 0;

	free((void *)report->edges);
	free((void *)report->clocks);
	free((void *)report->breaches);
	memset(report, 0, sizeof(*report));
	for (i = 0; i < sync->nr_edges; i++)
		nr += sync->breaches[i].nr;
	report->edges = edges = calloc(sync->nr_edges + 1, sizeof(*edges));
	report->clocks = clocks = calloc(sync->nr_clocks + 1, sizeof(*clocks));
	report->breaches = breaches = calloc(nr + 1, sizeof(*breaches));
	if (!edges || !clocks || !breaches) {
		strata_fail(err, "out of memory for the report on clocks");
		return NULL;
	}
	report->reference = sync->reference;
	report->nr_edges = sync->nr_edges;
	report->nr_clocks = sync->nr_clocks;
	report->nr_breaches = nr;
	for (i = 0, nr = 0; i < sync->nr_edges; i++) {
		report_edge(sync, i, &edges[i]);
		for (j = 0; j < sync->breaches[i].nr; j++)
			breaches[nr++] = breach_of(sync, sync->edges[i], &sync->breaches[i].at[j]);
	}
	for (i = 0; i < sync->nr_clocks; i++) {
		if (!report_clock(sync, i, &clocks[i])) {
			strata_fail(err, "out of memory for the report on clocks");
			return NULL;
		}
	}
	return report;
}
