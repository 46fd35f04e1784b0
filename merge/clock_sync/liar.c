// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * liar.c - finds the clock of a component whose trace is proven to lie.
 *
 * That is a clock of which all of this holds:
 *
 *   - It is the only one without which the others agree.  Three clocks that disagree do not decide
 *     anything, because any two agree without the third.
 *   - No two of its neighbours agree about it.  An honest clock that two honest neighbours are tied
 *     to, and that are tied to each other, has such a pair, whatever any number of others claim.
 *   - The others confirm each of their ties on the cycles that contradict: by a path that uses
 *     neither the clock nor the tie.
 *
 * The work of a component is limited, so that no other component's clocks can use it up.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/liar.h"

/* Limits for each component. */
#define TRIALS  256u       /* times that paths are chosen on trial */
#define SAMPLES (1u << 18) /* instants at which neighbours are compared */

struct trial {
	struct strata_clock_sync *sync;
	int root;
	struct strata_clock *kept; /* the clocks as they were */
	bool *on_cycle;            /* of each edge: on a cycle that contradicts */
	bool *covered;             /* of each clock: there is a detour for the edge to its parent */
	struct strata_path_hop *hops; /* of two paths */
	unsigned int nr;
	unsigned int nr_samples;
	bool no_memory;
};

/* Chooses paths of the component's clocks without one of them. */
static void begin_trial(struct trial *trial, int clock)
{
	struct strata_clock_sync *sync = trial->sync;
	size_t i;

	memcpy(trial->kept, sync->clocks, sync->nr_clocks * sizeof(*trial->kept));
	for (i = 0; i < sync->nr_clocks; i++)
		sync->clocks[i].left_out |= (int)i == clock || sync->clocks[i].root != trial->root;
	strata_graph_choose(sync, sync->reference);
}

static void end_trial(struct trial *trial)
{
	struct strata_clock_sync *sync = trial->sync;

	memcpy(sync->clocks, trial->kept, sync->nr_clocks * sizeof(*trial->kept));
}

static bool agree_without(struct trial *trial, int clock)
{
	struct strata_clashes clashes = { 0 };
	bool agree;

	begin_trial(trial, clock);
	trial->no_memory |= !strata_clashes_find(trial->sync, &clashes);
	agree = !clashes.nr;
	end_trial(trial);
	free(clashes.at);
	return agree;
}

/* Whether a clock is on the cycles of all clashes of the component. */
static bool passes_all(const struct trial *trial, int clock)
{
	const struct strata_clock_sync *sync = trial->sync;
	size_t i;

	for (i = 0; i < sync->clashes.nr; i++) {
		const struct strata_clash *clash = &sync->clashes.at[i];

		if (clash->root == trial->root && !strata_clash_passes(sync, clash, clock))
			return false;
	}
	return true;
}

/* Returns the only clock without which the others agree; -1: there are several, or none. */
static int find_suspect(struct trial *trial)
{
	const struct strata_clock_sync *sync = trial->sync;
	int suspect = -1;
	size_t i;

	for (i = 0; i < sync->nr_clocks && !trial->no_memory; i++) {
		if (sync->clocks[i].root != trial->root || !passes_all(trial, (int)i))
			continue;
		if (trial->nr++ == TRIALS)
			return -1;
		if (!agree_without(trial, (int)i))
			continue;
		if (suspect >= 0)
			return -1;
		suspect = (int)i;
	}
	return suspect;
}

static void mark_cycles(struct trial *trial)
{
	const struct strata_clock_sync *sync = trial->sync;
	size_t i;
	int side, at;

	for (i = 0; i < sync->clashes.nr; i++) {
		const struct strata_clash *clash = &sync->clashes.at[i];
		const struct strata_edge *edge = sync->edges[clash->edge];

		if (clash->root != trial->root)
			continue;
		trial->on_cycle[clash->edge] = true;
		for (side = 0; side < 2; side++) {
			for (at = side ? edge->to : edge->from; at != clash->by;
			     at = strata_graph_parent(sync, at))
				trial->on_cycle[sync->clocks[at].parent_edge] = true;
		}
	}
}

/* Whether an edge ties two clocks of one component; in a trial. */
static bool is_tie(const struct strata_clock_sync *sync, size_t edge)
{
	const struct strata_clock *from = &sync->clocks[sync->edges[edge]->from];
	const struct strata_clock *to = &sync->clocks[sync->edges[edge]->to];

	return sync->weights[edge] != UINT64_MAX && !from->left_out && !to->left_out &&
	       from->root == to->root;
}

/* Marks the clocks whose edge to the parent is on the cycle that another tie closes; in a trial. */
static void mark_covered(struct trial *trial)
{
	const struct strata_clock_sync *sync = trial->sync;
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		int clock[2] = { sync->edges[i]->from, sync->edges[i]->to };

		if (!is_tie(sync, i) || sync->clocks[clock[0]].parent_edge == (int)i ||
		    sync->clocks[clock[1]].parent_edge == (int)i)
			continue;
		while (clock[0] != clock[1]) {
			const int far = sync->clocks[clock[0]].hops < sync->clocks[clock[1]].hops;

			trial->covered[clock[far]] = true;
			clock[far] = strata_graph_parent(sync, clock[far]);
		}
	}
}

