/* SPDX-License-Identifier: GPL-2.0-or-later */
/* statistics.h - what a set of traces contains: events of each class, times, silences. */
#ifndef STRATA_MERGE_ANALYSES_STATISTICS_H
#define STRATA_MERGE_ANALYSES_STATISTICS_H

#include "timeline/slices.h"

/* Of a trace; its streams' numbers are in the set's tallies. */
struct strata_trace_statistics {
	uint64_t events;
	uint64_t first_ns, last_ns;
	uint64_t *of_class;  /* number of events, by strata_ctf_event_class.index */
	uint64_t silence_ns; /* the longest time without an event */
	uint64_t silence_from_ns;
};

struct strata_statistics {
	struct strata_trace_statistics *traces; /* in the order of the set */
	size_t nr;
	uint64_t events;
	uint64_t first_ns, last_ns;
};

/* Reads all events from @from_ns until before @to_ns. Returns 0, or -1. The caller must clear
 * @statistics in either case. */
int strata_statistics_make(struct strata_statistics *statistics, struct strata_trace_set *set,
			   const struct strata_slice_options *options, struct strata_error *error);

void strata_statistics_clear(struct strata_statistics *statistics);

#endif /* STRATA_MERGE_ANALYSES_STATISTICS_H */
