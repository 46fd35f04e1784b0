/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - divides the time of an instance by its causes, using the remembered spans.
 *
 * It walks through the time and finds the cause of each moment: from the task to the CPU of its
 * kernel, to the vCPU, to the physical CPU, and from a blocked task to its waker. A cause lasts
 * until one of the spans from which it was derived ends. Each moment has one cause, so the parts
 * sum to the whole.
 */
#ifndef STRATA_MERGE_WHY_EXPLAIN_H
#define STRATA_MERGE_WHY_EXPLAIN_H

#include "why/instances.h"
#include "why/recall.h"
#include "why/tree.h"

/* A piece of the time in which the causes do not change. */
struct strata_why_piece {
	const struct strata_why_path *path;
	uint64_t from_ns, to_ns;
	uint64_t from_bound_ns, to_bound_ns; /* of the two ends */
};

/* Passes each piece of an instance's time to @take, in order of time and without gaps. */
void strata_why_walk(const struct strata_why_recall *recall,
		     const struct strata_why_instance *instance,
		     void (*take)(void *taker, const struct strata_why_piece *piece), void *taker);

/*
 * Explains one instance.
 * @tree: empty before; the caller must clear it
 * Returns 0, or -1: out of memory.
 */
int strata_why_explain(const struct strata_why_recall *recall,
		       const struct strata_why_instance *instance, struct strata_why_tree *tree);

#endif /* STRATA_MERGE_WHY_EXPLAIN_H */
