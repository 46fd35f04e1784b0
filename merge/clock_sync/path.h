/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * path.h - the way from a clock to the reference, edge by edge, and the map it makes.
 */
#ifndef STRATA_CLOCK_SYNC_PATH_H
#define STRATA_CLOCK_SYNC_PATH_H

#include "edge.h"
#include "map.h"

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

/* What all hops make of a time of the first clock; fine. */
struct strata_hop strata_path_at(const struct strata_path *path, strata_wide time);

/* One hop. */
struct strata_hop strata_hop_at(const struct strata_clock_rate *rates,
				const struct strata_edge *edge, bool forward, strata_wide time);

/*
 * Adds pieces to @map for the readings from @from to @to (inclusive).  If the map has fixed
 * pieces, the first node is where they end.  False: out of memory.
 */
bool strata_path_map(const struct strata_path *path, struct strata_sync_map *map, int64_t from,
		     int64_t to, uint32_t version, uint32_t flags);

#endif /* STRATA_CLOCK_SYNC_PATH_H */