/* Whether others confirm all ties on the cycles that contradict, but the suspect's; in a trial. */
static bool are_confirmed(struct trial *trial, int suspect)
{
	const struct strata_clock_sync *sync = trial->sync;
	size_t i;

	mark_covered(trial);
	for (i = 0; i < sync->nr_edges; i++) {
		const struct strata_edge *edge = sync->edges[i];

		if (!trial->on_cycle[i] || edge->from == suspect || edge->to == suspect)
			continue;
		if ((sync->clocks[edge->from].parent_edge == (int)i &&
		     !trial->covered[edge->from]) ||
		    (sync->clocks[edge->to].parent_edge == (int)i && !trial->covered[edge->to]))
			return false;
		/* One that bounds its clocks from one side alone needs a path beside it. */
		if (sync->clocks[edge->from].root != sync->clocks[edge->to].root)
			return false;
	}
	return true;
}

/* Returns the path of a suspect by one of its ties; in a trial without it. */
static struct strata_path path_by(const struct strata_clock_sync *sync, int suspect,
				  const struct strata_edge *edge, struct strata_path_hop *hops)
{
	const int neighbour = edge->from == suspect ? edge->to : edge->from;
	struct strata_path path = strata_graph_path(sync, neighbour, hops + 1);

	hops[0] = (struct strata_path_hop){ .edge = edge, .forward = edge->from == suspect };
	path.clock = suspect;
	path.hops = hops;
	path.nr++;
	return path;
}

/* Whether the times of the suspect by two paths agree where the first one's tie has constraints. */
static bool agree_at_all(struct trial *trial, const struct strata_path *one,
			 const struct strata_path *other)
{
	const struct strata_edge *edge = one->hops[0].edge;
	size_t i;
	int k;

	for (i = 0; i < edge->line.nr; i++) {
		const struct strata_piece *piece = &edge->line.pieces[i];
		const int64_t half = (piece->u1 - piece->u0) / 2;

		for (k = 0; !(piece->flags & STRATA_PIECE_OUTSIDE) && k < 3; k++) {
			strata_wide time =
				edge->origin +
				strata_fine_of(k == 2 ? piece->u1 : piece->u0 + k * half);
			struct strata_hop x, y;

			if (!one->hops[0].forward)
				time = strata_edge_forward(edge, time).time;
			x = strata_path_at(one, time, 0);
			y = strata_path_at(other, time, 0);
			trial->nr_samples++;
			if (strata_hops_gap(&x, &y) > 0)
				return false;
		}
	}
	return true;
}

/* Whether two neighbours of the suspect agree about it, or there are too many to tell; in a trial.
 */
static bool has_witnesses(struct trial *trial, int suspect)
{
	const struct strata_clock_sync *sync = trial->sync;
	size_t i, j;

	for (i = 0; i < sync->nr_edges; i++) {
		const struct strata_edge *edge = sync->edges[i];
		struct strata_path one;

		if ((edge->from != suspect && edge->to != suspect) ||
		    sync->weights[i] == UINT64_MAX)
			continue;
		one = path_by(sync, suspect, edge, trial->hops);
		for (j = 0; j < i; j++) {
			const struct strata_edge *before = sync->edges[j];
			struct strata_path other;

			if ((before->from != suspect && before->to != suspect) ||
			    sync->weights[j] == UINT64_MAX)
				continue;
			other = path_by(sync, suspect, before, trial->hops + sync->nr_clocks + 1);
			if (one.reference != other.reference)
				continue;
			if (trial->nr_samples > SAMPLES || (agree_at_all(trial, &one, &other) &&
							    agree_at_all(trial, &other, &one)))
				return true;
		}
	}
	return false;
}

static bool is_proven(struct trial *trial, int suspect)
{
	bool proven;

	mark_cycles(trial);
	begin_trial(trial, suspect);
	proven = are_confirmed(trial, suspect) && !has_witnesses(trial, suspect);
	end_trial(trial);
	return proven;
}

bool strata_liar_find(struct strata_clock_sync *sync, int root, int *liar)
{
	struct trial trial = { .sync = sync, .root = root };
	int suspect = -1;

	*liar = -1;
	trial.kept = calloc(sync->nr_clocks, sizeof(*trial.kept));
	trial.on_cycle = calloc(sync->nr_edges, sizeof(*trial.on_cycle));
	trial.covered = calloc(sync->nr_clocks, sizeof(*trial.covered));
	trial.hops = calloc(2 * (sync->nr_clocks + 1), sizeof(*trial.hops));
	trial.no_memory = !trial.kept || !trial.on_cycle || !trial.covered || !trial.hops;
	if (!trial.no_memory)
		suspect = find_suspect(&trial);
	if (suspect >= 0 && !trial.no_memory && is_proven(&trial, suspect))
		*liar = suspect;
	free(trial.kept);
	free(trial.on_cycle);
	free(trial.covered);
	free(trial.hops);
	return !trial.no_memory;
}
