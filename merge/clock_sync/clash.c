// SPDX-License-Identifier: GPL-2.0-or-later
/* clash.c - finds edges that contradict the paths of their clocks; see clash.h. */
#include <stdlib.h>

#include "base/array.h"

#include "clock_sync/clash.h"

#define FENCE 16 /* grains around a bend; more than the error of its place */

/* Both paths of an edge that is on neither. */
struct detour {
	const struct strata_edge *edge;
	struct strata_path from;
	struct strata_path to;
};

strata_wide strata_hops_gap(const struct strata_hop *a, const struct strata_hop *b)
{
	const strata_wide apart = a->time > b->time ? a->time - b->time : b->time - a->time;
	const strata_wide bound = a->half + a->sag + b->half + b->sag;

	return a->known && b->known && apart > bound ? apart - bound : 0;
}

/* Notes that the times by two paths are @apart, if that is more than their bounds allow. */
static void note(struct strata_clash *clash, const struct strata_hop *from,
		 const struct strata_hop *to, strata_wide apart)
{
	const strata_wide bound = from->half + from->sag + to->half + to->sag;

	if (!from->known || !to->known || apart <= bound)
		return;
	clash->gap = strata_wide_max(clash->gap, apart - bound);
	clash->margin = strata_wide_max(clash->margin, apart + bound);
}

/* Compares the edge with the paths at one instant of its axis (grains). */
static void compare(const struct detour *detour, int64_t u, struct strata_clash *clash)
{
	const strata_wide time = detour->edge->origin + strata_fine_of(u);
	const struct strata_hop own = strata_edge_forward(detour->edge, time);
	const struct strata_hop from = strata_path_at(&detour->from, time, 0);
	const struct strata_hop to = strata_path_at(&detour->to, own.time, own.half + own.sag);

	/* What the edge itself contradicts proves nothing. */
	if (!own.known || own.flags & STRATA_PIECE_UNPROVEN)
		return;
	note(clash, &from, &to, from.time > to.time ? from.time - to.time : to.time - from.time);
}

/* Compares them at the ends and in the middle of each piece that contains constraints. */
static void compare_all(const struct detour *detour, struct strata_clash *clash)
{
	const struct strata_line *line = &detour->edge->line;
	size_t i;

	for (i = 0; i < line->nr; i++) {
		const struct strata_piece *piece = &line->pieces[i];

		if (piece->flags & STRATA_PIECE_OUTSIDE)
			continue;
		compare(detour, piece->u0, clash);
		compare(detour, piece->u0 + (piece->u1 - piece->u0) / 2, clash);
		compare(detour, piece->u1, clash);
	}
}

/* Compares them where a hop of the path from one of the edge's clocks bends, within @from to @to of
 * the edge's axis. */
static void compare_bends(const struct detour *detour, const struct strata_path *path, int64_t from,
			  int64_t to, struct strata_clash *clash, size_t *budget)
{
	const struct strata_edge *edge = detour->edge;
	size_t hop, i;
	int k;

	for (hop = 0; hop < path->nr; hop++) {
		const struct strata_edge *on = path->hops[hop].edge;
		const struct strata_line *line = &on->line;

		for (i = 0; i <= line->nr; i++) {
			strata_wide time =
				on->origin + strata_fine_of(i < line->nr ? line->pieces[i].u0
									 : line->pieces[i - 1].u1);

			if (*budget <= hop) {
				*budget = 0;
				return;
			}
			*budget -= hop + 1;
			if (!path->hops[hop].forward)
				time = strata_edge_forward(on, time).time;
			time = strata_path_back(path, hop, time);
			if (path->clock == edge->to)
				time = strata_edge_backward(edge, time).time;
			time = (time - edge->origin) >> STRATA_FINE_GRAIN;
			/* Converting it back is not exact. */
			for (k = -1; k <= 1 && time >= from && time <= to; k++)
				compare(detour, (int64_t)time + k * FENCE, clash);
		}
	}
}

void strata_clash_measure(const struct strata_clock_sync *sync, struct strata_clash *clash,
			  struct strata_path_hop *hops, size_t *budget)
{
	const struct strata_edge *edge = sync->edges[clash->edge];
	const struct detour detour = {
		.edge = edge,
		.from = strata_graph_path(sync, edge->from, hops),
		.to = strata_graph_path(sync, edge->to, hops + sync->nr_clocks),
	};
	size_t first = 0, last = edge->line.nr;

	while (first < last && edge->line.pieces[first].flags & STRATA_PIECE_OUTSIDE)
		first++;
	while (first < last && edge->line.pieces[last - 1].flags & STRATA_PIECE_OUTSIDE)
		last--;
	if (first == last)
		return;
	compare_bends(&detour, &detour.from, edge->line.pieces[first].u0,
		      edge->line.pieces[last - 1].u1, clash, budget);
	compare_bends(&detour, &detour.to, edge->line.pieces[first].u0,
		      edge->line.pieces[last - 1].u1, clash, budget);
	if (*budget == 0)
		clash->margin = STRATA_PATH_HALF_LIMIT;
}

