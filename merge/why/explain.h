/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - divides the time of an instance by its causes, from the spans that are remembered of
 * it.
 *
 * It walks through the time, and at each moment asks what was the cause: from the task to the CPU
 * of its kernel, to the vCPU, to the physical CPU, and from a blocked task to whom it was woken by.
 * The answer holds until one of the spans that it came from ends; so each moment has one answer,
 * and the parts are the whole.
 */
#ifndef STRATA_MERGE_WHY_EXPLAIN_H
#define STRATA_MERGE_WHY_EXPLAIN_H

#include "why/instances.h"
#include "why/recall.h"
#include "why/tree.h"

/* A piece of the time, whose causes are the same from its begin to its end. */
struct strata_why_piece {
	const struct strata_why_path *path;
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
};

/* Hands each piece of an instance's time to @take, in the order of time and without gaps. */
void strata_why_walk(const struct strata_why_recall *recall,
		     const struct strata_why_instance *instance,
		     void (*take)(void *taker, const struct strata_why_piece *piece), void *taker);

/*
 * Explains one instance.
 * @tree: empty; to be cleared
 * 0, or -1: out of memory.
 */
int strata_why_explain(const struct strata_why_recall *recall,
		       const struct strata_why_instance *instance, struct strata_why_tree *tree);

#endif /* STRATA_MERGE_WHY_EXPLAIN_H */
