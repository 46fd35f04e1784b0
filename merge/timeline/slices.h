/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slices.h - merges a set of traces in slices of time, several in parallel, and joins their results
 * in order.
 */
#ifndef STRATA_MERGE_SLICES_H
#define STRATA_MERGE_SLICES_H

#include "timeline/trace_set.h"

struct strata_slice_work {
	/*
	 * Creates the sink of the slice @at, counted from 0; may be called by several threads at
	 * the same time.
	 * @used: a joined sink, to be reused with its memory; NULL: none yet
	 * NULL: out of memory; @used is left as it is.
	 */
	struct strata_slice_sink *(*begin)(struct strata_slice_work *work, size_t at,
					   struct strata_slice_sink *used);
	/* Takes a slice's result; called for the slices in order. Returns 0; -1 with @error; 1:
	 * stop, without failure. */
	int (*join)(struct strata_slice_work *work, struct strata_slice_sink *sink,
		    struct strata_error *error);
	/* Frees a sink that was joined. */
	void (*end)(struct strata_slice_work *work, struct strata_slice_sink *sink);
};

struct strata_slice_options {
	uint64_t from_ns, to_ns;
	unsigned int threads; /* at least 1; with one there is one slice, whose sink gets all */
	uint64_t slice_bytes; /* of input, approximately; 0: enough slices to keep the threads
			       * busy */
	/* They also receive all events in order (in_order.h). */
	struct strata_slice_sink *const *observers;
	size_t nr_observers;
	size_t held_bytes; /* memory of copies for them (in_order.h); 0: the usual size */
};

/*
 * Merges, and adds to the tallies of the set's streams.  With several threads the set gets its
 * index.
 * @work: may be NULL if there are observers
 * Returns 0; -1; 1: a sink, an observer or join stopped the merge.
 */
int strata_slices_run(struct strata_trace_set *set, const struct strata_slice_options *options,
		      struct strata_slice_work *work, struct strata_error *error);

#endif /* STRATA_MERGE_SLICES_H */
