// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * path.c - converts times along a path, adds up bounds, and makes the table of a path.
 *
 * Along a path, estimates are straight between the readings at which a piece of any hop ends.  Ends
 * of later hops are converted back to readings of the first clock, with an error of about a tick:
 * harmless where a line only bends; a jump is enclosed from both sides.
 */
#include <stdlib.h>
#include <string.h>

#include "clock_sync/path.h"
#include "base/array.h"
#include "clock_sync/rate.h"

/* A reading at which something bends or jumps. */
struct bend {
	int64_t from;
	int64_t until; /* greater than from: it jumps in between */
};

struct bends {
	struct bend *at;
	size_t nr;
	size_t capacity;
};

/* Converts a time by one hop, in fine units. */
static struct strata_hop hop_at(const struct strata_path_hop *hop, strata_wide time)
{
	return hop->forward ? strata_edge_forward(hop->edge, time)
			    : strata_edge_backward(hop->edge, time);
}

/* Returns how an uncertainty of @half before a hop appears after it. */
static strata_wide stretched(const struct strata_path_hop *hop, strata_wide half)
{
	const strata_wide whole = 1000000000 - 2 * (strata_wide)hop->edge->model.drift_ppb;

	return half + strata_ceil_div(half * hop->edge->model.drift_ppb, whole);
}

/* Times within this many fine units cannot overflow. */
#define TIME_LIMIT ((strata_wide)1 << 110)

struct strata_hop strata_path_at(const struct strata_path *path, strata_wide time, strata_wide half)
{
	struct strata_hop all = { .time = time, .half = half, .known = true };
	size_t i;

	for (i = 0; i < path->nr; i++) {
		const struct strata_path_hop *hop = &path->hops[i];
		struct strata_hop one = hop_at(hop, all.time);

		all.known = all.known && one.known && all.half < STRATA_PATH_HALF_LIMIT &&
			    all.sag < STRATA_PATH_HALF_LIMIT && one.half < STRATA_PATH_HALF_LIMIT;
		if (all.known) {
			all.half = stretched(hop, all.half) + one.half;
			all.sag = stretched(hop, all.sag) + one.sag;
		}
		all.time = strata_wide_max(-TIME_LIMIT, strata_wide_min(TIME_LIMIT, one.time));
		all.flags |= one.flags;
	}
	return all;
}

strata_wide strata_path_back(const struct strata_path *path, size_t hop, strata_wide time)
{
	while (hop-- > 0) {
		const struct strata_path_hop back = { .edge = path->hops[hop].edge,
						      .forward = !path->hops[hop].forward };

		time = hop_at(&back, time).time;
		time = strata_wide_max(-TIME_LIMIT, strata_wide_min(TIME_LIMIT, time));
	}
	return time;
}

/* Returns the reading of the first clock that corresponds to the input @time of a hop. */
static int64_t pull(const struct strata_path *path, size_t hop, strata_wide time)
{
	strata_wide reading =
		strata_fine_ticks(&path->rates[path->clock], strata_path_back(path, hop, time), 0);

	strata_clamp_ticks(&reading);
	return (int64_t)reading;
}

static bool add_bend(struct bends *bends, int64_t reading, uint64_t before, uint64_t after)
{
	struct bend bend;

	bend.from = reading < INT64_MIN + (int64_t)before ? INT64_MIN : reading - (int64_t)before;
	bend.until = reading > INT64_MAX - (int64_t)after ? INT64_MAX : reading + (int64_t)after;
	if (!STRATA_GROW(bends->at, bends->nr, bends->capacity))
		return false;
	bends->at[bends->nr++] = bend;
	return true;
}

/* Returns the number of ticks of the first clock in a time, plus a few. */
static uint64_t ticks_around(const struct strata_path *path, strata_wide time)
{
	return (uint64_t)strata_fine_ticks(&path->rates[path->clock], time, 0) + 2;
}

static bool line_bends(const struct strata_path *path, size_t hop, struct bends *bends)
{
	const struct strata_edge *edge = path->hops[hop].edge;
	uint64_t fence = ticks_around(path, strata_fine_of(16));
	const struct strata_line *line = &edge->line;
	size_t i;

	for (i = 0; i <= line->nr; i++) {
		bool step = (i < line->nr && line->pieces[i].flags & STRATA_PIECE_STEP) ||
			    (i > 0 && line->pieces[i - 1].flags & STRATA_PIECE_STEP);
		int64_t u = i < line->nr ? line->pieces[i].u0 : line->pieces[i - 1].u1;
		strata_wide time = edge->origin + strata_fine_of(u);
		struct strata_deviation at = strata_line_at(line, u);
		uint64_t around = fence;

		if (!path->hops[hop].forward) {
			time += edge->deviation + strata_fine_of(at.estimate);
			/* Around a step both times are possible. */
			if (step)
				around += ticks_around(
					path, strata_fine_of(
						      4 * (strata_wide)at.half +
						      (i < line->nr ? line->pieces[i].u1 - u : 0)));
		}
		if (!add_bend(bends, pull(path, hop, time), step ? around : 0, step ? around : 0))
			return false;
	}
	return true;
}

