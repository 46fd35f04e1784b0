// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * settle.c - leaves out the clocks that are proven to lie (liar.c), or enlarges bounds if that
 * cannot be decided.
 *
 * A tie of two clocks proves itself, but a path of several hops is only as good as the clocks
 * between.  So each side of a cycle that contradicts, up to where the paths meet, gets a bound that
 * holds whatever the edge allows, if it has more than one hop.  If both are direct, it is the side
 * of the clock that was added later, because the bounds of two clocks add up where their events are
 * compared: a clock that is tied to the reference directly and contradicts clocks before it
 * enlarges no bounds but its own.
 */
#include <stdlib.h>

#include "clock_sync/liar.h"

#define UNKNOWN (-2)
#define BENDS   ((size_t)1 << 22) /* conversions for the bends of paths: some seconds */

/* Enlarges the bounds on one side of a clash, or on both. */
static void doubt(struct strata_clock_sync *sync, struct strata_clash *clash)
{
	const struct strata_edge *edge = sync->edges[clash->edge];
	const int later = edge->from < edge->to;
	const bool direct = clash->hops[0] <= 1 && clash->hops[1] <= 1;
	int side;

	for (side = 0; side < 2; side++) {
		struct strata_clock *clock = &sync->clocks[clash->below[side]];

		if (direct ? side != later : clash->hops[side] <= 1)
			continue;
		clash->doubted[side] = clash->below[side];
		clock->doubt = strata_wide_max(clock->doubt, clash->margin);
	}
}

/* Finds the liar of each clash, once for each component.  False: out of memory. */
static bool find_liars(struct strata_clock_sync *sync)
{
	int *liars = malloc(sync->nr_clocks * sizeof(*liars)); /* of each root */
	bool good = liars;
	size_t i;

	for (i = 0; good && i < sync->nr_clocks; i++)
		liars[i] = UNKNOWN;
	for (i = 0; good && i < sync->clashes.nr; i++) {
		struct strata_clash *clash = &sync->clashes.at[i];

		if (liars[clash->root] == UNKNOWN)
			good = strata_liar_find(sync, clash->root, &liars[clash->root]);
		clash->liar = liars[clash->root];
	}
	free(liars);
	return good;
}

/* The largest first. */
static int by_gap(const void *a, const void *b)
{
	const struct strata_clash *x = a, *y = b;

	if (x->gap != y->gap)
		return x->gap > y->gap ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* Notes the cycles of the largest clashes.  All together may be as many as the third power of the
 * number of clocks.  False: out of memory. */
static bool note_cycles(struct strata_clock_sync *sync)
{
	struct strata_clashes *clashes = &sync->clashes;
	bool good = true;
	size_t i;

	qsort(clashes->at, clashes->nr, sizeof(*clashes->at), by_gap);
	for (i = 0; good && i < clashes->nr && i < STRATA_CLOCK_CYCLES; i++) {
		if (clashes->at[i].liar < 0)
			good = strata_clash_note_cycle(sync, clashes, &clashes->at[i]);
	}
	return good;
}

/* Enlarges the bounds on account of all clashes that are undecided.  False: out of memory. */
static bool doubt_all(struct strata_clock_sync *sync)
{
	struct strata_path_hop *hops = calloc(2 * sync->nr_clocks, sizeof(*hops));
	const bool good = hops;
	size_t i, budget = BENDS;

	for (i = 0; good && i < sync->clashes.nr; i++) {
		struct strata_clash *clash = &sync->clashes.at[i];

		if (clash->liar >= 0)
			continue;
		strata_clash_measure(sync, clash, hops, &budget);
		doubt(sync, clash);
	}
	free(hops);
	return good;
}

bool strata_clashes_settle(struct strata_clock_sync *sync)
{
	size_t i;

	sync->clashes.nr = sync->clashes.nr_cycles = 0;
	if (!strata_clashes_find(sync, &sync->clashes))
		return false;
	if (!sync->clashes.nr)
		return true;
	if (!find_liars(sync) || !doubt_all(sync) || !note_cycles(sync))
		return false;
	for (i = 0; i < sync->clashes.nr; i++) {
		if (sync->clashes.at[i].liar >= 0)
			sync->clocks[sync->clashes.at[i].liar].left_out = true;
	}
	strata_graph_choose(sync, sync->reference);
	return true;
}
