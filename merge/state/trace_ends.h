/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trace_ends.h - finds when each trace of a set ends: after that, the state of its kernel or
 * hypervisor is unknown, though other traces continue.
 */
#ifndef STRATA_MERGE_STATE_TRACE_ENDS_H
#define STRATA_MERGE_STATE_TRACE_ENDS_H

#include "timeline/trace_set.h"

/* The traces in the order of their ends.  Zero-initialised is empty. */
struct strata_trace_ends {
	struct strata_trace_end {
		uint64_t ns;
		size_t trace;
	} * ends;
	size_t nr, next; /* next: the first end that has not been taken */
};

/* Finds the ends: reads the last packets of each stream, and all packets of a stream without an
 * index.  0 or -1. */
int strata_trace_ends_find(struct strata_trace_ends *ends, const struct strata_trace_set *set,
			   struct strata_error *error);

/* Adds an end that was unknown before; no later end may have been taken.  0, or -1: out of memory.
 */
int strata_trace_ends_add(struct strata_trace_ends *ends, size_t trace, uint64_t ns);

/* Takes the next trace that ends before @ns.  NULL: no trace does. */
static inline const struct strata_trace_end *strata_trace_ends_take(struct strata_trace_ends *ends,
								    uint64_t ns)
{
	if (ends->next == ends->nr || ends->ends[ends->next].ns >= ns)
		return NULL;
	return &ends->ends[ends->next++];
}

void strata_trace_ends_clear(struct strata_trace_ends *ends);

#endif /* STRATA_MERGE_STATE_TRACE_ENDS_H */