/* Compares the constraints of an edge that does not tie its clocks, because it bounds them from one
 * side alone: the cause has to be before the effect. */
static void compare_points(const struct detour *detour, struct strata_clash *clash)
{
	const struct strata_edge *edge = detour->edge;
	size_t i, j;
	int side;

	for (i = 0; i < edge->windows.nr; i++) {
		for (side = 0; side < STRATA_SIDES; side++) {
			const struct strata_points *points = &edge->windows.at[i].points[side];

			for (j = 0; j < points->nr; j++) {
				const strata_wide time =
					edge->origin + strata_fine_of(points->at[j].u);
				const struct strata_hop from =
					strata_path_at(&detour->from, time, 0);
				const struct strata_hop to = strata_path_at(
					&detour->to,
					time + edge->deviation + strata_fine_of(points->at[j].v),
					0);

				note(clash, &from, &to,
				     side == STRATA_ABOVE ? from.time - to.time
							  : to.time - from.time);
			}
		}
	}
}

/* Finds where the paths of two clocks of one component meet. */
static void meet(const struct strata_clock_sync *sync, const struct strata_edge *edge,
		 struct strata_clash *clash)
{
	int clock[2] = { edge->from, edge->to };

	clash->below[0] = clock[0];
	clash->below[1] = clock[1];
	while (clock[0] != clock[1]) {
		const int far = sync->clocks[clock[0]].hops < sync->clocks[clock[1]].hops;

		clash->below[far] = clock[far];
		clash->hops[far]++;
		clock[far] = strata_graph_parent(sync, clock[far]);
	}
	clash->by = clock[0];
	clash->root = sync->clocks[clock[0]].root;
}

bool strata_clash_passes(const struct strata_clock_sync *sync, const struct strata_clash *clash,
			 int clock)
{
	const int ends[2] = { sync->edges[clash->edge]->from, sync->edges[clash->edge]->to };
	int i, at;

	for (i = 0; i < 2; i++) {
		for (at = ends[i]; at != clash->by; at = strata_graph_parent(sync, at)) {
			if (at == clock)
				return true;
		}
	}
	return clock == clash->by;
}

bool strata_clash_note_cycle(const struct strata_clock_sync *sync, struct strata_clashes *clashes,
			     struct strata_clash *clash)
{
	const struct strata_edge *edge = sync->edges[clash->edge];
	size_t i, nr = clash->hops[0] + clash->hops[1] + 1;
	int *cycle, at;

	while (clashes->nr_cycles + nr > clashes->cycles_capacity) {
		const size_t kept = clashes->nr_cycles;

		clashes->nr_cycles = clashes->cycles_capacity;
		if (!STRATA_GROW(clashes->cycles, clashes->nr_cycles, clashes->cycles_capacity))
			return false;
		clashes->nr_cycles = kept;
	}
	cycle = &clashes->cycles[clashes->nr_cycles];
	clash->cycle = clashes->nr_cycles;
	clash->nr_cycle = nr;
	clashes->nr_cycles += nr;
	/* From the clock at one end by the other end and the way back. */
	for (at = edge->to, i = 0; i < clash->hops[1]; i++, at = strata_graph_parent(sync, at))
		cycle[i ? nr - i : 0] = at;
	for (at = edge->from, i = 0; i < clash->hops[0]; i++, at = strata_graph_parent(sync, at))
		cycle[(clash->hops[1] > 0) + i] = at;
	cycle[(clash->hops[1] > 0) + i] = clash->by;
	return true;
}

/* Whether an edge is of two clocks of one component, but on no path. */
static bool is_outside_tree(const struct strata_clock_sync *sync, size_t edge)
{
	const struct strata_clock *from = &sync->clocks[sync->edges[edge]->from];
	const struct strata_clock *to = &sync->clocks[sync->edges[edge]->to];

	return from->root == to->root && !from->left_out && !to->left_out &&
	       from->parent_edge != (int)edge && to->parent_edge != (int)edge;
}

bool strata_clashes_find(const struct strata_clock_sync *sync, struct strata_clashes *clashes)
{
	struct strata_path_hop *hops = calloc(2 * sync->nr_clocks, sizeof(*hops));
	bool good = hops;
	size_t i;

	for (i = 0; good && i < sync->nr_edges; i++) {
		struct strata_clash clash = { .edge = i, .doubted = { -1, -1 }, .liar = -1 };
		struct detour detour = { .edge = sync->edges[i] };

		if (!is_outside_tree(sync, i))
			continue;
		detour.from = strata_graph_path(sync, detour.edge->from, hops);
		detour.to = strata_graph_path(sync, detour.edge->to, hops + sync->nr_clocks);
		if (strata_edge_usable(detour.edge))
			compare_all(&detour, &clash);
		else
			compare_points(&detour, &clash);
		if (clash.gap == 0)
			continue;
		meet(sync, detour.edge, &clash);
		good = STRATA_GROW(clashes->at, clashes->nr, clashes->capacity);
		if (good)
			clashes->at[clashes->nr++] = clash;
	}
	free(hops);
	return good;
}
