// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - checks the clocks and constraints that a caller adds, and converts them to an edge's
 * units.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock_sync/graph.h"
#include "clock_sync/rate.h"

#define LEAST_NS_LIMIT ((uint64_t)1 << 50)

static int no_memory(struct strata_error *err)
{
	return strata_fail(err, "out of memory for clock synchronisation");
}

int strata_clock_sync_add_clock(struct strata_clock_sync *sync, const char *name,
				struct strata_clock_rate rate, struct strata_error *err)
{
	size_t nr = sync->nr_clocks;
	struct strata_clock *clock;
	void *grown;

	if (!strata_rate_valid(&rate))
		return strata_fail(
			err,
			"clock %s: a rate of %" PRIu64 "/%" PRIu64
			" Hz cannot be used: from 1 Hz to below 2^36 Hz, with a numerator"
			" up to 2^52 and a denominator up to 2^16",
			name, rate.numerator, rate.denominator);
	grown = reallocarray(sync->clocks, nr + 1, sizeof(*sync->clocks));
	if (!grown)
		return no_memory(err);
	sync->clocks = grown;
	grown = reallocarray(sync->rates, nr + 1, sizeof(*sync->rates));
	if (!grown)
		return no_memory(err);
	sync->rates = grown;
	clock = &sync->clocks[nr];
	memset(clock, 0, sizeof(*clock));
	clock->parent_edge = -1;
	clock->distance = UINT64_MAX;
	clock->name = strdup(name);
	clock->map = calloc(1, sizeof(*clock->map));
	if (!clock->name || !clock->map) {
		free(clock->name);
		free(clock->map);
		return no_memory(err);
	}
	sync->rates[nr] = rate;
	sync->nr_clocks++;
	return (int)nr;
}

static bool is_clock(const struct strata_clock_sync *sync, int clock)
{
	return clock >= 0 && (size_t)clock < sync->nr_clocks;
}

static int check_pair(const struct strata_clock_sync *sync, int a, int b, struct strata_error *err)
{
	if (!is_clock(sync, a) || !is_clock(sync, b))
		return strata_fail(err, "no clock %d: only %zu exist", is_clock(sync, a) ? b : a,
				   sync->nr_clocks);
	if (a == b)
		return strata_fail(err, "clock %s: cannot be tied to itself", sync->clocks[a].name);
	return 0;
}

static void set_limits(struct strata_edge *edge, const struct strata_clock_limits *limits)
{
	edge->asked = strata_model_make(limits->drift_ppb, limits->slew_ppt);
	edge->model = edge->asked;
	edge->windows.length = limits->window_ms * (STRATA_GRAIN_SECOND / 1000);
}

/* @who: the owner, for messages */
static int check_limits(const struct strata_clock_limits *limits, const char *who,
			struct strata_error *err)
{
	if (limits->drift_ppb <= 100000000 && limits->window_ms && limits->window_ms <= 3600000)
		return 0;
	return strata_fail(err,
			   "%s: drift %u ppb, windows of %u ms: the limits are 100000000 ppb,"
			   " and 1 to 3600000 ms",
			   who, limits->drift_ppb, limits->window_ms);
}

/* Makes room for one more edge.  False: out of memory. */
static bool make_room(struct strata_clock_sync *sync)
{
	const size_t room = sync->edges_capacity ? 2 * sync->edges_capacity : 16;
	void *grown;

	if (sync->nr_edges < sync->edges_capacity)
		return true;
	grown = reallocarray(sync->edges, room, sizeof(struct strata_edge *));
	if (!grown)
		return false;
	sync->edges = grown;
	grown = reallocarray(sync->weights, room, sizeof(*sync->weights));
	if (!grown)
		return false;
	sync->weights = grown;
	sync->edges_capacity = room;
	return true;
}

/*
 * Returns the edge of two clocks, made if it does not exist; NULL: out of memory. Its axis is the
 * time of the clock that was added later, because the first one is usually the reference, and
 * converting from the axis is direct.
 */
static struct strata_edge *constraint_edge(struct strata_clock_sync *sync, int a, int b)
{
	const int from = a > b ? a : b, to = a > b ? b : a;
	struct strata_edge *edge = strata_id_map_find(&sync->by_clocks, strata_graph_key(from, to));

	if (edge)
		return edge;
	if (!make_room(sync))
		return NULL;
	edge = calloc(1, sizeof(*edge));
	if (!edge)
		return NULL;
	if (strata_id_map_add(&sync->by_clocks, strata_graph_key(from, to), edge)) {
		free(edge);
		return NULL;
	}
	edge->from = from;
	edge->to = to;
	set_limits(edge, &sync->limits);
	sync->weights[sync->nr_edges] = UINT64_MAX;
	sync->edges[sync->nr_edges++] = edge;
	return edge;
}