static int by_from(const void *a, const void *b)
{
	const struct bend *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->until < y->until ? -1 : x->until > y->until;
}

static bool all_bends(const struct strata_path *path, struct bends *bends)
{
	size_t i, nr;

	for (i = 0; i < path->nr; i++) {
		if (!line_bends(path, i, bends))
			return false;
	}
	/* A jump bends at its end, too. */
	for (i = 0, nr = bends->nr; i < nr; i++) {
		if (bends->at[i].until > bends->at[i].from &&
		    !add_bend(bends, bends->at[i].until, 0, 0))
			return false;
	}
	if (bends->nr)
		qsort(bends->at, bends->nr, sizeof(*bends->at), by_from);
	return true;
}

static uint32_t clock_flags(unsigned int flags)
{
	return (flags & STRATA_PIECE_STEP ? STRATA_CLOCK_STEP : 0) |
	       (flags & STRATA_PIECE_UNPROVEN ? STRATA_CLOCK_UNPROVEN : 0) |
	       (flags & STRATA_PIECE_OUTSIDE ? STRATA_CLOCK_OUTSIDE : 0);
}

/* A time in ticks of the reference; rounded up. */
static strata_wide reference_ticks(const struct strata_path *path, strata_wide time)
{
	return strata_fine_ticks(&path->rates[path->reference], time, STRATA_MAP_FRACTION) + 1;
}

static bool is_bounded(const struct strata_path *path, const struct strata_hop *hop)
{
	return hop->known && path->doubt < STRATA_PATH_HALF_LIMIT;
}

static void make_node(const struct strata_path *path, int64_t reading, struct strata_map_node *node)
{
	const struct strata_clock_rate *rate = &path->rates[path->clock];
	struct strata_hop hop = strata_path_at(path, strata_fine_time(rate, reading), 0);

	memset(node, 0, sizeof(*node));
	node->reading = reading;
	node->value =
		strata_fine_ticks(&path->rates[path->reference], hop.time, STRATA_MAP_FRACTION);
	node->bound = is_bounded(path, &hop) ? reference_ticks(path, hop.half + path->doubt) : -1;
}

/* Sets the properties of the piece from @node to @until. */
static void finish_node(const struct strata_path *path, struct strata_map_node *node, int64_t until)
{
	int64_t middle = (int64_t)(((strata_wide)node->reading + until) / 2);
	struct strata_hop hop =
		strata_path_at(path, strata_fine_time(&path->rates[path->clock], middle), 0);

	node->sag = hop.sag ? reference_ticks(path, hop.sag) : 0;
	node->flags = clock_flags(hop.flags);
	node->unbounded = !is_bounded(path, &hop);
}

/* Adds a node; before it, another one where the conversion begins or ends to be known. */
static void add_node(const struct strata_path *path, int64_t reading, struct strata_map_node *nodes,
		     size_t *nr)
{
	struct strata_map_node *last = &nodes[*nr - 1], node, middle;
	int64_t low = last->reading, high = reading;

	make_node(path, reading, &node);
	if ((node.bound < 0) != (last->bound < 0) && !last->jump) {
		while ((uint64_t)high - (uint64_t)low > 1) {
			int64_t half = (int64_t)(((strata_wide)low + high) >> 1);

			make_node(path, half, &middle);
			if ((middle.bound < 0) == (last->bound < 0))
				low = half;
			else
				high = half;
		}
		if (low > last->reading)
			make_node(path, low, &nodes[(*nr)++]);
		if (high < reading)
			make_node(path, high, &nodes[(*nr)++]);
	}
	nodes[(*nr)++] = node;
}

bool strata_path_map(const struct strata_path *path, struct strata_sync_map *map)
{
	struct bends bends = { 0 };
	struct strata_map_node *nodes = NULL;
	int64_t jump_until = INT64_MIN;
	bool good = all_bends(path, &bends);
	size_t i, nr = 0;

	nodes = good ? calloc(3 * (bends.nr + 1) + 1, sizeof(*nodes)) : NULL;
	if (nodes) {
		make_node(path, INT64_MIN, &nodes[nr++]);
		for (i = 0; i < bends.nr && bends.at[i].from < INT64_MAX; i++) {
			const struct bend *bend = &bends.at[i];

			if (bend->until > bend->from && bend->until > jump_until)
				jump_until = bend->until;
			if (bend->from > nodes[nr - 1].reading)
				add_node(path, bend->from, nodes, &nr);
			nodes[nr - 1].jump = jump_until > nodes[nr - 1].reading;
		}
		if (nodes[nr - 1].reading < INT64_MAX)
			add_node(path, INT64_MAX, nodes, &nr);
		for (i = 0; i + 1 < nr; i++)
			finish_node(path, &nodes[i], nodes[i + 1].reading);
		good = strata_map_add(map, nodes, nr);
	} else {
		good = false;
	}
	free(nodes);
	free(bends.at);
	return good;
}
