/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * knots.h - instants of an edge at which the deviation is computed.
 */
#ifndef STRATA_CLOCK_SYNC_KNOTS_H
#define STRATA_CLOCK_SYNC_KNOTS_H

#include "clock_sync/hulls/polygon.h"

struct strata_edge;
struct strata_edge_scratch;

struct strata_knot {
	int64_t u;
	struct strata_interval at;
	bool unproven; /* contradicts its neighbour */
};

/* Zero-initialised is empty. */
struct strata_knots {
	struct strata_knot *at;
	size_t nr;
	size_t capacity;
	int64_t inner_from; /* the first constraint */
	int64_t inner_to;   /* the last */
	/* There was an instant without a line in this range; empty if failed_from is greater. */
	int64_t failed_from;
	int64_t failed_to;
};

/*
 * Finds the knots of a stretch of windows, from @first until before @end, without a step; neither
 * of the outermost is empty.  They are in @scratch, until it is used again.  @before, @behind:
 * whether no other stretch comes before it, or after it.  False: out of memory.
 */
bool strata_knots_find(const struct strata_edge *edge, struct strata_edge_scratch *scratch,
		       size_t first, size_t end, bool before, bool behind);

#endif /* STRATA_CLOCK_SYNC_KNOTS_H */
