/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines_assign.h - which machine each trace is of.
 *
 * Two recordings are of one machine if they are of one boot (one_boot.h); two other traces, if they
 * share a clock or if one conversion gave them the same machine.  A trace's environment comes from
 * its file, so it can claim any host: a trace that an earlier conversion put on the first trace's
 * clock never shares a machine with one that is not on it, unless that is the first machine.
 */
#ifndef STRATA_MERGE_INPUTS_MACHINES_ASSIGN_H
#define STRATA_MERGE_INPUTS_MACHINES_ASSIGN_H

#include "inputs/machines.h"

/*
 * Assigns each trace of the set to a machine, in the set's order: fills @machines' list of
 * machines, with their names and boots, and @of_trace.  Recordings of one boot share their dates
 * from now on.
 * @machines: with room for as many machines and numbers as the set has traces
 * Returns 0, or -1: out of memory.
 */
int strata_machines_assign(struct strata_machines *machines, const struct strata_trace_set *set);

/* Whether one earlier conversion put both traces on the same clock, as their environment says. */
bool strata_machines_same_timeline(const struct strata_ctf_trace *a,
				   const struct strata_ctf_trace *b);

#endif /* STRATA_MERGE_INPUTS_MACHINES_ASSIGN_H */
