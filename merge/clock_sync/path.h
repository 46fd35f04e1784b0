/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the path from a clock to the reference, edge by edge, and its map.
 */
#ifndef STRATA_CLOCK_SYNC_PATH_H
#define STRATA_CLOCK_SYNC_PATH_H

#include "clock_sync/edge.h"
#include "clock_sync/map.h"

/* Larger uncertainties are unknown; fine. */
#define STRATA_PATH_HALF_LIMIT ((strata_wide)1 << 80)

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
	strata_wide doubt; /* by which its bounds are larger than its hops prove; fine */
};

/* Converts a time of the path's clock that is uncertain by @half by all hops, in fine units,
 * without the doubt. */
struct strata_hop strata_path_at(const struct strata_path *path, strata_wide time,
				 strata_wide half);

/* Returns the time of the path's clock that corresponds to the input @time of a hop; fine. */
strata_wide strata_path_back(const struct strata_path *path, size_t hop, strata_wide time);

/* Adds the pieces of all readings to @map.  False: out of memory. */
bool strata_path_map(const struct strata_path *path, struct strata_sync_map *map);

#endif /* STRATA_CLOCK_SYNC_PATH_H */
