/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctf_plan_header.h - the header of a merged trace's events, as ctf_plan.h has it, as a type. */
#ifndef STRATA_MERGE_OUTPUTS_CTF_PLAN_HEADER_H
#define STRATA_MERGE_OUTPUTS_CTF_PLAN_HEADER_H

#include "ctf/types/ctf_arena.h"
#include "outputs/ctf/ctf_plan.h"

/* Makes plan->header of what else the plan has.  0, or -1: out of memory. */
int strata_ctf_plan_make_header(struct strata_ctf_plan_kind *plan, struct strata_ctf_arena *arena);

#endif /* STRATA_MERGE_OUTPUTS_CTF_PLAN_HEADER_H */
