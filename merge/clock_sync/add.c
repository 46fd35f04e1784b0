// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * add.c - what a caller says of clocks, checked, and brought into the terms of an edge.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph.h"

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
		return strata_fail(err, "no clock %d: there are %zu", is_clock(sync, a) ? b : a,
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

/* @who: whose limits they are */
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

/* The edge for constraints of two clocks, or for an exact map from one to the other. */
static struct strata_edge *edge_between(struct strata_clock_sync *sync, int from, int to,
					bool is_exact)
{
	struct strata_edge *edge;
	void *grown;
	size_t i;

	for (i = 0; i < sync->nr_edges; i++) {
		size_t at = (sync->last_edge + i) % sync->nr_edges;

		edge = sync->edges[at];
		if (edge->from == from && edge->to == to && edge->is_exact == is_exact) {
			sync->last_edge = at;
			return edge;
		}
	}
	grown = reallocarray(sync->edges, sync->nr_edges + 1, sizeof(struct strata_edge *));
	if (!grown)
		return NULL;
	sync->edges = grown;
	grown = reallocarray(sync->weights, sync->nr_edges + 1, sizeof(*sync->weights));
	if (!grown)
		return NULL;
	sync->weights = grown;
	grown = reallocarray(sync->breaches, sync->nr_edges + 1, sizeof(*sync->breaches));
	if (!grown)
		return NULL;
	sync->breaches = grown;
	edge = calloc(1, sizeof(*edge));
	if (!edge)
		return NULL;
	edge->from = from;
	edge->to = to;
	edge->is_exact = is_exact;
	set_limits(edge, &sync->limits);
	sync->weights[sync->nr_edges] = UINT64_MAX;
	memset(&sync->breaches[sync->nr_edges], 0, sizeof(*sync->breaches));
	sync->last_edge = sync->nr_edges;
	sync->edges[sync->nr_edges++] = edge;
	return edge;
}

/* The axis of an edge is the time of the clock that was made later: the one made first is
 * the reference more often than not, and converting along the axis is direct. */
static struct strata_edge *constraint_edge(struct strata_clock_sync *sync, int a, int b)
{
	return edge_between(sync, a > b ? a : b, a > b ? b : a, false);
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

static void see(struct strata_edge *edge, strata_wide time)
{
	if (!edge->seen || time < edge->first)
		edge->first = time;
	if (!edge->seen || time > edge->last)
		edge->last = time;
	edge->seen = true;
}

/* @x of the axis is before (above) or after (below) the instant at which the other clock
 * shows @y; both fine. */
static int add_constraint(struct strata_clock_sync *sync, struct strata_edge *edge,
			  enum strata_side side, strata_wide x, strata_wide y, uint64_t cookie,
			  struct strata_error *err)
{
	struct strata_point point = { .cookie = cookie };
	strata_wide u, v;

	if (!edge->has_origin) {
		edge->origin = x;
		edge->deviation = y - x;
		edge->has_origin = true;
	}
	u = (x - edge->origin) >> STRATA_FINE_GRAIN;
	v = y - x - edge->deviation;
	/* Outwards, and one for u, which was rounded, too. */
	v = side == STRATA_ABOVE ? strata_ceil_shift(v, STRATA_FINE_GRAIN) + 1
				 : (v >> STRATA_FINE_GRAIN) - 1;
	if (u <= -STRATA_GRAIN_LIMIT || u >= STRATA_GRAIN_LIMIT || v <= -STRATA_GRAIN_LIMIT ||
	    v >= STRATA_GRAIN_LIMIT)
		return strata_fail(err,
				   "clocks %s and %s: a constraint lies more than 417 days from the"
				   " first one: one of the two cannot be right",
				   sync->clocks[edge->from].name, sync->clocks[edge->to].name);
	point.u = (int64_t)u;
	point.v = (int64_t)v;
	if (edge->windows.is_condensed && point.u < edge->windows.condensed_until) {
		edge->nr_late++;
		return 0;
	}
	if (!strata_windows_add(&edge->windows, &sync->room, &edge->model, side, &point))
		return no_memory(err);
	edge->nr_constraints[side]++;
	see(edge, x);
	return 0;
}

static strata_wide time_of(const struct strata_clock_sync *sync, struct strata_clock_event event)
{
	return strata_fine_time(&sync->rates[event.clock], event.reading);
}

/* A duration on any clock of the edge: drift may make it look shorter. */
static strata_wide at_least(const struct strata_edge *edge, uint64_t ns)
{
	strata_wide fine = (strata_wide)ns << STRATA_FINE_SHIFT;

	return fine - strata_ceil_div(fine * edge->asked.drift_ppb, 1000000000);
}

/* A clock shows the tick that has begun: what happened may have happened up to a tick later. */
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

int strata_clock_sync_between(struct strata_clock_sync *sync, int outer, int64_t first,
			      int64_t last, struct strata_clock_event inner, uint64_t cookie,
			      struct strata_error *err)
{
	struct strata_clock_event before = { outer, first }, after = { outer, last };

	if (strata_clock_sync_before(sync, before, inner, 0, cookie, err))
		return -1;
	return strata_clock_sync_before(sync, inner, after, 0, cookie, err);
}

int strata_clock_sync_anchor(struct strata_clock_sync *sync, struct strata_clock_event a,
			     struct strata_clock_event b, uint64_t bound_ns, uint64_t cookie,
			     struct strata_error *err)
{
	struct strata_clock_event x, y;
	struct strata_edge *edge;
	strata_wide bound;

	if (check_pair(sync, a.clock, b.clock, err))
		return -1;
	if (bound_ns > LEAST_NS_LIMIT)
		return strata_fail(err,
				   "clocks %s and %s: an anchor's bound of %" PRIu64
				   " ns: the limit is %" PRIu64,
				   sync->clocks[a.clock].name, sync->clocks[b.clock].name, bound_ns,
				   LEAST_NS_LIMIT);
	edge = constraint_edge(sync, a.clock, b.clock);
	if (!edge)
		return no_memory(err);
	x = a.clock == edge->from ? a : b;
	y = a.clock == edge->from ? b : a;
	bound = (strata_wide)bound_ns << STRATA_FINE_SHIFT;
	if (add_constraint(sync, edge, STRATA_ABOVE, time_of(sync, x), time_of(sync, y) + bound,
			   cookie, err))
		return -1;
	return add_constraint(sync, edge, STRATA_BELOW, time_of(sync, x), time_of(sync, y) - bound,
			      cookie, err);
}

int strata_clock_sync_exact(struct strata_clock_sync *sync, int from, int to,
			    const struct strata_clock_piece *piece, struct strata_error *err)
{
	const uint64_t limit = (uint64_t)1 << 62;
	struct strata_edge *edge;

	if (check_pair(sync, from, to, err))
		return -1;
	if (!piece->numerator || !piece->denominator || piece->numerator > limit ||
	    piece->denominator > limit || piece->bound > (uint64_t)1 << 32)
		return strata_fail(err,
				   "clock %s from %s: a map of %" PRIu64 "/%" PRIu64 " +- %" PRIu64
				   " ticks: both numbers are from 1 to 2^62, the bound up to 2^32",
				   sync->clocks[to].name, sync->clocks[from].name, piece->numerator,
				   piece->denominator, piece->bound);
	edge = edge_between(sync, from, to, true);
	if (!edge || !strata_exact_add(&edge->exact, piece))
		return no_memory(err);
	see(edge, strata_fine_time(&sync->rates[from], piece->from_reading));
	return 0;
}
