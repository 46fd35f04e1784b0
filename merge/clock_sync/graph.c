// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * graph.c - paths of as few hops as possible, and of those with the least total bound (Dijkstra
 * 1959).
 *
 * A bound is proven only as far as the traces of all clocks on its path tell the truth.  A clock
 * whose trace lies can make its own edges look as narrow as it likes, so a narrower bound is no
 * reason to believe more clocks: two that are tied directly are tied by nothing else.
 *
 * An edge's weight is its mean bound over the span of its own constraints and ten minutes around
 * it: an edge with a narrow bound for a moment, beyond which drift alone bounds it, is heavy.  No
 * other edge has a part in it: a stranger's constraints would else move the weights of honest
 * edges.
 *
 * Clocks that cannot reach the reference but each other are a component of their own, whose first
 * clock is their root: an unrelated clock that is the reference must not untie all others.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/graph.h"

#define SAMPLES 32
#define AROUND  (600 * STRATA_FINE_SECOND)

/* The mean by which drift alone adds to an edge's bounds over its span of @length and AROUND before
 * and after it; fine. */
static strata_wide drift_around(const struct strata_edge *edge, strata_wide length)
{
	const strata_wide most = AROUND * edge->model.drift_ppb / 1000000000;

	/* It grows from 0 to that on both sides. */
	return most * AROUND / (length + 2 * AROUND);
}

static uint64_t weigh(const struct strata_edge *edge)
{
	const strata_wide length = edge->last - edge->first;
	strata_wide sum = 0;
	int i;

	if (!strata_edge_usable(edge))
		return UINT64_MAX;
	for (i = 0; i <= SAMPLES; i++) {
		struct strata_hop hop =
			strata_edge_forward(edge, edge->first + length / SAMPLES * i);

		/* An unknown bound counts as a year. */
		if (!hop.known)
			hop.half = STRATA_FINE_SECOND * 31536000;
		sum += strata_wide_min(hop.half + hop.sag, STRATA_FINE_SECOND * 31536000);
	}
	return (uint64_t)((sum / (SAMPLES + 1) + drift_around(edge, length)) >> STRATA_FINE_GRAIN);
}

static bool is_better(size_t hops, uint64_t distance, const struct strata_clock *than)
{
	return hops < than->hops || (hops == than->hops && distance < than->distance);
}

/* A clock that is reached, and by which distance. */
struct strata_reached {
	uint64_t distance;
	int clock;
};

/* Relaxes the edges of a clock.  Returns the number of clocks that were reached for the first
 * time, which are added to @next. */
static size_t relax(struct strata_clock_sync *sync, int clock, struct strata_reached *next)
{
	const struct strata_ties *ties = &sync->ties;
	const size_t hops = sync->clocks[clock].hops + 1;
	size_t at, nr = 0;

	for (at = ties->first[clock]; at < ties->first[clock + 1]; at++) {
		const size_t i = ties->at[at];
		const struct strata_edge *edge = sync->edges[i];
		const int end = edge->from == clock ? edge->to : edge->from;
		struct strata_clock *other = &sync->clocks[end];
		uint64_t distance;

		if (sync->weights[i] == UINT64_MAX || sync->clocks[edge->from].left_out ||
		    sync->clocks[edge->to].left_out)
			continue;
		distance = sync->clocks[clock].distance + sync->weights[i];
		/* The sum may wrap. */
		if (other->done || distance < sync->clocks[clock].distance ||
		    !is_better(hops, distance, other))
			continue;
		if (other->hops == SIZE_MAX)
			next[nr++].clock = end;
		other->hops = hops;
		other->distance = distance;
		other->parent_edge = (int)i;
	}
	return nr;
}

static int by_distance(const void *a, const void *b)
{
	const struct strata_reached *x = a, *y = b;

	if (x->distance != y->distance)
		return x->distance < y->distance ? -1 : 1;
	return x->clock < y->clock ? -1 : x->clock > y->clock;
}

