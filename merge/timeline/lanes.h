/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanes.h - the merge itself: many lanes of events, each in order, become one.
 *
 * It uses only the times of events: a nanosecond, and the host tick within it if all times are of
 * one host. Events of equal time come in the order of their lanes' numbers, so that the same input
 * gives the same output. Consecutive events of one lane are passed on as one run: the events of a
 * CPU come in bursts, and a run costs as much as a single event.
 *
 * The lanes are the leaves of a tree of losers (Knuth, The Art of Computer Programming, volume 3,
 * 5.4.1), where finding the next winner takes as many comparisons as the tree is high.
 * The comparisons use no branches, which would be mispredicted, so small numbers of lanes need no
 * special case.
 */
#ifndef STRATA_MERGE_LANES_H
#define STRATA_MERGE_LANES_H

#include <stddef.h>

#include "ctf/reader/lane_event.h"

struct strata_lane {
	const struct strata_lane_event *next, *end; /* the rest of its batch; the owner owns both */
};

struct strata_lanes {
	struct strata_lane *lanes;
	size_t nr;
	/*
	 * Refills a lane, in order and not before its previous batch: sets next and end, equal at
	 * the end of the lane. Returns 0; -1: failed; 1: stop, without failure: the merge cannot go
	 * on.
	 */
	int (*refill)(void *data, size_t lane);
	/* During take(): the lane whose run probably comes next, so that its data can be
	 * prefetched. */
	size_t upcoming;
	/* Takes a run of a lane, at least one event. Returns 0, or -1: failed; 1: stop, without
	 * failure. */
	int (*take)(void *data, size_t lane, const struct strata_lane_event *events, size_t nr);
	void *data;
};

/* Merges to the end. Returns 0, or -1: out of memory, or a callback failed; 1: take() stopped the
 * merge. */
int strata_lanes_merge(struct strata_lanes *lanes);

/*
 * The same in steps: a merge pauses when take() returns 1, and the run that it took stays in place
 * until the merge continues after it.
 *
 *     strata_lanes_begin  fills the lanes; NULL: out of memory, or refill() failed. @lanes must
 *                         outlive it
 *     strata_lanes_go_on  like strata_lanes_merge(), from where the merge paused
 *     strata_lanes_end    frees it
 */
struct strata_lanes_merge;

struct strata_lanes_merge *strata_lanes_begin(struct strata_lanes *lanes);
int strata_lanes_go_on(struct strata_lanes_merge *merge);
void strata_lanes_end(struct strata_lanes_merge *merge);

#endif /* STRATA_MERGE_LANES_H */
