// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph.c - paths of as few hops as possible, and of those with the least total bound (Dijkstra
 * 1959).
 *
 * A bound is proven only as far as the traces of all clocks on its path tell the truth.  A clock
 * whose trace lies can make its own edges look as narrow as it likes, so a narrower bound is no
 * reason to believe more clocks: two that are tied directly are tied by nothing else.
 *
 * An edge's weight is its mean bound over the whole span of its clocks: an edge with a narrow bound
 * for a moment and none for the rest is heavy.
 */
#include "clock_sync/graph.h"

#define SAMPLES 32

/* The span of a clock's time, over all its edges; fine. */
static bool span_of(const struct strata_clock_sync *sync, int clock, strata_wide *first,
		    strata_wide *last)
{
	bool any = false;
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		const struct strata_edge *edge = sync->edges[i];
		strata_wide ends[2] = { edge->first, edge->last };
		int j;

		if (!edge->seen || (edge->from != clock && edge->to != clock))
			continue;
		for (j = 0; j < 2; j++) {
			strata_wide time = ends[j];

			if (edge->to == clock && strata_edge_usable(edge))
				time = strata_edge_forward(edge, time).time;
			else if (edge->to == clock)
				continue;
			if (!any || time < *first)
				*first = time;
			if (!any || time > *last)
				*last = time;
			any = true;
		}
	}
	return any;
}

static uint64_t weigh(const struct strata_clock_sync *sync, const struct strata_edge *edge)
{
	strata_wide first = 0, last = 0, sum = 0;
	int i;

	if (!strata_edge_usable(edge))
		return UINT64_MAX;
	span_of(sync, edge->from, &first, &last);
	for (i = 0; i <= SAMPLES; i++) {
		struct strata_hop hop =
			strata_edge_forward(edge, first + (last - first) / SAMPLES * i);

		/* An unknown bound counts as a year. */
		if (!hop.known)
			hop.half = STRATA_FINE_SECOND * 31536000;
		sum += strata_wide_min(hop.half + hop.sag, STRATA_FINE_SECOND * 31536000);
	}
	return (uint64_t)(sum / (SAMPLES + 1) >> STRATA_FINE_GRAIN);
}

static bool is_better(size_t hops, uint64_t distance, const struct strata_clock *than)
{
	return hops < than->hops || (hops == than->hops && distance < than->distance);
}

static void relax(struct strata_clock_sync *sync, int clock)
{
	const size_t hops = sync->clocks[clock].hops + 1;
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		const struct strata_edge *edge = sync->edges[i];
		struct strata_clock *other;
		uint64_t distance;

		if ((edge->from != clock && edge->to != clock) || sync->weights[i] == UINT64_MAX)
			continue;
		other = &sync->clocks[edge->from == clock ? edge->to : edge->from];
		distance = sync->clocks[clock].distance + sync->weights[i];
		/* The sum may wrap. */
		if (other->done || distance < sync->clocks[clock].distance ||
		    !is_better(hops, distance, other))
			continue;
		other->hops = hops;
		other->distance = distance;
		other->parent_edge = (int)i;
	}
}

void strata_graph_choose(struct strata_clock_sync *sync, int reference)
{
	size_t i, round;

	for (i = 0; i < sync->nr_edges; i++)
		sync->weights[i] = weigh(sync, sync->edges[i]);
	for (i = 0; i < sync->nr_clocks; i++) {
		sync->clocks[i].hops = SIZE_MAX;
		sync->clocks[i].distance = UINT64_MAX;
		sync->clocks[i].parent_edge = -1;
		sync->clocks[i].done = false;
	}
	sync->clocks[reference].hops = 0;
	sync->clocks[reference].distance = 0;
	for (round = 0; round < sync->nr_clocks; round++) {
		int best = -1;

		for (i = 0; i < sync->nr_clocks; i++) {
			const struct strata_clock *clock = &sync->clocks[i];

			if (!clock->done && clock->hops != SIZE_MAX &&
			    (best < 0 ||
			     is_better(clock->hops, clock->distance, &sync->clocks[best])))
				best = (int)i;
		}
		if (best < 0)
			break;
		sync->clocks[best].done = true;
		relax(sync, best);
	}
}

struct strata_path strata_graph_path(const struct strata_clock_sync *sync, int clock,
				     struct strata_path_hop *hops)
{
	struct strata_path path = {
		.rates = sync->rates, .clock = clock, .reference = sync->reference, .hops = hops
	};

	while (sync->clocks[clock].parent_edge >= 0) {
		const struct strata_edge *edge = sync->edges[sync->clocks[clock].parent_edge];

		hops[path.nr].edge = edge;
		hops[path.nr++].forward = edge->from == clock;
		clock = edge->from == clock ? edge->to : edge->from;
	}
	return path;
}
