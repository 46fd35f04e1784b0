/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holders.h - who wrote the traces of a set: users, whose programs may be many, and of each other
 * trace its own kernel or hypervisor.  Tables with a limit are divided between them
 * (base/fair_share.h).
 *
 * A trace only claims its user.  So users are told apart within one recording, whose recorder knows
 * them, or one merge; each trace that was found alone is a holder of its own.
 */
#ifndef STRATA_MERGE_HOLDERS_H
#define STRATA_MERGE_HOLDERS_H

#include "timeline/trace_set.h"

/* Zero-initialised is empty. */
struct strata_holders {
	size_t *of; /* for each trace of a set: the first trace of the same holder */
	size_t nr;
};

/* Finds the holders of a set's traces; to be called again when the set has grown, which changes no
 * earlier holder.  0, or -1: out of memory. */
int strata_holders_find(struct strata_holders *holders, const struct strata_trace_set *set);
/* Tells each trace of a set the first one of the same holder.  0, or -1: out of memory. */
int strata_holders_mark(const struct strata_trace_set *set);

void strata_holders_clear(struct strata_holders *holders);

#endif /* STRATA_MERGE_HOLDERS_H */
