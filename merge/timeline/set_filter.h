/* SPDX-License-Identifier: GPL-2.0-or-later */
/* set_filter.h - what a merge asks which events are wanted; filter/ has the one that there is. */
#ifndef STRATA_MERGE_SET_FILTER_H
#define STRATA_MERGE_SET_FILTER_H

#include "ctf/reader/ctf_reader.h"

/* Bound to a set of traces; @trace is a number in it.  Threads that merge share it. */
struct strata_set_filter {
	/* It keeps a state of each stream: merges read streams from their beginnings, in one slice,
	 * and tell it of what is not theirs. */
	bool from_start;
	/* What one merge needs of its own; NULL: out of memory. */
	void *(*begin)(const struct strata_set_filter *filter);
	/* Leaves of events of a reader's batch those that match, in their order.  Their number. */
	size_t (*keep)(void *run, size_t trace, struct strata_ctf_reader *reader,
		       struct strata_lane_event *events, size_t nr);
	/* If from_start: events that are not of the merge, and a loss in a reader's stream. */
	void (*pass)(void *run, size_t trace, struct strata_ctf_reader *reader,
		     const struct strata_lane_event *events, size_t nr);
	void (*lose)(void *run, size_t trace, struct strata_ctf_reader *reader);
	/* NULL: nothing is done. */
	void (*end)(void *run);
	/* Whether an event of the packet that the reader is in may match, though nobody read it. */
	bool (*may_match)(const struct strata_set_filter *filter, size_t trace,
			  const struct strata_ctf_reader *reader);
};

#endif /* STRATA_MERGE_SET_FILTER_H */