int strata_clock_sync_limit(struct strata_clock_sync *sync, int a, int b,
			    struct strata_clock_limits limits, struct strata_error *err)
{
	struct strata_edge *edge;
	char who[256];

	if (check_pair(sync, a, b, err))
		return -1;
	snprintf(who, sizeof(who), "clocks %s and %s", sync->clocks[a].name, sync->clocks[b].name);
	if (check_limits(&limits, who, err))
		return -1;
	edge = constraint_edge(sync, a, b);
	if (!edge)
		return no_memory(err);
	if (edge->has_origin)
		return strata_fail(err, "%s: limits are set before constraints are added", who);
	set_limits(edge, &limits);
	return 0;
}

int strata_clock_sync_assume(struct strata_clock_sync *sync, struct strata_clock_limits limits,
			     struct strata_error *err)
{
	if (check_limits(&limits, "all clocks", err))
		return -1;
	if (sync->nr_edges)
		return strata_fail(err, "all clocks: limits are set before anything is added");
	sync->limits = limits;
	return 0;
}

static void see(struct strata_edge *edge, strata_wide time, strata_wide other)
{
	if (!edge->seen) {
		edge->first = edge->last = time;
		edge->other_first = edge->other_last = other;
		edge->seen = true;
	}
	edge->first = strata_wide_min(edge->first, time);
	edge->last = strata_wide_max(edge->last, time);
	edge->other_first = strata_wide_min(edge->other_first, other);
	edge->other_last = strata_wide_max(edge->other_last, other);
}

/* Adds the constraint that @x of the axis is before (above) or after (below) the instant at which
 * the other clock shows @y; both in fine units. */
static int add_constraint(struct strata_clock_sync *sync, struct strata_edge *edge,
			  enum strata_side side, strata_wide x, strata_wide y, uint64_t cookie,
			  struct strata_error *err)
{
	struct strata_point point = { .cookie = cookie };
	strata_wide u, v;

	edge = strata_edge_group(edge, x, y);
	if (!edge)
		return no_memory(err);
	u = (x - edge->origin) >> STRATA_FINE_GRAIN;
	v = y - x - edge->deviation;
	/* Rounded outwards, plus one for the rounding of u. */
	v = side == STRATA_ABOVE ? strata_ceil_shift(v, STRATA_FINE_GRAIN) + 1
				 : (v >> STRATA_FINE_GRAIN) - 1;
	point.u = (int64_t)u;
	point.v = (int64_t)v;
	if (!strata_windows_add(&edge->windows, &sync->scratch.polygon, &edge->model, side, &point))
		return no_memory(err);
	edge->nr_constraints++;
	see(edge, x, y);
	return 0;
}

static strata_wide time_of(const struct strata_clock_sync *sync, struct strata_clock_event event)
{
	return strata_fine_time(&sync->rates[event.clock], event.reading);
}

/* Returns a duration in fine units, shortened by the drift, so that it holds on either clock. */
static strata_wide at_least(const struct strata_edge *edge, uint64_t ns)
{
	strata_wide fine = (strata_wide)ns << STRATA_FINE_SHIFT;

	return fine - strata_ceil_div(fine * edge->asked.drift_ppb, 1000000000);
}

/* A reading is the tick that has begun: the event may be up to a tick later. */
static strata_wide end_of(const struct strata_clock_sync *sync, struct strata_clock_event event)
{
	const struct strata_clock_rate *rate = &sync->rates[event.clock];

	return time_of(sync, event) +
	       strata_ceil_div(STRATA_FINE_SECOND * (strata_wide)rate->denominator,
			       (strata_wide)rate->numerator);
}

int strata_clock_sync_before(struct strata_clock_sync *sync, struct strata_clock_event cause,
			     struct strata_clock_event effect, uint64_t least_ns, uint64_t cookie,
			     struct strata_error *err)
{
	struct strata_edge *edge;

	if (check_pair(sync, cause.clock, effect.clock, err))
		return -1;
	if (least_ns > LEAST_NS_LIMIT)
		return strata_fail(err,
				   "clocks %s and %s: a least delay of %" PRIu64
				   " ns: the limit is %" PRIu64,
				   sync->clocks[cause.clock].name, sync->clocks[effect.clock].name,
				   least_ns, LEAST_NS_LIMIT);
	edge = constraint_edge(sync, cause.clock, effect.clock);
	if (!edge)
		return no_memory(err);
	if (cause.clock == edge->from)
		return add_constraint(sync, edge, STRATA_ABOVE, time_of(sync, cause),
				      end_of(sync, effect) - at_least(edge, least_ns), cookie, err);
	return add_constraint(sync, edge, STRATA_BELOW, end_of(sync, effect),
			      time_of(sync, cause) + at_least(edge, least_ns), cookie, err);
}
