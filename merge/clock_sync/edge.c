// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * edge.c - converts a time of one clock of an edge to the other clock.
 */
#include <stdlib.h>

#include "base/array.h"

#include "clock_sync/edge.h"

bool strata_breach_add(struct strata_breaches *breaches, const struct strata_breach *breach)
{
	if (!STRATA_GROW(breaches->at, breaches->nr, breaches->capacity))
		return false;
	breaches->at[breaches->nr++] = *breach;
	return true;
}

bool strata_edge_usable(const struct strata_edge *edge)
{
	return edge->line.nr;
}

struct strata_hop strata_edge_forward(const struct strata_edge *edge, strata_wide time)
{
	struct strata_hop hop = { 0 };
	struct strata_deviation deviation;
	strata_wide u = (time - edge->origin) >> STRATA_FINE_GRAIN;

	hop.known = u > -STRATA_GRAIN_LIMIT && u < STRATA_GRAIN_LIMIT;
	deviation = strata_line_at(&edge->line, hop.known ? (int64_t)u : 0);
	hop.time = time + edge->deviation + strata_fine_of(deviation.estimate);
	/* Plus one for the rounding of u. */
	hop.half = strata_fine_of(deviation.half + 1);
	hop.sag = strata_fine_of(deviation.sag);
	hop.flags = deviation.flags;
	return hop;
}

/*
 * Solves x + d(x) = y. The estimate is the x at which the estimated d reaches y. There, the slope
 * of the estimate is at least 1 - p and the half width changes by at most p per unit, so the error
 * is at most half / (1 - 2 p).
 */
struct strata_hop strata_edge_backward(const struct strata_edge *edge, strata_wide time)
{
	strata_wide sum = (time - edge->deviation - edge->origin) >> STRATA_FINE_GRAIN;
	const strata_wide whole = 1000000000 - 2 * (strata_wide)edge->model.drift_ppb;
	struct strata_hop hop = { 0 };
	struct strata_deviation deviation;

	hop.known = sum > -STRATA_GRAIN_LIMIT / 2 && sum < STRATA_GRAIN_LIMIT / 2;
	if (!hop.known)
		sum = 0;
	deviation = strata_line_at(&edge->line, strata_line_reach(&edge->line, (int64_t)sum));
	hop.time = time - edge->deviation - strata_fine_of(deviation.estimate);
	hop.half = strata_ceil_div(strata_fine_of(deviation.half + 4) * 1000000000, whole);
	hop.sag = strata_ceil_div(strata_fine_of(deviation.sag) * 1000000000, whole);
	hop.flags = deviation.flags;
	strata_line_steps(&edge->line, (int64_t)sum, &hop.flags, &hop.half);
	return hop;
}

void strata_edge_clear(struct strata_edge *edge)
{
	strata_edge_clear_groups(edge);
	strata_windows_clear(&edge->windows);
	strata_line_clear(&edge->line);
	free(edge->breaches.at);
	free(edge->far_breaches.at);
}
