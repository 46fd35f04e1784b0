/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clash.h - edges that contradict the paths of their clocks.
 *
 * Paths make a tree, so they use few of the edges.  If every clock's trace tells the truth, the
 * other edges agree with the paths: the three enclosures of the time that such an edge compares,
 * by the paths of its two clocks and by itself, overlap.  If they do not, some clock on the cycle
 * that the edge closes lies, and it may be the reference.
 */
#ifndef STRATA_CLOCK_SYNC_CLASH_H
#define STRATA_CLOCK_SYNC_CLASH_H

#include "clock_sync/graph.h"

/* Adds the clashes of all edges with the chosen paths.  False: out of memory. */
bool strata_clashes_find(const struct strata_clock_sync *sync, struct strata_clashes *clashes);

/* By how much more than their bounds two times differ; 0: they do not. */
strata_wide strata_hops_gap(const struct strata_hop *a, const struct strata_hop *b);

/* Whether a clock is on the cycle that a clash closes. */
bool strata_clash_passes(const struct strata_clock_sync *sync, const struct strata_clash *clash,
			 int clock);

/*
 * Compares an edge that clashes with its paths at their bends as well, between which its gap and
 * margin may be larger.  @hops: room for twice as many as there are clocks; @budget: conversions
 * that remain, for all clashes; if it is used up, the margin is unknown (STRATA_PATH_HALF_LIMIT)
 */
void strata_clash_measure(const struct strata_clock_sync *sync, struct strata_clash *clash,
			  struct strata_path_hop *hops, size_t *budget);

/* Notes the clocks on the cycle of one of the clashes.  False: out of memory. */
bool strata_clash_note_cycle(const struct strata_clock_sync *sync, struct strata_clashes *clashes,
			     struct strata_clash *clash);

/*
 * Draws the conclusions from all clashes with the chosen paths (settle.c): leaves clocks out that
 * are proven to lie, for which it chooses paths again, and notes by how much the bounds of others
 * grow.  False: out of memory.
 */
bool strata_clashes_settle(struct strata_clock_sync *sync);

#endif /* STRATA_CLOCK_SYNC_CLASH_H */
