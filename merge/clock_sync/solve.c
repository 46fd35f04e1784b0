// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * solve.c - from what was added to maps: edges drawn, paths chosen, tables made.
 */
#include <stdlib.h>
#include <string.h>

#include "graph.h"

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
		free(sync->clocks[i].bounds);
	}
	for (i = 0; i < sync->nr_edges; i++) {
		strata_edge_clear(sync->edges[i]);
		free(sync->edges[i]);
		free(sync->breaches[i].at);
	}
	strata_polygon_room_clear(&sync->room);
	free((void *)sync->report.edges);
	free((void *)sync->report.clocks);
	free((void *)sync->report.breaches);
	free(sync->breaches);
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

		if (edge->is_exact) {
			if (!strata_exact_prepare(&edge->exact, &sync->rates[edge->from],
						  &sync->rates[edge->to]))
				return false;
			continue;
		}
		if (!strata_edge_divide(edge, &sync->room, &sync->breaches[i]) ||
		    !strata_edge_draw(edge, &sync->room, &sync->breaches[i]))
			return false;
	}
	return true;
}

/* The reference's own map: itself. */
static bool identity(struct strata_clock_map *map)
{
	struct strata_map_node nodes[2] = { { .reading = INT64_MIN }, { .reading = INT64_MAX } };
	int i;

	for (i = 0; i < 2; i++)
		nodes[i].value = (strata_wide)nodes[i].reading * (1 << STRATA_MAP_FRACTION);
	return strata_map_add(map, nodes, 2, map->version, 0);
}

/* Makes the map of a clock, but for what is fixed of it; fixes it up to @fix if that is not NULL.
 */
static bool make_map(struct strata_clock_sync *sync, int clock, struct strata_path_hop *hops,
		     const int64_t *fix)
{
	struct strata_path path = strata_graph_path(sync, clock, hops);
	struct strata_clock_map *map = sync->clocks[clock].map;
	struct strata_map_node fixed = map->join;
	int64_t from = map->nr_fixed ? fixed.reading : INT64_MIN;

	map->nr = map->nr_fixed;
	map->reachable = clock == sync->reference || path.nr;
	if (clock == sync->reference) {
		map->nr = 0;
		return identity(map);
	}
	if (!path.nr)
		return true;
	if (fix && *fix > from) {
		if (!strata_path_map(&path, map, from, *fix, ++map->version, 0))
			return false;
		map->nr_fixed = map->nr;
		fixed = map->join;
		from = fixed.reading;
	}
	if (!strata_path_map(&path, map, from, INT64_MAX, map->nr_fixed ? 0 : map->version,
			     map->nr_fixed ? STRATA_CLOCK_PROVISIONAL : 0))
		return false;
	map->join = fixed;
	return true;
}

static int make_maps(struct strata_clock_sync *sync, int reference, int fix_clock,
		     const int64_t *fix, struct strata_error *err)
{
	struct strata_path_hop *hops;
	bool good;
	size_t i;

	if (reference < 0 || (size_t)reference >= sync->nr_clocks)
		return strata_fail(err, "no clock %d to be the reference: there are %zu", reference,
				   sync->nr_clocks);
	sync->reference = reference;
	if (!draw_edges(sync))
		return no_memory(err);
	strata_graph_choose(sync, reference);
	hops = calloc(sync->nr_clocks, sizeof(*hops));
	good = hops;
	for (i = 0; good && i < sync->nr_clocks; i++)
		good = make_map(sync, (int)i, hops, (int)i == fix_clock ? fix : NULL);
	free(hops);
	return good ? 0 : no_memory(err);
}

int strata_clock_sync_solve(struct strata_clock_sync *sync, int reference, struct strata_error *err)
{
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		if (sync->edges[i]->windows.is_condensed)
			return strata_fail(err,
					   "clocks %s and %s: what was fixed long ago is forgotten:"
					   " to solve it again, add everything anew elsewhere",
					   sync->clocks[sync->edges[i]->from].name,
					   sync->clocks[sync->edges[i]->to].name);
	}
	for (i = 0; i < sync->nr_clocks; i++) {
		sync->clocks[i].map->nr_fixed = 0;
		sync->clocks[i].map->version++;
	}
	return make_maps(sync, reference, -1, NULL, err);
}

/* Forgets what is long before a fixed reading of a clock, on all edges of its path. */
static bool forget(struct strata_clock_sync *sync, int clock, int64_t reading)
{
	strata_wide time = strata_fine_time(&sync->rates[clock], reading);
	bool good = true;

	while (good && sync->clocks[clock].parent_edge >= 0) {
		struct strata_edge *edge = sync->edges[sync->clocks[clock].parent_edge];
		const bool forward = edge->from == clock;
		strata_wide next = strata_hop_at(sync->rates, edge, forward, time).time;
		strata_wide u = ((forward ? time : next) - edge->origin) >> STRATA_FINE_GRAIN;

		if (!edge->is_exact && u > -STRATA_GRAIN_LIMIT && u < STRATA_GRAIN_LIMIT)
			good = strata_edge_condense(edge, (int64_t)u);
		time = next;
		clock = forward ? edge->to : edge->from;
	}
	return good;
}

int strata_clock_sync_close(struct strata_clock_sync *sync, int reference, int clock,
			    int64_t reading, struct strata_error *err)
{
	if (clock < 0 || (size_t)clock >= sync->nr_clocks)
		return strata_fail(err, "no clock %d to close a window of: there are %zu", clock,
				   sync->nr_clocks);
	if (make_maps(sync, reference, clock, &reading, err))
		return -1;
	return forget(sync, clock, reading) ? 0 : no_memory(err);
}

struct strata_clock_cursor strata_clock_cursor(const struct strata_clock_sync *sync, int clock)
{
	return (struct strata_clock_cursor){ .map = sync->clocks[clock].map };
}
