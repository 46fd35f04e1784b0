/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the path from a clock to the reference, edge by edge, and its map.
 */
#ifndef STRATA_CLOCK_SYNC_PATH_H
#define STRATA_CLOCK_SYNC_PATH_H

#include "clock_sync/edge.h"
#include "clock_sync/map.h"

struct strata_path_hop {
	const struct strata_edge *edge;
	bool forward;
};

struct strata_path {
	const struct strata_clock_rate *rates; /* of all clocks */
	int clock;
	int reference;
	struct strata_path_hop *hops;
	size_t nr;
};

/* Adds the pieces of all readings to @map.  False: out of memory. */
bool strata_path_map(const struct strata_path *path, struct strata_sync_map *map);

#endif /* STRATA_CLOCK_SYNC_PATH_H */
