/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edge_scratch.h - the scratch memory for dividing and drawing an edge.  The next edge uses it
 * again: each pair of clocks can have an edge.
 */
#ifndef STRATA_CLOCK_SYNC_EDGE_SCRATCH_H
#define STRATA_CLOCK_SYNC_EDGE_SCRATCH_H

#include "clock_sync/hulls/history.h"
#include "clock_sync/hulls/polygon.h"
#include "clock_sync/knots.h"

#define STRATA_CHECKPOINT 32u /* number of windows between two retained histories */

/* All-zero is ready. */
struct strata_edge_scratch {
	struct strata_polygon_scratch polygon;
	struct strata_knots knots;
	struct strata_history past;                         /* before a window */
	struct strata_history all;                          /* what is being examined */
	struct strata_history running;                      /* from a window on */
	struct strata_history after[STRATA_CHECKPOINT + 1]; /* from each of some windows on */
	struct strata_history *kept; /* from every STRATA_CHECKPOINT-th window on */
	size_t nr_kept;
};

/* Makes room for @nr histories in @kept.  False: out of memory. */
bool strata_edge_scratch_keep(struct strata_edge_scratch *scratch, size_t nr);

void strata_edge_scratch_clear(struct strata_edge_scratch *scratch);

#endif /* STRATA_CLOCK_SYNC_EDGE_SCRATCH_H */
