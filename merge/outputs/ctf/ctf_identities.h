/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctf_identities.h - by what readers identify the traces of a set that is rewritten: their UUIDs,
 * those of their clocks, and which of them are of one machine and one merge.  All are made from
 * what the originals say, so that converting them again gives the same.
 */
#ifndef STRATA_MERGE_OUTPUTS_CTF_IDENTITIES_H
#define STRATA_MERGE_OUTPUTS_CTF_IDENTITIES_H

#include "base/escape.h"
#include "outputs/ctf/ctf_plan.h"
#include "timeline/trace_set.h"

/*
 * Sets place, machine, clock, uuid, clock_uuid, merge and is_on_timeline of all plans.
 * @plans: parallel to the set's traces, with their names
 * @merge: made to hold the name of the merge, to which the plans may point
 * Returns 0, or -1: out of memory.
 */
int strata_ctf_identify(struct strata_ctf_plan *plans, const struct strata_trace_set *set,
			char merge[STRATA_UUID_TEXT_BYTES]);

#endif /* STRATA_MERGE_OUTPUTS_CTF_IDENTITIES_H */
