// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - converts bounds and breaches to the caller's units.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/graph.h"
#include "clock_sync/rate.h"

static void report_clock(const struct strata_clock *clock, struct strata_clock_report *report)
{
	struct strata_clock_cursor cursor = { .map = clock->map };
	size_t i;

	report->name = clock->name;
	report->reachable = clock->map->reachable;
	report->least_bound = STRATA_CLOCK_UNBOUNDED;
	for (i = 0; i < clock->map->nr; i++) {
		struct strata_clock_time time =
			strata_clock_convert(&cursor, clock->map->pieces[i].from);

		if (time.flags & STRATA_CLOCK_OUTSIDE || time.bound == STRATA_CLOCK_UNBOUNDED)
			continue;
		if (time.bound < report->least_bound)
			report->least_bound = time.bound;
		if (time.bound > report->greatest_bound)
			report->greatest_bound = time.bound;
	}
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
	struct strata_clock_report *clocks;
	struct strata_clock_breach *breaches;
	size_t i, j, nr = 0;

	free((void *)report->clocks);
	free((void *)report->breaches);
	memset(report, 0, sizeof(*report));
	for (i = 0; i < sync->nr_edges; i++)
		nr += sync->breaches[i].nr;
	report->clocks = clocks = calloc(sync->nr_clocks + 1, sizeof(*clocks));
	report->breaches = breaches = calloc(nr + 1, sizeof(*breaches));
	if (!clocks || !breaches) {
		strata_fail(err, "out of memory for the report on clocks");
		return NULL;
	}
	report->nr_clocks = sync->nr_clocks;
	report->nr_breaches = nr;
	for (i = 0, nr = 0; i < sync->nr_edges; i++) {
		for (j = 0; j < sync->breaches[i].nr; j++)
			breaches[nr++] = breach_of(sync, sync->edges[i], &sync->breaches[i].at[j]);
	}
	for (i = 0; i < sync->nr_clocks; i++)
		report_clock(&sync->clocks[i], &clocks[i]);
	return report;
}