/*
 * Chooses the paths of all clocks that can reach @reference.  Fewer hops come first, so all clocks
 * of as many hops are final when those of one hop less are, and each edge is looked at twice.
 */
static void choose_component(struct strata_clock_sync *sync, int reference)
{
	struct strata_reached *queue = sync->ties.queue;
	size_t first, i, end = 1, reached = 1;

	sync->clocks[reference].hops = 0;
	sync->clocks[reference].distance = 0;
	queue[0].clock = reference;
	for (first = 0; first < end; first = end, end = reached) {
		for (i = first; i < end; i++) {
			struct strata_clock *clock = &sync->clocks[queue[i].clock];

			queue[i].distance = clock->distance;
			clock->done = true;
			clock->root = reference;
		}
		/* Among equal paths the choice must not depend on the order of edges. */
		qsort(queue + first, end - first, sizeof(*queue), by_distance);
		for (i = first; i < end; i++)
			reached += relax(sync, queue[i].clock, queue + reached);
	}
}

void strata_ties_clear(struct strata_ties *ties)
{
	free(ties->first);
	free(ties->at);
	free(ties->queue);
	memset(ties, 0, sizeof(*ties));
}

/* Lists the edges of each clock, in their order: counts them, and then puts each in its place. */
static bool list_ties(struct strata_clock_sync *sync)
{
	struct strata_ties *ties = &sync->ties;
	size_t i, nr = 0;

	strata_ties_clear(ties);
	/* Two more: while they are put in their places, first[c + 1] is the next place of c. */
	ties->first = calloc(sync->nr_clocks + 2, sizeof(*ties->first));
	ties->at = calloc(2 * sync->nr_edges + 1, sizeof(*ties->at));
	ties->queue = calloc(sync->nr_clocks, sizeof(*ties->queue));
	if (!ties->first || !ties->at || !ties->queue)
		return false;
	for (i = 0; i < sync->nr_edges; i++) {
		ties->first[sync->edges[i]->from + 2]++;
		ties->first[sync->edges[i]->to + 2]++;
	}
	for (i = 0; i < sync->nr_clocks; i++) {
		nr += ties->first[i + 2];
		ties->first[i + 2] = nr;
	}
	for (i = 0; i < sync->nr_edges; i++) {
		ties->at[ties->first[sync->edges[i]->from + 1]++] = i;
		ties->at[ties->first[sync->edges[i]->to + 1]++] = i;
	}
	return true;
}

bool strata_graph_weigh(struct strata_clock_sync *sync)
{
	size_t i;

	for (i = 0; i < sync->nr_edges; i++)
		sync->weights[i] = weigh(sync->edges[i]);
	return list_ties(sync);
}

void strata_graph_choose(struct strata_clock_sync *sync, int reference)
{
	size_t i;

	for (i = 0; i < sync->nr_clocks; i++) {
		sync->clocks[i].hops = SIZE_MAX;
		sync->clocks[i].distance = UINT64_MAX;
		sync->clocks[i].parent_edge = -1;
		sync->clocks[i].done = false;
	}
	choose_component(sync, reference);
	for (i = 0; i < sync->nr_clocks; i++) {
		if (!sync->clocks[i].done)
			choose_component(sync, (int)i);
	}
}

struct strata_path strata_graph_path(const struct strata_clock_sync *sync, int clock,
				     struct strata_path_hop *hops)
{
	struct strata_path path = { .rates = sync->rates,
				    .clock = clock,
				    .reference = sync->clocks[clock].root,
				    .hops = hops };

	while (sync->clocks[clock].parent_edge >= 0) {
		const struct strata_edge *edge = sync->edges[sync->clocks[clock].parent_edge];

		path.doubt = strata_wide_min(path.doubt + sync->clocks[clock].doubt,
					     STRATA_PATH_HALF_LIMIT);
		hops[path.nr].edge = edge;
		hops[path.nr++].forward = edge->from == clock;
		clock = edge->from == clock ? edge->to : edge->from;
	}
	return path;
}
