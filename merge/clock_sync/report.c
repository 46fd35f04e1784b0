// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report.c - converts bounds, breaches and clashes to the caller's units.
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
	report->root = clock->root;
	report->left_out = clock->left_out;
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

/* Returns the number of breaches, which it writes to @out. */
static size_t report_breaches(const struct strata_clock_sync *sync, const struct strata_edge *edge,
			      const struct strata_breaches *breaches,
			      struct strata_clock_breach *out)
{
	size_t i;

	for (i = 0; i < breaches->nr; i++)
		out[i] = breach_of(sync, edge, &breaches->at[i]);
	return breaches->nr;
}

/* Returns a time as ticks of a clock, rounded up. */
static uint64_t ticks_of(const struct strata_clock_rate *rate, strata_wide fine)
{
	strata_wide ticks =
		strata_fine_ticks(rate, strata_wide_min(fine, (strata_wide)1 << 110), 0) + 1;

	strata_clamp_ticks(&ticks);
	return (uint64_t)ticks;
}

static struct strata_clock_clash clash_of(const struct strata_clock_sync *sync,
					  const struct strata_clash *clash)
{
	return (struct strata_clock_clash){
		.clock = sync->edges[clash->edge]->to,
		.other = sync->edges[clash->edge]->from,
		.by = clash->by,
		.gap = ticks_of(&sync->rates[clash->root], clash->gap),
		.margin = ticks_of(&sync->rates[clash->root], clash->margin),
		.liar = clash->liar,
		.doubted = { clash->doubted[0], clash->doubted[1] },
		.cycle = clash->nr_cycle ? sync->clashes.cycles + clash->cycle : NULL,
		.nr_cycle = clash->nr_cycle,
	};
}

const struct strata_clock_sync_report *strata_clock_sync_report(struct strata_clock_sync *sync,
								struct strata_error *err)
{
	struct strata_clock_sync_report *report = &sync->report;
	struct strata_clock_report *clocks;
	struct strata_clock_breach *breaches;
	struct strata_clock_clash *clashes;
	size_t i, nr = 0;

	free((void *)report->clashes);
	free((void *)report->clocks);
	free((void *)report->breaches);
	memset(report, 0, sizeof(*report));
	for (i = 0; i < sync->nr_edges; i++)
		nr += sync->edges[i]->far_breaches.nr + sync->edges[i]->breaches.nr;
	report->clocks = clocks = calloc(sync->nr_clocks + 1, sizeof(*clocks));
	report->breaches = breaches = calloc(nr + 1, sizeof(*breaches));
	report->clashes = clashes = calloc(sync->clashes.nr + 1, sizeof(*clashes));
	if (!clocks || !breaches || !clashes) {
		strata_fail(err, "out of memory for the report on clocks");
		return NULL;
	}
	report->nr_clocks = sync->nr_clocks;
	report->nr_breaches = nr;
	for (i = 0; i < sync->nr_edges; i++) {
		const struct strata_edge *edge = sync->edges[i];

		breaches += report_breaches(sync, edge, &edge->far_breaches, breaches);
		breaches += report_breaches(sync, edge, &edge->breaches, breaches);
	}
	report->nr_clashes = sync->clashes.nr;
	for (i = 0; i < sync->clashes.nr; i++)
		clashes[i] = clash_of(sync, &sync->clashes.at[i]);
	for (i = 0; i < sync->nr_clocks; i++)
		report_clock(&sync->clocks[i], &clocks[i]);
	return report;
}
