/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lanes.h - the merge itself: many lanes of events, each in order, become one.
 *
 * It knows of an event only its time: a nanosecond, and the host tick within it where
 * one host has all times.  Events of equal time come in the order of their lanes' numbers, so that
 * the same input gives the same output.  What is in order within one lane is handed on as one run:
 * the events of a CPU come in bursts, and a run costs as much as an event.
 *
 * The lanes stand in a tree of losers (Knuth, The Art of Computer Programming, volume
 * 3, 5.4.1), where the next least is found by as many comparisons as the tree is high.
 * The comparisons use no branches, which would be mispredicted, so small numbers of lanes need no
 * special case.
 */
#ifndef STRATA_MERGE_LANES_H
#define STRATA_MERGE_LANES_H

#include <stddef.h>

#include "ctf/reader/lane_event.h"

struct strata_lane {
	const struct strata_lane_event *next,
		*end; /* the rest of its batch; both belong to its owner */
};

struct strata_lanes {
	struct strata_lane *lanes;
	size_t nr;
	/*
	 * Gives a lane its next batch, in order and not before the last: sets next and end, equal
	 * at its end.  0, or -1: give up.
	 */
	int (*refill)(void *data, size_t lane);
	/* During take(): the lane whose run probably comes next, so that its data can be fetched
	 * into a near cache in time. */
	size_t upcoming;
	/* Takes a run of a lane, one event at least.  0, or -1: give up; 1: stop, all is well. */
	int (*take)(void *data, size_t lane, const struct strata_lane_event *events, size_t nr);
	void *data;
};

/* Merges to the end.  0, or -1: out of memory, or one of the two gave up; 1: take() wanted a stop.
 */
int strata_lanes_merge(struct strata_lanes *lanes);

/*
 * The same in steps: a merge pauses when take() returns 1, and the run that it took stays where it
 * is until the merge goes on behind it.
 *
 *     strata_lanes_begin  fills the lanes; NULL: out of memory, or refill() gave up.  @lanes stays
 *     strata_lanes_go_on  as strata_lanes_merge(), from where the merge paused
 *     strata_lanes_end    frees it
 */
struct strata_lanes_merge;

struct strata_lanes_merge *strata_lanes_begin(struct strata_lanes *lanes);
int strata_lanes_go_on(struct strata_lanes_merge *merge);
void strata_lanes_end(struct strata_lanes_merge *merge);

#endif /* STRATA_MERGE_LANES_H */
