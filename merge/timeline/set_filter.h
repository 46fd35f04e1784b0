/* SPDX-License-Identifier: GPL-2.0-or-later */
/* set_filter.h - the interface by which a merge selects events; filter/ implements it. */
#ifndef STRATA_MERGE_SET_FILTER_H
#define STRATA_MERGE_SET_FILTER_H

#include "ctf/reader/ctf_reader.h"

/* Bound to a set of traces; @trace is a number in it.  Threads that merge share it. */
struct strata_set_filter {
	/* It keeps state for each stream: merges read streams from the beginning, in one slice, and
	 * also pass it events outside the merge. */
	bool from_start;
	/* Creates the state of one merge; NULL: out of memory. */
	void *(*begin)(const struct strata_set_filter *filter);
	/* Keeps the matching events of a reader's batch, in order, and returns their number. */
	size_t (*keep)(void *run, size_t trace, struct strata_ctf_reader *reader,
		       struct strata_lane_event *events, size_t nr);
	/* If from_start: events outside the merge, and a loss in a reader's stream. */
	void (*pass)(void *run, size_t trace, struct strata_ctf_reader *reader,
		     const struct strata_lane_event *events, size_t nr);
	void (*lose)(void *run, size_t trace, struct strata_ctf_reader *reader);
	/* NULL: nothing to release. */
	void (*end)(void *run);
	/* Whether an unread event of the reader's current packet may match. */
	bool (*may_match)(const struct strata_set_filter *filter, size_t trace,
			  const struct strata_ctf_reader *reader);
};

#endif /* STRATA_MERGE_SET_FILTER_H */
