/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - the contents of strata_clock_sync, and paths in it.
 */
#ifndef STRATA_CLOCK_SYNC_GRAPH_H
#define STRATA_CLOCK_SYNC_GRAPH_H

#include "base/id_map.h"
#include "clock_sync/clock_sync_report.h"
#include "clock_sync/edge.h"
#include "clock_sync/edge_scratch.h"
#include "clock_sync/map.h"
#include "clock_sync/path.h"

struct strata_clock {
	char *name;
	int root;          /* the first clock of its component, or the reference */
	int parent_edge;   /* the edge towards the root; -1 */
	size_t hops;       /* of the path */
	uint64_t distance; /* total mean bound of the path */
	bool done;
	bool left_out;     /* its trace is proven to lie: no path uses it */
	strata_wide doubt; /* by which the bounds of paths grow that go from here to the parent */
	struct strata_sync_map *map; /* stable address for cursors */
};

/* An edge that contradicts the paths of its clocks (clash.h). */
struct strata_clash {
	size_t edge;
	int root;        /* of its component */
	int by;          /* where the paths of its clocks meet */
	int below[2];    /* on these paths, the last clocks before that */
	size_t hops[2];  /* of these paths up to there */
	strata_wide gap; /* between the enclosures, at most; fine */
	strata_wide
		margin; /* a bound that is larger by this holds whatever the edge allows; fine */
	int doubted[2]; /* the clocks of below[] whose bounds grow; -1: none */
	size_t cycle;   /* if it is noted: the first of its clocks in strata_clashes */
	size_t nr_cycle;
	int liar; /* the clock that is left out for it; -1: undecided */
};

/* Zero-initialised is empty. */
struct strata_clashes {
	struct strata_clash *at;
	size_t nr;
	size_t capacity;
	int *cycles; /* the clocks of all cycles that were noted: STRATA_CLOCK_CYCLES at most */
	size_t nr_cycles;
	size_t cycles_capacity;
};

/* The edges of each clock: those of clock c are at[first[c]] up to before at[first[c + 1]]. */
struct strata_ties {
	size_t *first;
	size_t *at;
	struct strata_reached *queue; /* scratch, for as many as there are clocks */
};

struct strata_clock_sync {
	struct strata_clock *clocks;
	struct strata_clock_rate *rates;
	size_t nr_clocks;
	struct strata_edge **edges;
	size_t nr_edges;
	size_t edges_capacity;
	struct strata_id_map by_clocks;    /* edges, by strata_graph_key() */
	struct strata_ties ties;           /* made by each solve */
	struct strata_clock_limits limits; /* default of edges */
	int reference;
	struct strata_edge_scratch scratch;
	uint64_t *weights; /* mean bound of each edge, fine */
	struct strata_clashes clashes;
	struct strata_clock_sync_report report;
};

/* The key of the edge between two clocks, in by_clocks. */
static inline uint64_t strata_graph_key(int from, int to)
{
	return (uint64_t)from << 32 | (uint32_t)to;
}

/* Finds the weights of all edges, which are drawn, and the edges of each clock (graph.c).  False:
 * out of memory. */
bool strata_graph_weigh(struct strata_clock_sync *sync);

void strata_ties_clear(struct strata_ties *ties);

/* Finds the best path of each clock to the reference, or to the first clock that it can reach:
 * roots, parents and distances.  Edges are weighed. */
void strata_graph_choose(struct strata_clock_sync *sync, int reference);

/* The path of a clock to its root; @hops holds as many as there are clocks. */
struct strata_path strata_graph_path(const struct strata_clock_sync *sync, int clock,
				     struct strata_path_hop *hops);

/* The next clock on the path of one that is not its root. */
static inline int strata_graph_parent(const struct strata_clock_sync *sync, int clock)
{
	const struct strata_edge *edge = sync->edges[sync->clocks[clock].parent_edge];

	return edge->from == clock ? edge->to : edge->from;
}

#endif /* STRATA_CLOCK_SYNC_GRAPH_H */
