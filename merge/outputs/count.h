/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h - counts the events of traces, and hashes their order and values: the cost of a merge
 * without output, and a way to compare it with another program's.
 */
#ifndef STRATA_MERGE_OUTPUTS_COUNT_H
#define STRATA_MERGE_OUTPUTS_COUNT_H

#include "timeline/slices.h"
#include "base/value_hash.h"

/* Merges and counts.  0, or -1. */
int strata_count(struct strata_trace_set *set, const struct strata_slice_options *options,
		 struct strata_chain *chain, struct strata_error *error);

#endif /* STRATA_MERGE_OUTPUTS_COUNT_H */
