/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machines_say.h - messages about machines whose clocks are not tied to the first one's, and about
 * contradictions between their traces.
 */
#ifndef STRATA_MERGE_INPUTS_MACHINES_SAY_H
#define STRATA_MERGE_INPUTS_MACHINES_SAY_H

#include "inputs/machines.h"

/* Reports each to @complain.  @set: from which the machines were found.  Returns 0, or -1: out of
 * memory. */
int strata_machines_say(const struct strata_machines *machines, const struct strata_trace_set *set,
			strata_complain_fn *complain, void *data, struct strata_error *error);

#endif /* STRATA_MERGE_INPUTS_MACHINES_SAY_H */
