/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph.h - the contents of strata_clock_sync, and paths in it.
 */
#ifndef STRATA_CLOCK_SYNC_GRAPH_H
#define STRATA_CLOCK_SYNC_GRAPH_H

#include "clock_sync/clock_sync_report.h"
#include "clock_sync/edge.h"
#include "clock_sync/map.h"
#include "clock_sync/path.h"

struct strata_clock {
	char *name;
	int parent_edge;   /* the edge towards the reference; -1 */
	size_t hops;       /* of the path; SIZE_MAX: unreachable */
	uint64_t distance; /* total mean bound of the path */
	bool done;
	struct strata_sync_map *map; /* stable address for cursors */
};

struct strata_clock_sync {
	struct strata_clock *clocks;
	struct strata_clock_rate *rates;
	size_t nr_clocks;
	struct strata_edge **edges;
	size_t nr_edges;
	size_t last_edge;                  /* last used */
	struct strata_clock_limits limits; /* default of edges */
	int reference;
	struct strata_polygon_room room;
	struct strata_breaches *breaches; /* of each edge */
	uint64_t *weights;                /* mean bound of each edge, fine */
	struct strata_clock_sync_report report;
};

/* Finds the best path of each clock to the reference: weights, parents and distances (graph.c).
 * Edges are drawn. */
void strata_graph_choose(struct strata_clock_sync *sync, int reference);

/* The path of a clock; @hops holds as many as there are clocks. */
struct strata_path strata_graph_path(const struct strata_clock_sync *sync, int clock,
				     struct strata_path_hop *hops);

#endif /* STRATA_CLOCK_SYNC_GRAPH_H */
