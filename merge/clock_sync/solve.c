// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * solve.c - makes maps from the constraints: draws edges, chooses paths, settles what contradicts
 * them, makes tables.
 */
#include <stdlib.h>

#include "clock_sync/clash.h"

struct strata_clock_sync *strata_clock_sync_new(void)
{
	struct strata_clock_sync *sync = calloc(1, sizeof(*sync));

	if (sync)
		sync->limits = (struct strata_clock_limits){ STRATA_CLOCK_DRIFT_PPB,
							     STRATA_CLOCK_SLEW_PPT,
							     STRATA_CLOCK_WINDOW_MS };
	return sync;
}

void strata_clock_sync_free(struct strata_clock_sync *sync)
{
	size_t i;

	if (!sync)
		return;
	for (i = 0; i < sync->nr_clocks; i++) {
		strata_map_clear(sync->clocks[i].map);
		free(sync->clocks[i].map);
		free(sync->clocks[i].name);
	}
	for (i = 0; i < sync->nr_edges; i++) {
		strata_edge_clear(sync->edges[i]);
		free(sync->edges[i]);
	}
	strata_id_map_clear(&sync->by_clocks);
	strata_ties_clear(&sync->ties);
	strata_edge_scratch_clear(&sync->scratch);
	free((void *)sync->report.clocks);
	free((void *)sync->report.breaches);
	free((void *)sync->report.clashes);
	free(sync->clashes.at);
	free(sync->clashes.cycles);
	free(sync->weights);
	free(sync->clocks);
	free(sync->rates);
	free(sync->edges);
	free(sync);
}

static int no_memory(struct strata_error *err)
{
	return strata_fail(err, "out of memory for the maps of clocks");
}

static bool draw_edges(struct strata_clock_sync *sync)
{
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		struct strata_edge *edge = sync->edges[i];

		if (!strata_edge_choose_group(edge) || !strata_edge_divide(edge, &sync->scratch) ||
		    !strata_edge_draw(edge, &sync->scratch))
			return false;
	}
	return true;
}

/* A root's own map: itself. */
static bool identity(struct strata_sync_map *map)
{
	struct strata_map_node nodes[2] = { { .reading = INT64_MIN }, { .reading = INT64_MAX } };
	int i;

	for (i = 0; i < 2; i++)
		nodes[i].value = (strata_wide)nodes[i].reading * (1 << STRATA_MAP_FRACTION);
	return strata_map_add(map, nodes, 2);
}

/* Whether another clock is tied to a root. */
static bool has_children(const struct strata_clock_sync *sync, int root)
{
	size_t i;

	for (i = 0; i < sync->nr_clocks; i++) {
		if (sync->clocks[i].root == root && (int)i != root)
			return true;
	}
	return false;
}

static bool make_map(struct strata_clock_sync *sync, int clock, struct strata_path_hop *hops)
{
	struct strata_path path = strata_graph_path(sync, clock, hops);
	struct strata_sync_map *map = sync->clocks[clock].map;

	map->nr = 0;
	map->reachable = sync->clocks[clock].root == sync->reference;
	if (clock == sync->reference || (!path.nr && has_children(sync, clock)))
		return identity(map);
	return !path.nr || strata_path_map(&path, map);
}

int strata_clock_sync_solve(struct strata_clock_sync *sync, int reference, struct strata_error *err)
{
	struct strata_path_hop *hops;
	bool good;
	size_t i;

	if (reference < 0 || (size_t)reference >= sync->nr_clocks)
		return strata_fail(err, "no clock %d to be the reference: there are %zu", reference,
				   sync->nr_clocks);
	sync->reference = reference;
	if (!draw_edges(sync) || !strata_graph_weigh(sync))
		return no_memory(err);
	for (i = 0; i < sync->nr_clocks; i++) {
		sync->clocks[i].left_out = false;
		sync->clocks[i].doubt = 0;
	}
	strata_graph_choose(sync, reference);
	if (!strata_clashes_settle(sync))
		return no_memory(err);
	hops = calloc(sync->nr_clocks, sizeof(*hops));
	good = hops;
	for (i = 0; good && i < sync->nr_clocks; i++)
		good = make_map(sync, (int)i, hops);
	free(hops);
	return good ? 0 : no_memory(err);
}

struct strata_clock_cursor strata_clock_cursor(const struct strata_clock_sync *sync, int clock)
{
	return (struct strata_clock_cursor){ .map = sync->clocks[clock].map };
}
